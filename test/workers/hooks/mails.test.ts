// Tests webhooks that Berth switches off: their owners get a mail if mail is set up.
import { expect } from 'chai'
import { createAdminWithFastHash } from '../../support/dashboard/administrators.ts'
import { PASSWORD } from '../../support/dashboard/dashboard.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { useSmtp } from '../pollers/mail/smtp-server.ts'
import { status } from './receiver.ts'
import { useWebhooks } from './webhooks.ts'

describe('a webhook that Berth has switched off', function suite() {
  this.timeout(120_000)
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      // Allows many requests, because the tests poll for the mail.
      RATE_LIMIT_PER_MINUTE: '1000000',
      PUBLIC_URL: 'https://desks.example.com/berth',
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'berth@example.com',
    },
  }))
  const client = useClient(world)
  const { receiver, other, subscribe, book, find } = useWebhooks(world, client)

  const switchedOff = async (id: number) =>
    eventually(async () => expect(await find(id)).to.include({ enabled: false }))

  it('causes one mail to each owner who can sign in, and no other mails', async () => {
    const admins = { one: 'owner', two: 'owner', gone: 'owner', admin: 'administrator' } as const
    for (const [name, role] of Object.entries(admins))
      await createAdminWithFastHash(world.database, {
        email: `${name}@example.com`,
        password: PASSWORD,
        role,
      })
    await world.database('admins').where({ email: 'gone@example.com' }).update({ disabled_at: new Date() })
    receiver.answer = status(410)
    other.answer = status(500)
    const [gone, failing] = [await subscribe(receiver.url), await subscribe(other.url)]
    await world
      .database('webhooks')
      .where({ id: failing.id })
      .update({ failing_since: world.database.raw("now() - interval '6 days'") })
    await book()
    for (const { id } of [gone, failing]) await switchedOff(id)
    await book()
    await eventually(() => expect(smtp.received).to.have.length(4))
    expect(smtp.received.flatMap(({ to }) => to).sort()).to.deep.equal([
      'one@example.com',
      'one@example.com',
      'two@example.com',
      'two@example.com',
    ])
    const texts = smtp.sentTo('one@example.com').map(({ text }) => text)
    const about = (id: number) => texts.find((text) => text.includes(`/integrations/webhooks/${id}`)) ?? ''
    expect(about(gone.id)).to.include('The receiver answered 410 (Gone).')
    expect(about(failing.id)).to.include('No delivery succeeded for five days.')
    expect(about(gone.id))
      .to.include(`https://desks.example.com/berth/dashboard/integrations/webhooks/${gone.id}`)
      .and.include(new URL(receiver.url).host)
    await eventually(async () => expect(await world.database('mails').whereNull('sent_at')).to.deep.equal([]))
  })

  it('causes no mail if somebody switches it on again before the mail is sent', async () => {
    smtp.refusing = 450
    receiver.answer = status(410)
    const { id } = await subscribe(receiver.url)
    await book()
    await switchedOff(id)
    await eventually(async () => {
      const late = await world.database('mails').where({ webhook_id: id }).whereNotNull('error')
      expect(late).to.have.length(2)
    })
    await client.patch(`webhooks/${id}`, { enabled: true })
    smtp.refusing = undefined
    const before = smtp.received.length
    await world.database('mails').where({ webhook_id: id }).update({ next_at: new Date() })
    await eventually(async () =>
      expect(await world.database('mails').where({ webhook_id: id })).to.deep.equal([]),
    )
    expect(smtp.received).to.have.length(before)
  })
})
