// Tests webhooks with real receivers: signed, sent at least once and retried; a slow receiver does not delay other
// receivers.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { LOCKS } from '../../../shared/database/locks.ts'
import { createDesk, hoursFromNow } from '../../support/factories.ts'
import { findExample } from '../../support/http/interface-examples.ts'
import { eventually, promised } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { status } from './receiver.ts'
import { useWebhooks } from './webhooks.ts'

const BOOKING_COUNT = 48
const TIMEOUT_MS = 2_500
const PAYLOAD_MEMBERS = [
  'type',
  'timestamp',
  'sequence',
  'id',
  'action',
  'actor',
  'request_id',
  'data',
  'previous',
]
const PRIVATE_HOSTS = [
  '10.1.2.3',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[::10.0.0.1]',
  '[::ffff:0:10.0.0.1]',
  '2130706434',
]
// Allows many requests, because the tests poll for deliveries.
const environment = { RATE_LIMIT_PER_MINUTE: '1000000' }

describe('webhooks', function suite() {
  this.timeout(120_000)
  const world = useWorld({ environment })
  const client = useClient(world)
  const { receiver, other, names, subscribe, book, deliveries, find, only } = useWebhooks(world, client)

  it('deliver only the change types they subscribe to, signed according to Standard Webhooks', async () => {
    const { id, secret } = await subscribe(receiver.url)
    const booking = await book()
    await client.patch(`bookables/${(await createDesk(world.database)).bookable_id}`, { name: 'Not theirs' })
    const { message, type, status: answered, delivered_at } = await only(id)
    expect([type, answered, typeof delivered_at]).to.deep.equal(['booking.created', 200, 'string'])
    const [{ headers, body } = expect.fail()] = receiver.received
    const told = new Webhook(secret).verify(body, headers) as Record<string, unknown>
    expect(headers['webhook-id']).to.equal(message)
    expect(headers['user-agent']).to.match(/^Berth/)
    expect(Object.keys(told)).to.have.members(PAYLOAD_MEMBERS)
    expect(told).to.include({ type: 'booking.created', id: booking, action: 'created', previous: null })
    const listed = await client.get(`bookings?from=${hoursFromNow(0)}&to=${hoursFromNow(9)}`)
    expect(told.data).to.deep.equal(listed.json.data.find((each: { id: number }) => each.id === booking))
    expect(() => new Webhook(secret).verify(`${body} `, headers)).to.throw()
    expect((await client.get(`webhooks/${id}`)).text).to.not.include('secret')
  })

  it('take over the unfinished deliveries of a process that has ended', async () => {
    const { id } = await subscribe(receiver.url)
    const another = await world.database.transaction()
    await another.raw('SELECT pg_advisory_xact_lock(?)', [LOCKS.deliveries])
    await book()
    await wait(1_500)
    expect(await deliveries(id)).to.deep.equal([])
    // The transaction has written nothing, so it delays no changes.
    await another.rollback()
    await eventually(async () => expect(await deliveries(id)).to.have.length(1), promised(6_000))
  })

  it('include the previous values, the author and the request id of a change or deletion', async () => {
    const id = await book()
    const { id: webhook } = await subscribe(receiver.url, ['booking.updated', 'booking.deleted'])
    const { data: created } = (await client.get(`bookings/${id}`)).json
    const later = { to_time: hoursFromNow(3) }
    const changed = await client.patch(`bookings/${id}`, later)
    const deleted = await client.delete(`bookings/${id}`)
    const [first, second] = await eventually(() => {
      expect(receiver.received).to.have.length(2)
      const bodies = receiver.received.map(({ body }) => JSON.parse(body))
      return bodies.sort((one, other) => one.sequence - other.sequence)
    })
    const actor = { type: 'token', id: first.actor.id, name: 'test' }
    const update = { type: 'booking.updated', action: 'updated', id, actor }
    expect(first).to.deep.include({ ...update, request_id: changed.headers.get('x-request-id') })
    expect(first.previous).to.deep.include({ id, from: created.from, to: created.to })
    expect(first.data).to.deep.include({ id, from: created.from, to: later.to_time.replace('Z', '000Z') })
    const deletion = { type: 'booking.deleted', action: 'deleted', id, actor, data: null }
    expect(second).to.deep.include({ ...deletion, request_id: deleted.headers.get('x-request-id') })
    expect(second.previous).to.deep.equal(first.data)
    const example = findExample('A delivery is a POST')
    expect(Object.keys(second)).to.have.members(Object.keys(example))
    expect(Object.keys(second.actor)).to.have.members(Object.keys(example.actor))
    const log = (await client.get(`webhooks/${webhook}/deliveries`)).json.data
    expect(
      log.map(({ type, resource_id }: { type: string; resource_id: number }) => [type, resource_id]),
    ).to.deep.equal([
      ['booking.updated', id],
      ['booking.deleted', id],
    ])
  })

  it('are also signed with the previous secret for a day', async () => {
    const first = await subscribe(receiver.url)
    const second = (await client.post(`webhooks/${first.id}/rotate-secret`, {})).json.data
    expect(second.secret).to.not.equal(first.secret)
    await book()
    await only(first.id)
    const [{ headers, body } = expect.fail()] = receiver.received
    for (const { secret } of [first, second])
      expect(new Webhook(secret).verify(body, headers)).to.be.an('object')
    await world
      .database('webhooks')
      .update({ previous_secret_until: world.database.raw("now() - interval '1 second'") })
    await book()
    await eventually(() => expect(receiver.received).to.have.length(2))
    const [, later = expect.fail()] = receiver.received
    expect(() => new Webhook(first.secret).verify(later.body, later.headers)).to.throw()
    expect(new Webhook(second.secret).verify(later.body, later.headers)).to.be.an('object')
  })

  it('repeat a failed delivery with the same id, after the delay that the receiver requests', async () => {
    receiver.answer = status(503, { 'Retry-After': '3600' }, 'busy')
    const { id } = await subscribe(receiver.url)
    await book()
    const failed = await only(id)
    expect(failed).to.include({ status: 503, answer: 'busy', attempts: 1, delivered_at: null })
    expect(Date.parse(failed.next_at) - Date.now()).to.be.within(3_500_000, 3_700_000)
    expect((await find(id)).failing_since).to.be.a('string')
    receiver.answer = status(204)
    await world.database('webhook_deliveries').update({ next_at: world.database.fn.now() })
    await eventually(async () => expect((await only(id)).delivered_at).to.be.a('string'))
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids).to.have.length(2)
    expect(new Set(ids).size).to.equal(1)
    expect((await find(id)).failing_since).to.equal(null)
  })

  it('follow no redirects, and repeat a delivery if the receiver closes the connection', async () => {
    const cases: Array<[typeof receiver.answer, object]> = [
      [status(307, { Location: other.url }), { status: 307, error: null }],
      [(response) => response.destroy(), { status: null, error: 'socket hang up' }],
    ]
    for (const [answer, expected] of cases) {
      receiver.answer = answer
      const { id } = await subscribe(receiver.url)
      await book()
      const delivery = await only(id)
      expect(delivery).to.include({ ...expected, delivered_at: null })
      expect(delivery.next_at).to.be.a('string')
      await client.delete(`webhooks/${id}`)
    }
    expect(other.received).to.deep.equal([])
  })

  it('accept a response of any length, and store its first KiB', async () => {
    receiver.answer = (response) => {
      const pour = () => response.write('x'.repeat(16_384), () => setImmediate(pour))
      pour()
    }
    const { id } = await subscribe(receiver.url)
    await book()
    const delivery = await only(id)
    expect([delivery.status, delivery.answer.length]).to.deep.equal([200, 1_024])
  })

  it('are switched off after a 410 response or five days of failures', async () => {
    receiver.answer = status(410)
    const gone = await subscribe(receiver.url)
    await book()
    await eventually(async () => expect(await find(gone.id)).to.include({ enabled: false }))
    expect((await find(gone.id)).disabled_reason).to.include('410')
    other.answer = status(500)
    const dead = await subscribe(other.url)
    const failingFor = (days: number) =>
      world
        .database('webhooks')
        .where({ id: dead.id })
        .update({ failing_since: world.database.raw(`now() - interval '${days} days'`) })
    await failingFor(4)
    await book()
    await eventually(async () => expect((await deliveries(dead.id))[0]?.status).to.equal(500))
    expect(await find(dead.id)).to.include({ enabled: true })
    await failingFor(6)
    await book()
    await eventually(async () => expect(await find(dead.id)).to.include({ enabled: false }))
    const made = await deliveries(dead.id)
    // The delivery of a later booking shows that the process has already handled the earlier one.
    receiver.answer = status(200)
    const witness = await subscribe(receiver.url)
    const last = await book()
    await only(witness.id)
    expect(await deliveries(dead.id)).to.have.length(made.length)
    const told = other.received.map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id)
    expect(told).to.not.include(last)
    const on = await client.patch(`webhooks/${dead.id}`, { enabled: true })
    expect(on.json.data).to.include({ enabled: true, disabled_reason: null, failing_since: null })
  })

  it('stay on if the first attempt after a quiet week fails and its retry succeeds', async () => {
    receiver.answer = status(503, { 'Retry-After': '3600' })
    const { id } = await subscribe(receiver.url)
    // An earlier delivery failed and was given up, and nothing has changed since then.
    await world
      .database('webhooks')
      .where({ id })
      .update({ failing_since: world.database.raw("now() - interval '6 days'") })
    await book()
    expect(await only(id)).to.include({ status: 503, attempts: 1 })
    expect(await find(id)).to.include({ enabled: true })
    receiver.answer = status(200)
    await world.database('webhook_deliveries').update({ next_at: world.database.fn.now() })
    await eventually(async () => expect((await only(id)).delivered_at).to.be.a('string'))
    expect(await find(id)).to.include({ enabled: true, failing_since: null })
  })

  it('never deliver into private networks, even through a public host name', async () => {
    names['inside.example'] = ['10.0.0.7']
    names['both.example'] = ['8.8.8.8', '169.254.169.254']
    const { port } = new URL(receiver.url)
    for (const host of ['inside.example', 'both.example', ...PRIVATE_HOSTS]) {
      const { id } = await subscribe('https://receiver.example')
      // Simulates a webhook that was created when the settings still allowed its URL.
      await world
        .database('webhooks')
        .where({ id })
        .update({ url: `http://${host}:${port}/` })
      await book()
      expect((await only(id)).error, host).to.include('private network')
      const [{ error_message }] = await world.database('webhook_deliveries').where({ webhook_id: id })
      expect(error_message.text).to.equal('{0} is in a private network')
      await client.delete(`webhooks/${id}`)
    }
    // The setting allows the host name. Berth looks the name up once, and connects to the checked address.
    names['ours.example'] = ['127.0.0.1']
    const { id } = await subscribe(`http://ours.example:${port}/named`)
    await book()
    expect(await only(id)).to.include({ error: null, status: 200 })
    expect(receiver.received.map(({ path, headers }) => [path, headers.host])).to.deep.equal([
      ['/named', `ours.example:${port}`],
    ])
  })

  it('cannot be created with a URL in a private network', async () => {
    const { id } = await subscribe(receiver.url)
    const types = ['booking.*']
    for (const host of [...PRIVATE_HOSTS, '127.0.0.2', '169.254.169.254']) {
      const url = `http://${host}:8080/`
      for (const answer of [
        await client.post('webhooks', { url, types }),
        await client.patch(`webhooks/${id}`, { url }),
      ]) {
        expect([answer.status, answer.json.code], host).to.deep.equal([422, 'validation_failed'])
        expect(answer.json.errors.url[0]).to.match(
          /^url must not point to a private network: nothing is sent to .* unless WEBHOOK_ALLOW_PRIVATE lists it\.$/,
        )
      }
    }
  })

  it('cannot be created with an invalid URL or change type', async () => {
    const good = { url: receiver.url, types: ['booking.created'] }
    for (const [field, value] of [
      ['url', 'ftp://x.example'],
      ['url', 'https://user:x@y.example'],
      ['url', 'no'],
      ['types', []],
      ['types', ['booking.lost']],
    ]) {
      const answer = await client.post('webhooks', { ...good, [String(field)]: value })
      expect(answer.status).to.equal(422)
      expect(Object.keys(answer.json.errors)[0]).to.match(new RegExp(`^${field}`))
    }
  })
})

