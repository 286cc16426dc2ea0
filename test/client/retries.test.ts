// Tests how the client handles failures of the network, a proxy or the server: it repeats a write under the same key,
// so that the write takes effect once.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { hoursFromNow } from '../support/factories.ts'
import { type Link, startProxy } from '../support/faults/proxy.ts'
import { useWith } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { importClient, useInstalledClient } from './support/package.ts'
import { createTown, type Town } from './support/town.ts'

type FetchFunction = (address: string, init: { headers: Record<string, string> }) => Promise<Response>

const RESPONSE_START = 'HTTP/1.1 200'

describe('@berth/client during failures', function suite() {
  this.timeout(60_000)
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: '300' } })
  const owner = useClient(world)
  const installed = useInstalledClient()
  const proxy = useWith(
    world,
    () => startProxy(world.url),
    (made) => made.close(),
  )
  let client: Awaited<ReturnType<typeof importClient>>
  let town: Town
  // Several people may book the home office at the same time, so a write that runs twice creates two
  // bookings.
  let wanted: object
  before(async () => {
    town = await createTown(world.database)
    client = await importClient(installed)
    const { home: bookable_id, location_id, anna: user_id } = town
    wanted = { bookable_id, location_id, user_id, to_time: hoursFromNow(2) }
  })
  afterEach(() => world.database('bookings').delete())

  const connect = (options: object = {}) =>
    client.createClient({ url: proxy.url, token: owner.token, ...options })
  const countBookings = async () => (await world.database('bookings')).length
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => expect.fail('It passed'),
      (error) => error,
    )
  const loseAnswer = () =>
    proxy.catch('client', RESPONSE_START, (link: Link) => {
      link.drop()
      return 'drop'
    })

  it('repeats a write if no worker executed it in time', async () => {
    const statuses: number[] = []
    const recording: FetchFunction = async (address, init) => {
      const response = await fetch(address, init)
      statuses.push(response.status)
      if (statuses.length === 1) await world.startWorkers(['writes'])
      return response
    }
    const [{ id }] = await connect({ fetch: recording }).bookings.create(wanted)
    expect(id).to.be.a('number')
    expect(statuses).to.deep.equal([503, 200])
    expect(await countBookings()).to.equal(1)
  })

  it('books only once when the connection breaks before the response arrives', async () => {
    const lost = loseAnswer()
    const { data, response } = await connect().bookings.create(wanted).withResponse()
    await lost
    expect(response.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(await countBookings()).to.equal(1)
    expect(await world.database('bookings').pluck('id')).to.deep.equal([data[0].id])
  })

  it('books twice if the repeated request has a different idempotency key', async () => {
    const withoutKey: FetchFunction = (address, { headers: { 'Idempotency-Key': _, ...headers }, ...init }) =>
      fetch(address, { ...init, headers })
    const lost = loseAnswer()
    await connect({ fetch: withoutKey }).bookings.create(wanted)
    await lost
    expect(await countBookings()).to.equal(2)
  })

  it('books only once when an attempt times out because the server is silent', async () => {
    const held = proxy.catch('client', RESPONSE_START, 'drop')
    await connect({ timeoutMs: 500 }).bookings.create(wanted)
    await held
    expect(await countBookings()).to.equal(1)
  })

  it('reuses the idempotency key when it repeats a write after a fault', async () => {
    const page = '<html>Bad Gateway</html>'
    const answers = [
      () => Promise.reject(new TypeError('fetch failed')),
      () => new Response(page, { status: 502 }),
      () => new Response('{"code":"rate_limited"}', { status: 429, headers: { 'Retry-After': '1' } }),
      () =>
        new Response('{"code":"idempotency_key_in_use"}', { status: 409, headers: { 'Retry-After': '0' } }),
    ]
    const keys: unknown[] = []
    const times: number[] = []
    const faulty: FetchFunction = async (address, init) => {
      keys.push(init.headers['Idempotency-Key'])
      times.push(performance.now())
      return (await answers.shift()?.()) ?? fetch(address, init)
    }
    await connect({ fetch: faulty }).bookings.create(wanted)
    expect(keys).to.have.length(5)
    expect(new Set(keys).size).to.equal(1)
    expect(String(keys[0])).to.have.length(32)
    const [, , third = 0, fourth = 0] = times
    expect(fourth - third).to.be.at.least(990)
    expect(await countBookings()).to.equal(1)
  })

  it('throws the last error when all retries have failed', async () => {
    let tries = 0
    const options = {
      retries: 2,
      fetch: async () => new Response(`Down ${++tries}`, { status: 502, headers: { 'Retry-After': '0' } }),
    }
    const error = await failure(connect(options).buildings.list().all())
    expect(error).to.be.instanceOf(client.ServerError).and.include({ status: 502, code: 'unexpected_answer' })
    expect(tries).to.equal(3)
  })

  it('throws immediately if Retry-After exceeds the maximum wait', async () => {
    let tries = 0
    const busy = (seconds: string) => async () => {
      tries++
      return new Response('', { status: 503, headers: { 'Retry-After': seconds } })
    }
    const hour = await failure(
      connect({ fetch: busy('3600') })
        .buildings.list()
        .all(),
    )
    expect(hour).to.be.instanceOf(client.ServerError).and.include({ status: 503, retryAfterMs: 3_600_000 })
    const impatient = connect({ fetch: busy('2'), retryAfterMsMax: 1_000 })
    expect(await failure(impatient.groups.delete(1))).to.include({ retryAfterMs: 2_000 })
    expect(tries).to.equal(2)
    const month = connect({ fetch: busy('2600000') })
    const signal = AbortSignal.timeout(200)
    const waiting = failure(month.groups.delete(1, { retryAfterMsMax: Number.POSITIVE_INFINITY, signal }))
    expect((await waiting).name).to.equal('TimeoutError')
    expect(tries).to.equal(3)
  })

  it('does not repeat a refused write', async () => {
    const taken = { ...wanted, bookable_id: town.desks[0] }
    await connect().bookings.create(taken)
    let tries = 0
    const counting: FetchFunction = (address, init) => {
      tries++
      return fetch(address, init)
    }
    const error = await failure(connect({ fetch: counting }).bookings.create(taken))
    expect(error).to.be.instanceOf(client.ConflictError).and.include({ code: 'booking_conflict' })
    expect(tries).to.equal(1)
  })

  it('names the server in the error if the server does not answer', async () => {
    await proxy.cut()
    const error = await failure(connect({ retries: 0 }).buildings.list().all())
    await proxy.restore()
    expect(error).to.be.instanceOf(client.ConnectionError).and.include({ code: 'no_answer', status: 0 })
    // The request may use an idle connection that was opened earlier.
    expect(error.message).to.match(
      /^No answer from http:\/\/[\d.:]+: (connect ECONNREFUSED|other side closed)/,
    )
  })

  it('stops waiting for the next attempt when the caller aborts', async () => {
    const controller = new AbortController()
    const options = {
      fetch: async () => new Response('', { status: 503, headers: { 'Retry-After': '60' } }),
    }
    const asked = failure(connect(options).bookings.delete(1, {}, { signal: controller.signal }))
    await sleep(50)
    controller.abort()
    expect((await asked).name).to.equal('AbortError')
  })

  it('cancels a running request when the caller aborts', async () => {
    const held = proxy.catch('client', RESPONSE_START, 'drop')
    const controller = new AbortController()
    const asked = failure(connect().bookings.create(wanted, { signal: controller.signal }))
    await held
    controller.abort()
    expect((await asked).name).to.equal('AbortError')
  })

  it('follows a quiet feed even if the timeout is shorter than the wait', async () => {
    const feed = connect({ timeoutMs: 2_000, retries: 0 }).changes.follow({
      types: ['group'],
      waitSeconds: 4,
    })
    await feed.next()
    expect((await feed.next()).value?.data).to.deep.equal([])
    await feed.return()
  })

  it('misses no change of the feed during an outage', async () => {
    const names: string[] = []
    const feed = connect({ retries: 10 }).changes.follow({ types: ['group'], waitSeconds: 1 })
    await feed.next()
    const create = (name: string) => connect({ url: world.url }).groups.create({ name })
    await create('Before')
    await proxy.cut()
    const reading = (async () => {
      for await (const { data } of feed) {
        for (const change of data) names.push(change.data.name)
        if (names.length === 3) return
      }
    })()
    await create('During')
    await sleep(200)
    await proxy.restore()
    await create('After')
    await reading
    expect(names).to.deep.equal(['Before', 'During', 'After'])
  })
})
