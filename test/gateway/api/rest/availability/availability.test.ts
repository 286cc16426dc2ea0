// Tests availability: the bookables that are free for a whole time range, and the free times of one bookable.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { followPages } from '../../../../support/http/links.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

type Span = { from: string; to: string | null }

describe('availability', () => {
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world, 'read')
  let building_id: number
  let location_id: number
  let times: { from: string; to: string }

  beforeEach(async () => {
    times = { from: hoursFromNow(24), to: hoursFromNow(26) }
    building_id = await createBuilding(world.database, { name: 'Harbour House', address: 'Am Kai 1' })
    location_id = await createLocation(world.database, { building_id, name: 'Ground floor', code: 'G' })
  })

  const add = (row: Record<string, unknown>) => createBookable(world.database, { location_id, ...row })
  const search = (query: Record<string, unknown>, range: Record<string, string> = times) =>
    new URLSearchParams([
      ...Object.entries(range),
      ...Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map((each): [string, string] => [name, String(each)]),
      ),
    ])
  const namesOf = async (query: Record<string, unknown>) => {
    const answer = await client.get(`availability?${search(query)}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data.map(({ name }: { name: string }) => name)
  }
  const claim = (bookable_id: number, { from, to }: Span, row = {}) =>
    createBooking(world.database, { bookable_id, from, to, ...row })

  describe('GET availability', () => {
    it('lists each free bookable with its location and building, in the format of GET bookables/{id}', async () => {
      const id = await add({ name: 'Elbe', type: 2, capacity: 8, tags: ['screen'] })
      const { data } = (await client.get(`bookables/${id}`)).json
      const answer = await client.get(`availability?${search({ location_id })}`)
      expect(answer.json.data).to.have.length(1)
      expect(data).to.deep.include(answer.json.data[0])
      expect(data.location).to.deep.equal({
        id: location_id,
        name: 'Ground floor',
        code: 'G',
        building: { id: building_id, name: 'Harbour House', address: 'Am Kai 1' },
      })
    })

    it('omits bookables that any booking or event takes during part of the range', async () => {
      const desks = new Map<string, number>()
      const names = [
        'before',
        'after',
        'begins in it',
        'ends in it',
        'within',
        'around',
        'open',
        'event',
        'long',
      ]
      for (const name of names) desks.set(name, await add({ name }))
      const at = (hours: number) => hoursFromNow(24 + hours)
      const take = (name: string, from: number, to: number | null, row = {}) =>
        claim(desks.get(name) ?? 0, { from: at(from), to: to === null ? null : at(to) }, row)
      await take('before', -2, 0)
      await take('after', 2, 4)
      await take('begins in it', 1, 4)
      await take('ends in it', -3, 1)
      await take('within', 1, 2)
      await take('around', -1, 3)
      await take('open', -1000, null)
      await take('long', -40, 1)
      const event_id = await createEvent(world.database, { from: at(0), to: at(1) })
      await take('event', 0, 1, { event_id })
      expect(await namesOf({ location_id })).to.deep.equal(['after', 'before'])
    })

    it('omits blocked and deleted bookables, but lists home offices even when booked', async () => {
      await add({ name: 'Blocked', status: 1 })
      await add({ name: 'Deleted', deleted_at: new Date() })
      await add({ name: 'Assigned', status: 2 })
      await claim(await add({ name: 'Home', type: 3 }), times, { exclusive: false })
      expect(await namesOf({ location_id })).to.deep.equal(['Assigned', 'Home'])
    })

    it('accepts a building or a location as a filter, and orders by location, name and id', async () => {
      const upstairs = await createLocation(world.database, { building_id })
      const ids = [await add({ name: 'B' }), await add({ name: 'A' }), await add({ name: 'B' })]
      const above = await add({ name: 'A', location_id: upstairs })
      await createDesk(world.database)
      const idsOf = async (query: Record<string, unknown>) =>
        (await client.get(`availability?${search(query)}`)).json.data.map(({ id }: { id: number }) => id)
      expect(await idsOf({ building_id })).to.deep.equal([ids[1], ids[0], ids[2], above])
      expect(await idsOf({ location_id: upstairs })).to.deep.equal([above])
      expect(await idsOf({ building_id, location_id })).to.deep.equal([ids[1], ids[0], ids[2]])
      expect(await idsOf({ building_id: await createBuilding(world.database), location_id })).to.deep.equal(
        [],
      )
    })

    it('accepts filters by type, tags and capacity', async () => {
      await add({ name: 'Desk', tags: ['window', 'quiet'] })
      await add({ name: 'Other desk', tags: ['window'] })
      await add({ name: 'Room', type: 2, capacity: 8, tags: ['window'] })
      expect(await namesOf({ location_id, type: 2 })).to.deep.equal(['Room'])
      expect(await namesOf({ location_id, tag: 'window' })).to.have.length(3)
      expect(await namesOf({ location_id, tag: ['window', 'quiet'] })).to.deep.equal(['Desk'])
      expect(await namesOf({ location_id, tag: 'wind' })).to.deep.equal([])
      expect(await namesOf({ location_id, capacity_min: 8 })).to.deep.equal(['Room'])
      expect(await namesOf({ location_id, capacity_min: 9 })).to.deep.equal([])
    })

    it('lists only bookables that the given user may book', async () => {
      const [user_id, walker] = [await createUser(world.database), await createUser(world.database)]
      await createVehicle(world.database, { user_id })
      await add({ name: 'Free' })
      await add({ name: 'Of others', status: 2 })
      const own = await add({ name: 'Own', status: 2 })
      await world.database('bookable_assignees').insert({ bookable_id: own, user_id })
      await add({ name: 'Parking', type: 1, requires_vehicle: true })
      expect(await namesOf({ location_id, user_id })).to.deep.equal(['Free', 'Own', 'Parking'])
      expect(await namesOf({ location_id, user_id: walker })).to.deep.equal(['Free'])
    })

    it('returns pages that together equal the unpaginated list', async () => {
      for (const name of ['C', 'A', 'B', 'A', 'ä “%', "'"]) await add({ name })
      const whole = (await client.get(`availability?${search({ building_id })}`)).json.data
      const pages = await followPages(client, `availability?${search({ building_id, limit: 2 })}`)
      expect(pages).to.deep.equal({ items: whole, sizes: [2, 2, 2] })
    })

    it('names each invalid query parameter in its error, and refuses unknown places and users', async () => {
      const wrong = await client.get(`availability?${search({ type: 4, capacity_min: -1, tag: '' })}`)
      expect(wrong.status).to.equal(422)
      expect(wrong.json.errors).to.have.all.keys(
        'building_id',
        'location_id',
        'type',
        'capacity_min',
        'tag.0',
      )
      const eight = { from: hoursFromNow(0), to: hoursFromNow(8 * 24) }
      const long = await client.get(`availability?${search({ building_id }, eight)}`)
      expect(long.json.errors).to.deep.equal({ to: ['to must be at most 7 days after from.'] })
      const gone = await createUser(world.database, { deactivated_at: new Date() })
      for (const query of [
        { building_id: 999_999 },
        { location_id: 999_999 },
        { building_id, user_id: gone },
      ])
        expect((await client.get(`availability?${search(query)}`)).status).to.equal(404)
      const cursor = Buffer.from(JSON.stringify(['x', '1', 'a\u0000', '1'])).toString('base64url')
      expect((await client.get(`availability?${search({ building_id, limit: 1, cursor })}`)).status).to.equal(
        422,
      )
    })
  })

  describe('GET bookables/{id}/availability', () => {
    const timesOf = async (id: number, range: Record<string, string>) => {
      const answer = await client.get(`bookables/${id}/availability?${search({}, range)}`)
      expect(answer.status, answer.text).to.equal(200)
      return answer.json.data
    }

    it('lists free and taken periods within the range, and joins adjacent taken periods', async () => {
      const desk = await add({})
      for (const [from, to] of [
        [-5, 1],
        [3, 4],
        [4, 6],
        [9, 30],
      ] as const)
        await claim(desk, { from: hoursFromNow(from), to: hoursFromNow(to) })
      const at = (hours: number) => hoursFromNow(hours).replace('.000Z', '.000000Z')
      expect(await timesOf(desk, { from: hoursFromNow(0), to: hoursFromNow(12) })).to.deep.equal({
        free: [
          { from: at(1), to: at(3) },
          { from: at(6), to: at(9) },
        ],
        taken: [
          { from: at(0), to: at(1) },
          { from: at(3), to: at(6) },
          { from: at(9), to: at(12) },
        ],
      })
    })

    it('shows a blocked bookable as never free, and a home office as always free', async () => {
      const blocked = await timesOf(await add({ status: 1 }), times)
      expect(blocked).to.deep.equal({ free: [], taken: [] })
      const home = await add({ type: 3 })
      await claim(home, times, { exclusive: false })
      const free = Object.fromEntries(
        Object.entries(times).map(([name, at]) => [name, at.replace('.000Z', '.000000Z')]),
      )
      expect(await timesOf(home, times)).to.deep.equal({ free: [free], taken: [] })
    })

    it('accepts ranges of at most 31 days', async () => {
      const desk = await add({})
      const until = (hours: number) => ({ from: hoursFromNow(0), to: hoursFromNow(31 * 24 + hours) })
      expect((await timesOf(desk, until(0))).free).to.have.length(1)
      const longer = await client.get(`bookables/${desk}/availability?${search({}, until(1))}`)
      expect(longer.json.errors).to.deep.equal({ to: ['to must be at most 31 days after from.'] })
      const deleted = await add({ deleted_at: new Date() })
      for (const id of [deleted, 999_999])
        expect((await client.get(`bookables/${id}/availability?${search({})}`)).status).to.equal(404)
    })
  })

  it('availability equals a scan of all bookings and events, for random times', async function random() {
    this.timeout(120_000)
    const start = Date.parse(hoursFromNow(0))
    // Returns full hours, or times that differ from them by a microsecond.
    const moment = fc.tuple(fc.integer({ min: -60, max: 60 }), fc.constantFrom(0, 0, 0, 1, -1))
    const span = fc.tuple(moment, moment).filter(([[a, x], [b, y]]) => a < b || (a === b && x < y))
    const instant = ([hour, micros]: [number, number]) => {
      const ms = start + hour * 3_600_000 - (micros < 0 ? 1 : 0)
      return `${new Date(ms).toISOString().slice(0, -1)}${micros === 0 ? '000' : micros > 0 ? '001' : '999'}Z`
    }
    const spans = fc.array(
      span.map(([from, to]) => ({ from: instant(from), to: instant(to) })),
      { maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(spans, span, async (wanted, [from, to]) => {
        const desk = await add({})
        const held: Array<{ from: string; to: string }> = []
        for (const each of wanted) {
          if (held.some((other) => each.from < other.to && other.from < each.to)) continue
          held.push(each)
          await claim(desk, each)
        }
        const asked = { from: instant(from), to: instant(to) }
        const data = await (await client.get(`bookables/${desk}/availability?${search({}, asked)}`)).json.data
        expect(data).to.deep.equal(findFreeAndTaken(held, asked))
        const listed = await client.get(`availability?${search({ location_id }, asked)}`)
        const isListed = listed.json.data.some(({ id }: { id: number }) => id === desk)
        expect(isListed).to.equal(data.taken.length === 0)
      }),
      { numRuns: 40 },
    )
  })
})

type ClosedSpan = { from: string; to: string }

function findFreeAndTaken(
  held: ClosedSpan[],
  { from, to }: ClosedSpan,
): { free: ClosedSpan[]; taken: ClosedSpan[] } {
  const taken: ClosedSpan[] = []
  const free: ClosedSpan[] = []
  let at = from
  for (const claim of [...held].sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const part = { from: claim.from > from ? claim.from : from, to: claim.to < to ? claim.to : to }
    if (part.from >= part.to) continue
    const last = taken.at(-1)
    if (last?.to === part.from) last.to = part.to
    else taken.push({ ...part })
    if (part.from > at) free.push({ from: at, to: part.from })
    at = part.to
  }
  if (at < to) free.push({ from: at, to })
  return { free, taken }
}
