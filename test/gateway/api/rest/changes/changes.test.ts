// Tests the change feed: followers end up with the content of the listings, waiting clients get changes
// immediately, and a client with an expired cursor gets an error.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { serve } from '../../../../../gateway/server.ts'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { useAdmin } from '../../../../support/dashboard/admin.ts'
import { createDesk, hoursFromNow } from '../../../../support/factories.ts'
import { FEED_WAIT_MS_MAX, readEndOfFeed } from '../../../../support/http/feed.ts'
import { Client } from '../../../../support/http/http.ts'
import { findExample } from '../../../../support/http/interface-examples.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import { expectSameAsListings, Follower } from './follower.ts'

// The feed serves a change once older transactions of the whole Postgres server end, so the tests poll until then.
const environment = { RATE_LIMIT_PER_MINUTE: '100000' }

const createWeekQuery = () => `from=${hoursFromNow(0)}&to=${hoursFromNow(160)}`
const createTimes = (from: number, hours: number) => ({
  from_time: hoursFromNow(from),
  to_time: hoursFromNow(from + hours),
})

describe('the change feed', function suite() {
  this.timeout(180_000)
  const world = useWorld({ environment })
  const client = useClient(world)

  const start = () => readEndOfFeed(world.database, client)
  const read = async (after: string, query = '') => {
    const answer = await client.get(`changes?after=${after}${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json
  }
  const cursor = (...parts: number[]) => Buffer.from(parts.join('.')).toString('base64url')

  it('starts at the current time, and continues in pages with the cursor in “next”', async () => {
    const begun = await start()
    const desk = await createDesk(world.database)
    for (const hour of [1, 2, 3])
      expect((await client.post('bookings', { ...desk, ...createTimes(hour, 1) })).status).to.equal(200)
    await eventually(async () => expect((await read(begun)).data).to.have.length(3), FEED_WAIT_MS_MAX)
    const first = await read(begun, '&limit=2')
    const second = await read(first.next, '&limit=2')
    expect(first.data).to.have.length(2)
    expect(second.data).to.have.length(1)
    const froms = [...first.data, ...second.data].map(({ data }) => data.from)
    expect(froms).to.deep.equal([...froms].sort())
    expect(first.data[0]).to.include({ type: 'booking', action: 'created' })
    const [example] = findExample('`GET api/v1/changes` (ability').data
    expect(Object.keys(first.data[0])).to.have.members(Object.keys(example))
    expect(Object.keys(first.data[0].actor)).to.have.members(Object.keys(example.actor))
    expect(first.data[0].data.livemap).to.equal(`${world.url}/api/v1/bookings/${first.data[0].id}/livemap`)
    expect((await read(second.next)).data).to.deep.equal([])
  })

  it('ends, as `readEndOfFeed` reads it, after the changes that an older transaction holds back', async () => {
    const desk = await createDesk(world.database)
    const older = await world.database.transaction()
    await older.raw('SELECT pg_current_xact_id()')
    await client.patch(`bookables/${desk.bookable_id}`, { name: 'Held back' })
    const begun = start()
    await wait(1_000)
    await older.commit()
    // Returns once the transaction no longer holds the change back.
    await start()
    expect((await read(await begun)).data).to.deep.equal([])
  })

  it('shows only changes of the requested types', async () => {
    const begun = await start()
    const desk = await createDesk(world.database)
    await client.post('bookings', { ...desk, ...createTimes(1, 1) })
    await client.patch(`bookables/${desk.bookable_id}`, { name: 'Renamed' })
    await eventually(async () => expect((await read(begun)).data).to.have.length(2), FEED_WAIT_MS_MAX)
    const page = await read(begun, '&types=bookable,user')
    expect(page.data.map(({ type }: { type: string }) => type)).to.deep.equal(['bookable'])
    expect((await read(page.next)).data).to.deep.equal([])
  })

  it('answers a waiting client as soon as a change occurs, and not before', async () => {
    const desk = await createDesk(world.database)
    const begun = await start()
    const startedMs = performance.now()
    const waiting = read(begun, '&wait=30').then((page) => ({ page, tookMs: performance.now() - startedMs }))
    await client.patch(`bookables/${desk.bookable_id}`, { name: 'Waited for' })
    const { page, tookMs } = await waiting
    expect(page.data.map(({ data }: { data: { name: string } }) => data.name)).to.deep.equal(['Waited for'])
    expect(tookMs).to.be.below(20_000)
    const idleMs = performance.now()
    expect((await read(page.next, '&wait=1')).data).to.deep.equal([])
    expect(performance.now() - idleMs).to.be.within(950, 15_000)
  })

  it('refuses a client that waits if its token is revoked in the meantime', async () => {
    const desk = await createDesk(world.database)
    const begun = await start()
    const { id, token } = await createToken(world.database, {
      name: 'Follower',
      abilities: ['read'],
      createdBy: 'test',
    })
    const waiting = new Client(world.url, token).get(`changes?after=${begun}&wait=30`)
    await wait(1_000)
    await world.database('tokens').where({ id }).update({ revoked_at: new Date() })
    await client.patch(`bookables/${desk.bookable_id}`, { name: 'Secret' })
    const { status, json } = await waiting
    expect([status, json.code]).to.deep.equal([401, 'invalid_token'])
  })

  it('answers waiting clients when the gateway shuts down', async () => {
    const gateway = await serve(world.config, createLog('test', 'silent'))
    const { token } = client
    const begun = await start()
    const waiting = fetch(`http://127.0.0.1:${gateway.port}/api/v1/changes?after=${begun}&wait=30`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    await new Promise((resolve) => setTimeout(resolve, 300))
    const startedMs = performance.now()
    await gateway.stop()
    expect(performance.now() - startedMs).to.be.below(15_000)
    const { data } = (await (await waiting).json()) as { data: unknown[] }
    expect(data).to.deep.equal([])
  })

  it('refuses a cursor that is older than 30 days or from another database, and tells the client to start again', async () => {
    const old = Date.now() - 30 * 24 * 3_600_000
    for (const after of [cursor(1, 1, old - 1_000), cursor(10 ** 14, 0, Date.now())]) {
      const answer = await client.get(`changes?after=${after}`)
      expect(answer.status).to.equal(410)
      expect(answer.json.code).to.equal('cursor_expired')
    }
    expect((await client.get(`changes?after=${cursor(1, 1, old + 60_000)}`)).status).to.equal(200)
  })

  it('refuses malformed cursors, unknown types and limits out of range', async () => {
    for (const query of [
      'after=x',
      'after=',
      'types=booking,desk',
      'limit=0',
      'limit=1001',
      'wait=31',
      'wait=-1',
    ]) {
      const answer = await client.get(`changes?${query}`)
      expect(answer.status, query).to.equal(422)
      expect(Object.keys(answer.json.errors)).to.deep.equal([query.split('=')[0]])
    }
  })
})

