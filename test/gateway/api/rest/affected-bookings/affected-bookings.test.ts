// Tests GET …/in-the-way, which lists the bookings that conflict with blocking or closing a place.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { useAdmin } from '../../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

type Item = {
  type: string
  id: number
  from: string
  to: string | null
  bookable: { id: number; location: { building: { id: number } } }
  user: { id: number }
}

describe('GET in-the-way of a place or bookable', () => {
  const world = useWorld()
  const client = useClient(world, 'read')
  const admin = useAdmin(world)
  let building: number
  let location: number
  let desk: number
  let user_id: number
  beforeEach(async () => {
    building = await createBuilding(world.database)
    location = await createLocation(world.database, { building_id: building })
    desk = await add()
    user_id = await createUser(world.database)
  })

  const add = (row: Record<string, unknown> = {}) =>
    createBookable(world.database, { location_id: location, ...row })
  const book = (bookable_id: number, from: number, to: number | null, row: Record<string, unknown> = {}) =>
    createBooking(world.database, {
      bookable_id,
      user_id,
      from: hoursFromNow(from),
      to: to === null ? null : hoursFromNow(to),
      ...row,
    })
  const meet = async (from: number, to: number, rooms: number[]) => {
    const span = { from: hoursFromNow(from), to: hoursFromNow(to) }
    const id = await createEvent(world.database, { ...span, organizer_user_id: user_id })
    for (const bookable_id of rooms)
      await createBooking(world.database, { ...span, bookable_id, event_id: id })
    return id
  }
  const list = async (path: string, query: Record<string, string> = {}): Promise<Item[]> => {
    const answer = await client.get(`${path}/in-the-way?${new URLSearchParams(query)}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data
  }
  const said = (items: Item[]) => items.map(({ type, id, bookable }) => `${type} ${id} at ${bookable.id}`)

  it('lists current and future bookings and event rooms with person and place, ordered by start', async () => {
    const home = await add({ type: 3 })
    const [upstairs, elsewhere] = [
      await createLocation(world.database, { building_id: building }),
      await createBookable(world.database),
    ]
    const above = await add({ location_id: upstairs })
    await book(desk, -5, -4)
    await book(elsewhere, 1, 2)
    const running = await book(desk, -1, 1)
    const open = await book(home, 3, null, { exclusive: false })
    const event = await meet(4, 5, [desk, above])
    const late = await book(above, 24 * 900, 24 * 900 + 1)
    const all = [
      `booking ${running} at ${desk}`,
      `event ${event} at ${desk}`,
      `event ${event} at ${above}`,
      `booking ${late} at ${above}`,
    ]
    const found = await list(`buildings/${building}`)
    expect(said(found)).to.deep.equal(all)
    expect(said(await list(`locations/${location}`))).to.deep.equal(all.slice(0, 2))
    expect(said(await list(`bookables/${desk}`))).to.deep.equal(all.slice(0, 2))
    // Closing a building or floor does not affect its home offices; blocking a home office does.
    const atHome = await list(`bookables/${home}`)
    expect(said(atHome)).to.deep.equal([`booking ${open} at ${home}`])
    expect(atHome[0]).to.deep.include({ from: (await rowOf(open)).from, to: null })
    expect(found.map(({ user }) => user.id)).to.deep.equal(found.map(() => user_id))
    expect(found.map(({ bookable }) => bookable.location.building.id)).to.deep.equal(
      found.map(() => building),
    )
  })

  const rowOf = async (id: number) => {
    const { rows } = await world.database.raw(
      `SELECT to_char(lower(during) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "from" FROM bookings WHERE id = ?`,
      [id],
    )
    return rows[0]
  }

  it('lists only bookings that overlap the requested time, and none in the past', async () => {
    const [first, second, third] = [await book(desk, 1, 2), await book(desk, 2, 3), await book(desk, 3, 4)]
    const { from } = await rowOf(third)
    const { from: begin } = await rowOf(second)
    const ids = async (query: Record<string, string>) =>
      (await list(`bookables/${desk}`, query)).map(({ id }) => id)
    expect(await ids({ from: begin, to: from })).to.deep.equal([second])
    expect(await ids({ to: from })).to.deep.equal([first, second])
    expect(await ids({ from: begin })).to.deep.equal([second, third])
    expect(await ids({ from: hoursFromNow(-20), to: from })).to.deep.equal([first, second])
    expect(await ids({ from: hoursFromNow(-20), to: hoursFromNow(-10) })).to.deep.equal([])
    expect(await ids({ to: hoursFromNow(-10) })).to.deep.equal([])
  })

  it('is paginated, refuses invalid times, and answers 404 for unknown places', async () => {
    for (let hour = 1; hour < 6; hour++) await book(desk, hour, hour + 1)
    const whole = await list(`locations/${location}`)
    const pages: Item[] = []
    let next: string | undefined = `locations/${location}/in-the-way?limit=2`
    while (next) {
      const { json, headers }: Awaited<ReturnType<typeof client.get>> = await client.get(next)
      expect(json.data.length).to.be.at.most(2)
      pages.push(...json.data)
      next = /<[^>]*\/api\/v1\/([^>]+)>/.exec(headers.get('Link') ?? '')?.[1]
    }
    expect(pages).to.deep.equal(whole)
    const wrong = await client.get(
      `bookables/${desk}/in-the-way?from=${hoursFromNow(2)}&to=${hoursFromNow(1)}`,
    )
    expect([wrong.status, Object.keys(wrong.json.errors)]).to.deep.equal([422, ['to']])
    const deleted = await add({ deleted_at: new Date() })
    for (const path of [`bookables/${deleted}`, 'bookables/999999', 'locations/999999', 'buildings/none'])
      expect((await client.get(`${path}/in-the-way`)).status, path).to.equal(404)
  })

  it('lists exactly the bookings that are released when the place is then closed', async () => {
    const desks = [desk, await add(), await add()]
    const claim = fc.record({
      at: fc.nat({ max: 2 }),
      slot: fc.nat({ max: 11 }),
      hours: fc.constantFrom(1, 2),
      isEvent: fc.boolean(),
    })
    const times = fc.tuple(fc.nat({ max: 12 }), fc.integer({ min: 1, max: 12 }))
    await fc.assert(
      fc.asyncProperty(fc.array(claim, { maxLength: 12 }), times, async (claims, [begin, hours]) => {
        await world.database('bookings').whereIn('bookable_id', desks).delete()
        const taken = new Set<string>()
        for (const { at, slot, hours: lasts, isEvent } of claims) {
          // Creates slots of two hours, the first of which includes the current time.
          if (taken.has(`${at} ${slot}`)) continue
          taken.add(`${at} ${slot}`)
          const from = slot * 2 - 0.5
          if (isEvent) await meet(from, from + lasts, [desks[at] ?? 0])
          else await book(desks[at] ?? 0, from, from + lasts)
        }
        const closed = { from: hoursFromNow(begin * 2), to: hoursFromNow((begin + hours) * 2) }
        const { from, to } = closed
        const shown = said(await list(`locations/${location}`, { from, to })).map((each) =>
          each.replace(/ at \d+/, ''),
        )
        const requestId = randomUUID()
        const rules = { closed: [{ ...closed, reason: 'Moving' }] }
        const input = { id: location, rules, in_the_way: 'release' }
        const done = await admin.ask('locations.set-rules', input, { requestId })
        expect(done.status, JSON.stringify(done.json)).to.equal(200)
        const released = await world
          .database('changes')
          .where({ request_id: requestId, action: 'released' })
          .select('type', 'resource_id')
        expect(released.map(({ type, resource_id }) => `${type} ${resource_id}`)).to.have.members(shown)
        expect(await list(`locations/${location}`, { from, to })).to.deep.equal([])
        await admin.ask('locations.set-rules', { id: location, rules: {} })
      }),
      { numRuns: 12, endOnFailure: true },
    )
  })
})