describe('webhooks whose receivers hang', function suite() {
  this.timeout(120_000)
  const world = useWorld({ environment })
  const client = useClient(world)
  const { receiver, other, subscribe, book, only } = useWebhooks(world, client, { timeoutMs: TIMEOUT_MS })

  it('stop waiting for a receiver after the time limit', async () => {
    receiver.answer = () => undefined
    other.answer = (response) => response.write('half')
    const silent = [await subscribe(receiver.url), await subscribe(other.url)]
    await book()
    const error = `no answer within ${TIMEOUT_MS / 1_000} s`
    for (const { id } of silent)
      expect(await only(id)).to.include({ status: null, error, delivered_at: null })
  })

  it('do not delay other webhooks', async () => {
    receiver.answer = () => undefined
    await subscribe(receiver.url)
    await subscribe(other.url)
    await Promise.all(Array.from({ length: BOOKING_COUNT }, book))
    // Ignores repeated deliveries, which occur if a response is late on a busy machine.
    const told = () => new Set(other.received.map(({ headers }) => headers['webhook-id']))
    await eventually(() => expect(told()).to.have.property('size', BOOKING_COUNT), 45_000)
    // Five deliveries run at the same time, each until its timeout, so all deliveries together take many
    // times as long.
    expect(receiver.received.length).to.be.below(BOOKING_COUNT)
  })
})