// Begins with an empty database, so that every resource appears in the feed.
describe('a client that follows the change feed', function suite() {
  this.timeout(600_000)
  const world = useWorld({ workers: ['writes', 'imports'], environment })
  const client = useClient(world)
  const admin = useAdmin(world)

  it('ends up with exactly the content of the listings, even if other clients write at the same time', async () => {
    const follower = new Follower(client, 7)
    await follower.start()
    const create = async (name: Parameters<typeof admin.ask>[0], body: object) =>
      (await admin.ask(name, body)).json.data
    const buildings = [
      (await create('buildings.create', { name: 'A' })).id,
      (await create('buildings.create', { name: 'B' })).id,
    ]
    const locations = [
      (await create('locations.create', { building_id: buildings[0], name: '1', code: '1' })).id,
      (await create('locations.create', { building_id: buildings[1], name: '2', code: '2' })).id,
    ]
    const names = { names: ['D1', 'D2', 'D3'] }
    const desks: number[] = (
      await create('bookables.create', { location_id: locations[0], type: 0, ...names, tags: [] })
    ).ids
    const rooms: number[] = (
      await create('bookables.create', { location_id: locations[1], type: 2, ...names, tags: [] })
    ).ids
    const users: number[] = []
    for (const name of ['ann', 'bob', 'cid'])
      users.push(
        (await create('users.create', { name, email: `${name}@follow.example`, groups: [`G ${name}`] })).id,
      )
    let counter = 0
    const bookings: number[] = []
    const events: number[] = []
    const pick = <Item>(items: Item[], index: number) => items[index % Math.max(1, items.length)]
    const writes: Array<(index: number) => Promise<unknown>> = [
      async (index) => {
        const body = {
          bookable_id: pick(desks, index),
          location_id: locations[0],
          user_id: pick(users, index + 1),
        }
        const { json } = await client.post('bookings', { ...body, ...createTimes(index % 100, 2) })
        if (json.data) bookings.push(json.data[0].id)
      },
      (index) => client.patch(`bookings/${pick(bookings, index) ?? 0}`, createTimes((index * 3) % 100, 1)),
      (index) => client.delete(`bookings/${bookings.splice(index % 5, 1)[0] ?? 0}`),
      async (index) => {
        const attendees = [
          { type: 'bookable', id: String(pick(rooms, index)) },
          { type: 'user', id: String(pick(users, index + 1)) },
        ]
        const body = { name: `E${++counter}`, organizer_user_id: pick(users, index), attendees }
        const { json } = await client.post('events', { ...body, ...createTimes(index % 90, 1) })
        if (json.data) events.push(json.data.id)
      },
      (index) =>
        client.put(`events/${pick(events, index) ?? 0}`, {
          name: `R${++counter}`,
          ...createTimes(index % 90, 2),
        }),
      (index) => client.delete(`events/${pick(events, index) ?? 0}`),
      (index) => admin.ask('users.edit', { id: pick(users, index), name: `U${++counter}` }),
      (index) => admin.ask('users.deactivate', { ids: [pick(users, index)] }),
      (index) => admin.ask('users.restore', { ids: [pick(users, index)] }),
      (index) =>
        client.patch(`bookables/${pick([...desks, ...rooms], index)}`, {
          name: `N${++counter}`,
          tags: ['t'],
        }),
      (index) => admin.ask('buildings.update', { id: pick(buildings, index), name: `H${++counter}` }),
      (index) => admin.ask('locations.update', { id: pick(locations, index), name: `L${++counter}` }),
      (index) =>
        admin.ask('locations.update', {
          id: pick(locations, index),
          building_id: pick(buildings, index >> 1),
        }),
      (index) =>
        admin.ask('bookables.edit', { id: pick(desks, index), location_id: pick(locations, index + 1) }),
      (index) =>
        client.import(`email,name\nann@follow.example,I${++counter}\nnew${index}@follow.example,New\n`, {
          update: 'true',
        }),
      () => admin.ask('bookings.release', {}),
    ]
    const write = fc.tuple(fc.nat({ max: writes.length - 1 }), fc.nat({ max: 99 }))
    await fc.assert(
      // Sends four writes at a time, so that some wait for the locks of others.
      fc.asyncProperty(
        fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 12 }),
        async (rounds) => {
          for (const round of rounds) {
            await Promise.all(round.map(([kind, index]) => writes[kind]?.(index)))
            await follower.follow()
          }
          await expectSameAsListings(follower, client, createWeekQuery(), FEED_WAIT_MS_MAX)
        },
      ),
      { numRuns: 5, endOnFailure: true },
    )
    expect(follower.seen).to.be.above(50)
  })
})
