// Tests mail with SMTP configured: password links are sent once to their recipients, and failures are reported.
import { expect } from 'chai'
import { parseStoredMessage } from '../../../../shared/messages/message.ts'
import { writeEnglish } from '../../../../shared/messages/write-message.ts'
import { takeDueMail } from '../../../../workers/pollers/mail/due-mails.ts'
import { composeMail } from '../../../../workers/pollers/mail/messages.ts'
import { readRedisContents } from '../../../security/support/redis-contents.ts'
import { createAdminWithFastHash } from '../../../support/dashboard/administrators.ts'
import { Browser, createSignedIn, PASSWORD } from '../../../support/dashboard/dashboard.ts'
import { openRedis } from '../../../support/redis.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { useSmtp } from './smtp-server.ts'

const PUBLIC_URL = 'http://desks.example.com'

describe('mail to administrators', () => {
  const lines: string[] = []
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      PUBLIC_URL,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Berth <berth@example.com>',
    },
    onLog: (line) => void lines.push(line),
  }))
  let owner: Browser
  before(async () => {
    owner = await createSignedIn(world, 'owner@example.com')
  })
  afterEach(() => {
    smtp.refusing = undefined
  })

  let number = 0
  async function invite(): Promise<{ email: string; shown: string }> {
    number++
    const email = `colleague-${number}@example.com`
    await owner.open('/dashboard/settings/administrators/new')
    await owner.submit('Create link', { email, role: 'front-desk' })
    expect(owner.words).to.include('The person also gets a link by e-mail')
    return { email, shown: linkIn(owner.page.text.replaceAll('&amp;', '&')) }
  }
  const linkIn = (text: string) =>
    /http:\/\/desks\.example\.com\/dashboard\/password\?token=[\w-]{43}/.exec(text)?.[0] ??
    expect.fail(`No link in ${text}`)
  const mailTo = (email: string) =>
    eventually(() => smtp.sentTo(email).at(-1) ?? expect.fail(`No mail to ${email}`))
  const mailRow = async (email: string) => {
    const { id } = await world.database('admins').where({ email }).first('id')
    return world.database('mails').where({ admin_id: id }).orderBy('id', 'desc').first()
  }
  const ended = (email: string) =>
    eventually(async () => {
      const row = await mailRow(email)
      expect(row.sent_at ?? row.error).to.not.equal(null)
      return row
    })
  /** Waits until the worker has recorded the mail as sent, shortly after the server has accepted it. */
  const sent = (email: string) =>
    eventually(async () => expect((await mailRow(email)).sent_at).to.be.a('string'))
  /** Makes the mail due for its next attempt. */
  const tryAgain = () => world.database('mails').whereNotNull('next_at').update({ next_at: new Date() })
  async function follow(link: string): Promise<Browser> {
    const browser = new Browser(world.url)
    const { pathname, search } = new URL(link)
    await browser.open(pathname + search)
    return browser
  }
  async function choose(link: string): Promise<Browser> {
    const browser = await follow(link)
    await browser.submit('Save password', { password: PASSWORD, repeated: PASSWORD })
    expect(browser.words).to.include('Your password is saved.')
    return browser
  }

  it('invites a new administrator with a short plain text', async () => {
    const { email, shown } = await invite()
    const { from, to, headers, text } = await mailTo(email)
    expect({ from, to }).to.deep.equal({ from: 'berth@example.com', to: [email] })
    expect(headers)
      .to.match(/^From: Berth <berth@example.com>$/m)
      .and.match(/^Subject: You are invited to Berth$/m)
      .and.match(/^Content-Type: text\/plain; charset=utf-8$/m)
      .and.match(/^Auto-Submitted: auto-generated$/m)
      .and.match(/^Message-ID: <[\da-f-]{36}@desks\.example\.com>$/m)
    expect(text).to.include('the Berth dashboard at http://desks.example.com/dashboard as front desk.')
    expect(text).to.match(/It works once, until \d+ \w+ \d{4}, \d\d:\d\d UTC:/)
    expect(linkIn(text), 'another one than is shown').to.not.equal(shown)
    await choose(linkIn(text))
    for (const link of [shown, linkIn(text)])
      expect((await follow(link)).page.status, 'one of them, once').to.equal(404)
  })

  it('contains a link that stops working once the displayed link is used or a new link is created', async () => {
    const { email, shown } = await invite()
    const mailed = linkIn((await mailTo(email)).text)
    await choose(shown)
    expect((await follow(mailed)).page.status).to.equal(404)
    const { id } = await world.database('admins').where({ email }).first('id')
    const create = async (count: number) => {
      await owner.open(`/dashboard/settings/administrators/${id}`)
      await owner.submit('Create link')
      await eventually(() => expect(smtp.sentTo(email)).to.have.length(count))
      return linkIn((await mailTo(email)).text)
    }
    const first = await create(2)
    const second = await create(3)
    expect((await mailTo(email)).headers).to.include('Subject: Choose a new password for Berth')
    expect((await follow(first)).page.status).to.equal(404)
    await choose(second)
  })

  it('contains a link that is not in logs or Redis, and is stored only as a hash in the database', async () => {
    smtp.refusing = 450
    const { email } = await invite()
    await ended(email)
    smtp.refusing = undefined
    await tryAgain()
    const secret = linkIn((await mailTo(email)).text).slice(-43)
    await sent(email)
    const redis = await openRedis(world.config)
    const places = [lines.join(''), await readRedisContents(redis)]
    redis.disconnect()
    for (const table of ['mails', 'admin_links', 'audit_log', 'receipts', 'idempotency_keys'])
      places.push(JSON.stringify(await world.database(table)))
    for (const place of places) {
      expect(place.length).to.be.greaterThan(100)
      expect(place).to.not.include(secret)
      expect(place).to.not.include(Buffer.from(secret).toString('base64'))
    }
    await eventually(() => expect(lines.join('')).to.include('mail sent'))
    expect(lines.join('')).to.not.include(email)
  })

  it('is retried while the mail server refuses it temporarily, and is shown as late', async () => {
    smtp.refusing = 450
    const { email } = await invite()
    const row = await ended(email)
    expect(writeEnglish(parseStoredMessage(row.error))).to.equal('The mail server refused the address (450).')
    expect(Date.parse(row.next_at)).to.be.greaterThan(Date.now())
    await owner.open('/dashboard/settings/administrators')
    expect(owner.words).to.include(`${email} link sent e-mail delayed`)
    await owner.open(`/dashboard/settings/administrators/${row.admin_id}`)
    expect(owner.words).to.include(
      `The last e-mail to ${email} was not sent. The mail server refused the address (450). Berth will try again.`,
    )
    smtp.refusing = undefined
    await tryAgain()
    await choose(linkIn((await mailTo(email)).text))
    expect(smtp.sentTo(email)).to.have.length(1)
  })

  it('is not retried after a permanent refusal, which the page and the log show', async () => {
    smtp.refusing = 550
    const { email, shown } = await invite()
    const { next_at, admin_id } = await ended(email)
    expect(next_at).to.equal(null)
    await owner.open('/dashboard/settings/administrators')
    expect(owner.words).to.include(`${email} link sent e-mail failed`)
    await owner.open(`/dashboard/settings/administrators/${admin_id}`)
    expect(owner.words).to.include('The mail server refused the address (550). Berth will not try again.')
    // Finds log lines by the recipient, because other numbers in a line, such as the time, may contain 550.
    const ofAdmin = (each: string) =>
      each.includes('a mail could not be sent') && each.includes(`"adminId":${admin_id},`)
    const line = await eventually(() => lines.find(ofAdmin) ?? expect.fail('No line says so'))
    expect(line).to.include('"isGivenUp":true').and.include(' 550"')
    expect(line).to.not.include('No such mailbox')
    await choose(shown)
  })

  it('is sent only once, regardless of the number of workers', async () => {
    const others = [await world.startWorkers(['upkeep']), await world.startWorkers(['upkeep'])]
    const invited = [await invite(), await invite(), await invite(), await invite()]
    for (const { email } of invited) await ended(email)
    for (const each of others) await each.stop()
    expect(invited.map(({ email }) => smtp.sentTo(email).length)).to.deep.equal([1, 1, 1, 1])
  })

  it('is not sent if its link has been used or its recipient has been disabled', async () => {
    smtp.refusing = 450
    const [used, disabled] = [await invite(), await invite()]
    for (const { email } of [used, disabled]) await ended(email)
    await choose(used.shown)
    await world.database('admins').where({ email: disabled.email }).update({ disabled_at: new Date() })
    smtp.refusing = undefined
    await tryAgain()
    const last = await invite()
    await mailTo(last.email)
    expect(await mailRow(used.email)).to.equal(undefined)
    await eventually(async () => expect(await mailRow(disabled.email)).to.equal(undefined))
    expect([used, disabled].map(({ email }) => smtp.sentTo(email).length)).to.deep.equal([0, 0])
  })

  it('is sent by a second worker if the first one died, and the link of either copy works', async () => {
    smtp.refusing = 450
    const { email } = await invite()
    const { id } = await ended(email)
    // No other worker may take the mail, because it would record its own outcome in the middle of this test.
    const taken = await world.database.transaction(async (trx) => {
      await trx('mails').where({ id }).update({ next_at: trx.fn.now() })
      return (await takeDueMail(trx)) ?? expect.fail('It is not due')
    })
    expect(taken.id).to.equal(id)
    expect(Date.parse((await mailRow(email)).next_at) - Date.now(), 'nobody else takes it').to.be.greaterThan(
      60_000,
    )
    smtp.refusing = undefined
    await tryAgain()
    const { text } = await mailTo(email)
    const lost = linkIn(composeMail(taken, { publicUrl: PUBLIC_URL, from: 'berth@example.com' }).text)
    expect(linkIn(text)).to.not.equal(lost)
    expect((await follow(linkIn(text))).page.status).to.equal(200)
    await choose(lost)
  })
})

describe('an installation without a mail server', () => {
  const world = useWorld({ workers: ['writes', 'upkeep'] })

  it('queues no mails, and shows no mails as sent', async () => {
    await createAdminWithFastHash(world.database, { email: 'owner@example.com', password: PASSWORD })
    const owner = await createSignedIn(world, 'owner@example.com')
    await owner.open('/dashboard/settings/administrators/new')
    expect(owner.words).to.include('Berth sends nothing to it.')
    await owner.submit('Create link', { email: 'desk@example.com', role: 'reader' })
    expect(owner.words).to.include('Send this link').and.not.include('by e-mail')
    expect(await world.database('mails')).to.deep.equal([])
  })
})
