// Tests deliveries on request: test deliveries, repeating one delivery or all failed ones, and deliveries that wait
// while a webhook is off.
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { hoursFromNow } from '../../support/factories.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { status } from './receiver.ts'
import { useWebhooks } from './webhooks.ts'

describe('webhook deliveries that an administrator requests', function suite() {
  this.timeout(120_000)
  // Allows many requests, because the tests poll for deliveries.
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
  const client = useClient(world)
  const { receiver, other, subscribe, book, deliveries, find, only } = useWebhooks(world, client)

  const lastAudit = async () =>
    world.database('audit_log').orderBy('id', 'desc').first('action', 'resource', 'resource_id', 'after')

  it('include a signed test delivery, with the webhook as its data', async () => {
    const { id, secret } = await subscribe(receiver.url)
    const answer = await client.post(`webhooks/${id}/test`, {})
    expect(answer.json.data).to.include({ type: 'webhook.test', attempts: 0, delivered_at: null })
    expect(await lastAudit()).to.deep.equal({
      action: 'webhooks.test',
      resource: 'webhooks',
      resource_id: id,
      after: { delivery_id: answer.json.data.id },
    })
    const path = `webhooks/${id}/deliveries/${answer.json.data.id}`
    await eventually(async () => expect((await client.get(path)).json.data.status).to.equal(200))
    const [{ headers, body } = expect.fail()] = receiver.received
    const told = new Webhook(secret).verify(body, headers) as Record<string, unknown>
    expect(Object.keys(told)).to.deep.equal([
      'type',
      'timestamp',
      'sequence',
      'id',
      'action',
      'actor',
      'request_id',
      'data',
      'previous',
    ])
    expect([told['type'], told['sequence'], told['data']]).to.deep.equal(['webhook.test', 0, await find(id)])
  })

  it('include test deliveries that are sent only once, and never count as failures of the webhook', async () => {
    for (const code of [410, 503]) {
      receiver.answer = status(code, {}, 'not me')
      const { id } = await subscribe(receiver.url)
      await client.post(`webhooks/${id}/test`, {})
      expect(await only(id)).to.include({ status: code, answer: 'not me', next_at: null })
      expect(await find(id)).to.include({ enabled: true, failing_since: null })
    }
  })

  it('can repeat a delivery with the same id, even after a success', async () => {
    const { id } = await subscribe(receiver.url)
    await book()
    const first = await only(id)
    const again = await client.post(`webhooks/${id}/deliveries/${first.id}/send-again`, {})
    expect(again.json.data).to.include({ id: first.id, message: first.message, delivered_at: null })
    await eventually(() => expect(receiver.received).to.have.length(2))
    expect(await only(id)).to.include({ attempts: 1, status: 200 })
    const [one, two] = receiver.received.map(({ headers, body }) => [headers['webhook-id'], body])
    expect(one).to.deep.equal(two)
    expect((await lastAudit()).after).to.deep.equal({ delivery_id: first.id, type: 'booking.created' })
  })

  it('stay delivered if an attempt that began before the request fails later', async () => {
    const held: ServerResponse[] = []
    receiver.answer = (response) => held.push(response)
    const { id } = await subscribe(receiver.url)
    await book()
    await eventually(() => expect(held).to.have.length(1))
    receiver.answer = status(200)
    const [{ id: delivery }] = await deliveries(id)
    await client.post(`webhooks/${id}/deliveries/${delivery}/send-again`, {})
    await eventually(async () => expect((await only(id)).delivered_at).to.be.a('string'))
    held[0]?.writeHead(503).end()
    // The delivery of a later booking gives the process the time to record the failure.
    await book()
    await eventually(async () => expect((await deliveries(id))[1]?.status).to.equal(200))
    const [again] = await deliveries(id)
    expect(again).to.include({ attempts: 1, status: 200, next_at: null })
    expect(again.delivered_at).to.be.a('string')
    expect(await find(id)).to.include({ failing_since: null })
  })

  it('can repeat exactly the deliveries that failed since a given time', async () => {
    const { id } = await subscribe(receiver.url)
    await book()
    await only(id)
    receiver.answer = status(500)
    const row = (which: { id: number }) => world.database('webhook_deliveries').where({ id: which.id })
    for (const count of [2, 3, 4]) {
      await book()
      const failed = await eventually(async () => {
        const delivery = (await deliveries(id))[count - 1]
        expect(delivery?.status).to.equal(500)
        return delivery
      })
      // Postpones the retry until after the test.
      await row(failed).update({ next_at: world.database.raw("now() + interval '1 hour'") })
    }
    // One delivery has been given up, one waits for its next attempt, and one is from an earlier day.
    const [, given, , early] = await deliveries(id)
    await row(given).update({ next_at: null })
    await row(early).update({ change_at: world.database.raw("now() - interval '2 days'"), next_at: null })
    receiver.answer = status(200)
    const before = receiver.received.length
    const answer = await client.post(`webhooks/${id}/send-failed`, { since: hoursFromNow(-24) })
    expect(answer.json.data).to.deep.equal({ deliveries: 2, has_more: false })
    await eventually(async () => {
      const states = (await deliveries(id)).map((each: { status: number }) => each.status)
      expect(states).to.deep.equal([200, 200, 200, 500])
    })
    expect(receiver.received).to.have.length(before + 2)
    expect(await lastAudit()).to.include({ action: 'webhooks.send-failed', resource_id: id })
    expect((await client.post(`webhooks/${id}/send-failed`, {})).status).to.equal(422)
  })

  it('are held while the webhook is off, and changes made in the meantime are never sent', async () => {
    receiver.answer = status(503)
    const { id } = await subscribe(receiver.url)
    const running = await subscribe(other.url)
    await book()
    const failed = await only(id)
    await client.patch(`webhooks/${id}`, { enabled: false })
    receiver.answer = status(200)
    await world.database('webhook_deliveries').where({ id: failed.id }).update({ next_at: new Date() })
    for (const path of ['test', 'send-failed', `deliveries/${failed.id}/send-again`]) {
      const refused = await client.post(`webhooks/${id}/${path}`, { since: hoursFromNow(-1) })
      expect([refused.status, refused.json.code], path).to.deep.equal([409, 'webhook_disabled'])
    }
    await book()
    // The process has looked for due deliveries since then, because it has sent the other delivery.
    await eventually(async () => expect(await deliveries(running.id)).to.have.length(2))
    await eventually(() => expect(other.received).to.have.length(2))
    expect(receiver.received).to.have.length(1)
    await client.patch(`webhooks/${id}`, { enabled: true })
    await eventually(async () => expect((await only(id)).delivered_at).to.be.a('string'))
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size]).to.deep.equal([2, 1])
  })

  it('answer that a delivery does not exist if its id is wrong', async () => {
    const [{ id }, { id: elsewhere }] = [await subscribe(receiver.url), await subscribe(other.url)]
    const delivery = (await client.post(`webhooks/${id}/test`, {})).json.data.id
    for (const path of [`webhooks/999999/test`, `webhooks/${elsewhere}/deliveries/${delivery}/send-again`])
      expect((await client.post(path, {})).status, path).to.equal(404)
    expect((await client.get(`webhooks/${elsewhere}/deliveries/${delivery}`)).status).to.equal(404)
    const since = { since: hoursFromNow(-1) }
    expect((await client.post('webhooks/999999/send-failed', since)).status).to.equal(404)
  })
})
