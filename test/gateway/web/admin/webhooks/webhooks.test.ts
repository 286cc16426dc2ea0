// Tests webhooks in the dashboard: creating them, switching them on and off, and viewing and resending their
// deliveries.
import { expect } from 'chai'
import { extractWords, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createDelivery, createWebhook } from '../../../../support/dashboard/webhook-examples.ts'
import { createBuilding } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const LIST_PATH = '/dashboard/integrations/webhooks'
const NEW_PATH = `${LIST_PATH}/new`
const CREATE_BUTTON = 'Create webhook'
const SECRET_PATTERN = /whsec_[A-Za-z0-9+/=]{44}/
const FAILED_DELIVERY = { attempts: 9, next_at: null, status: 500, answer: 'Not now', took_ms: 12 }

describe('webhooks in the dashboard', () => {
  const world = useWorld()
  const browser = useSignedIn(world)

  const rowOf = (id: number) => world.database('webhooks').where({ id }).first()
  const lastAudit = () => world.database('audit_log').orderBy('id', 'desc').first()

  it('are created with a secret that is shown only once', async () => {
    await browser.open('/dashboard/integrations')
    await browser.follow('Webhooks')
    expect(browser.words).to.include('No webhooks yet.')
    await browser.follow('New webhook')
    const fields = {
      url: 'https://hooks.example.com/berth',
      description: 'Lobby display',
      groups: ['booking.*'],
      actions: 'event.created, room.lost',
    }
    expect((await browser.submit(CREATE_BUTTON, fields)).status).to.equal(422)
    expect(browser.words).to.include('“room.lost” is unknown. Use a form such as booking.created.')
    expect((await browser.submit(CREATE_BUTTON, { ...fields, groups: [], actions: '' })).status).to.equal(422)
    expect(browser.words).to.include('Choose at least one.')
    const created = await browser.submit(CREATE_BUTTON, {
      ...fields,
      actions: 'event.created',
      groups: ['booking.*'],
    })
    expect(created.status).to.equal(200)
    const [shown = expect.fail('No secret is shown')] = SECRET_PATTERN.exec(created.text) ?? []
    const row = await world.database('webhooks').first()
    expect(row).to.deep.include({
      url: fields.url,
      description: 'Lobby display',
      types: ['booking.*', 'event.created'],
      enabled: true,
      secret: shown,
    })
    expect(await lastAudit()).to.include({ action: 'webhooks.create', actor_name: 'admin@example.com' })
    await browser.follow('Done')
    expect(browser.words).to.include('Lobby display')
    expect(browser.page.text).to.not.match(SECRET_PATTERN)
    await browser.open(LIST_PATH)
    expect(browser.words).to.include('Lobby display').and.include('booking.* event.created')
  })

  it('are created once by a double click, with one secret', async () => {
    await browser.open(NEW_PATH)
    const form = browser.form(CREATE_BUTTON)
    const fields = { url: 'https://twice.example.com', groups: ['*'] }
    const answers = [await browser.send(form, fields), await browser.send(form, fields)]
    expect(new Set(answers.map(({ text }) => SECRET_PATTERN.exec(text)?.[0]))).to.have.property('size', 1)
    expect(await world.database('webhooks').where({ url: fields.url })).to.have.length(1)
  })

  it('are refused with an error at the field if their URL is in a private network', async () => {
    const id = await createWebhook(world.database)
    for (const [page, button] of [
      [NEW_PATH, CREATE_BUTTON],
      [`${LIST_PATH}/${id}`, 'Save changes'],
    ] as const) {
      await browser.open(page)
      await browser.submit(button, { url: 'http://10.1.2.3/berth', groups: ['*'] })
      expect(browser.words).to.include(
        'URL must not point to a private network: nothing is sent to 10.1.2.3 unless WEBHOOK_ALLOW_PRIVATE lists it.',
      )
    }
    expect(await world.database('webhooks').whereLike('url', '%10.1.2.3%')).to.deep.equal([])
  })

  it('can be changed, switched off and on, and deleted', async () => {
    const id = await createWebhook(world.database)
    await browser.open(`${LIST_PATH}/${id}`)
    await browser.submit('Save changes', { description: 'Kitchen', groups: ['user.*'], actions: '' })
    expect(browser.words).to.include('Changes saved.')
    expect(await rowOf(id)).to.deep.include({ description: 'Kitchen', types: ['user.*'] })
    await browser.submit('Switch off')
    expect(await rowOf(id)).to.include({ enabled: false })
    expect(browser.words).to.include('Switched off.').and.include('Berth sends nothing to it')
    expect(browser.words).to.not.include('Send test')
    await browser.submit('Switch on')
    expect(await rowOf(id)).to.include({ enabled: true })
    await browser.follow('Delete webhook')
    expect(browser.words).to.include('Delete the webhook “Kitchen”?')
    await browser.submit('Delete webhook')
    expect(browser.words).to.include('Webhook deleted.')
    expect(await rowOf(id)).to.equal(undefined)
  })

  it('show when Berth has switched a webhook off, and the reason', async () => {
    const reason = 'No delivery succeeded for five days.'
    const id = await createWebhook(world.database, { enabled: false, disabled_reason: reason })
    await browser.open('/dashboard')
    expect(browser.words).to.include('Berth has switched off the webhook Lobby display').and.include(reason)
    await browser.open(LIST_PATH)
    expect(browser.words).to.include('switched off')
    await browser.open(`${LIST_PATH}/${id}`)
    expect(browser.words).to.include('Berth has switched this webhook off.').and.include(reason)
    await browser.submit('Keep the webhook off')
    expect(browser.words).to.not.include('Berth has switched this webhook off.')
    expect(await rowOf(id)).to.include({ enabled: false, disabled_reason: null })
    await browser.open('/dashboard')
    expect(browser.words).to.not.include('Berth has switched off')
  })

  it('get a new secret while the old secret works for 24 hours', async () => {
    const id = await createWebhook(world.database)
    const before = await rowOf(id)
    await browser.open(`${LIST_PATH}/${id}`)
    const { text } = await browser.submit('Create new secret')
    const [shown] = SECRET_PATTERN.exec(text) ?? []
    const { secret, previous_secret, previous_secret_until } = await rowOf(id)
    expect([secret, previous_secret]).to.deep.equal([shown, before.secret])
    expect(Date.parse(previous_secret_until) - Date.now()).to.be.within(23 * 3_600_000, 24 * 3_600_000)
    await browser.follow('Done')
    expect(browser.words).to.include('The previous secret is valid until')
    expect(browser.page.text).to.not.match(SECRET_PATTERN)
  })

  it('show deliveries and responses, and resend one or all failed deliveries', async () => {
    const id = await createWebhook(world.database)
    const [first, second] = [
      await createDelivery(world.database, id, FAILED_DELIVERY),
      await createDelivery(world.database, id, FAILED_DELIVERY),
    ]
    const done = { attempts: 1, status: 204, took_ms: 3, next_at: null, delivered_at: new Date() }
    await createDelivery(world.database, id, { ...done, type: 'event.created' })
    const find = (delivery: number) => world.database('webhook_deliveries').where({ id: delivery }).first()

    await browser.open(`${LIST_PATH}/${id}`)
    expect(browser.words).to.match(/event\.created .*delivered 204.*booking\.created .*failed 500/)
    await browser.follow('Show only undelivered')
    expect(browser.words).to.not.match(/event\.created .*delivered 204/)

    const { change_horizon, change_sequence, change_at } = await find(first)
    await world.database('changes').insert({
      horizon: change_horizon,
      sequence: change_sequence,
      at: change_at,
      resource_id: 815,
      type: 'booking',
      action: 'created',
      actor_type: 'system',
      actor_name: 'test',
      request_id: 'test',
    })
    await browser.open(`${LIST_PATH}/${id}/deliveries/${first}`)
    expect(browser.words)
      .to.include('failed to https://hooks.example.net/berth')
      .and.include('Not now')
      .and.include('ID 815')
    await browser.submit('Resend')
    expect(browser.words).to.include('Sent again.')
    expect(await find(first)).to.include({ attempts: 0, status: null })
    expect((await find(first)).next_at).to.be.a('string')
    expect(await find(second)).to.include({ attempts: 9, next_at: null })

    await browser.open(`${LIST_PATH}/${id}`)
    await browser.submit('Resend', { hours: '1' })
    expect(browser.words).to.include('1 delivery is being resent.')
    expect(await find(second)).to.include({ attempts: 0 })

    await browser.submit('Send test')
    expect(browser.words).to.include('Test sent.').and.include('webhook.test')
    expect(await lastAudit()).to.include({ action: 'webhooks.test', resource_id: id })
  })

  it('show only the deliveries of the chosen webhook, page by page', async () => {
    const [id, other] = [await createWebhook(world.database), await createWebhook(world.database)]
    const theirs = await createDelivery(world.database, other)
    expect((await browser.open(`${LIST_PATH}/${id}/deliveries/${theirs}`)).status).to.equal(404)
    for (let count = 0; count < 21; count += 1) await createDelivery(world.database, id)
    const links = (text: string) => text.match(new RegExp(`/webhooks/${id}/deliveries/\\d+`, 'g')) ?? []
    const { text } = await browser.open(`${LIST_PATH}/${id}`)
    expect(links(text)).to.have.length(20)
    await browser.follow('Next')
    expect(links(browser.page.text)).to.have.length(1)
  })

  it('show times in the time zone that most buildings have', async () => {
    const building = await createBuilding(world.database, { timezone: 'Asia/Tokyo' })
    const created_at = '2026-01-01T20:30:00Z'
    const id = await createWebhook(world.database, { created_at })
    const delivery = await createDelivery(world.database, id, { created_at })
    for (const path of [`/${id}`, `/${id}/deliveries/${delivery}`]) {
      await browser.open(`${LIST_PATH}${path}`)
      expect(browser.words, path).to.include('Created 2 Jan 2026, 05:30')
    }
    await world.database('buildings').where({ id: building }).delete()
  })

  it('escape hostile texts', async () => {
    for (const description of HOSTILE_TEXTS) {
      const disabled_reason = description
      const id = await createWebhook(world.database, {
        description: description.slice(0, 255),
        disabled_reason,
        enabled: false,
      })
      const hostile = { ...FAILED_DELIVERY, answer: description, error: description, status: null }
      const delivery = await createDelivery(world.database, id, hostile)
      for (const path of [`/${id}`, `/${id}/delete`, `/${id}/deliveries/${delivery}`])
        expectHarmless((await browser.open(`${LIST_PATH}${path}`)).text, description)
    }
    const { text } = await browser.open(LIST_PATH)
    for (const description of HOSTILE_TEXTS) expectHarmless(text, description)
    expect(extractWords(text)).to.include('Webhooks')
  })
})
