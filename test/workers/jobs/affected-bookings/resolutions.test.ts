// Tests the bookings affected when an administrator blocks, assigns, deletes or closes a place: they are reported,
// moved or released.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { JobName } from '../../../../shared/jobs/jobs.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createGroup,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('bookings that a change of a bookable affects', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let building_id: number
  let location_id: number
  let desk: number
  let user_id: number
  let future: { from: string; to: string }
  let closed: Array<{ from: string; to: string; reason: string }>

  beforeEach(async () => {
    future = { from: hoursFromNow(24), to: hoursFromNow(26) }
    closed = [{ from: hoursFromNow(20), to: hoursFromNow(30), reason: 'Moving' }]
    building_id = await createBuilding(world.database)
    location_id = await createLocation(world.database, { building_id })
    desk = await add({ name: 'Desk 1' })
    user_id = await createUser(world.database)
  })

  const add = (row: Record<string, unknown> = {}) => createBookable(world.database, { location_id, ...row })
  const book = (row: Record<string, unknown> = {}) =>
    createBooking(world.database, { bookable_id: desk, user_id, ...future, ...row })
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  const placeOf = async (id: number) => (await rowOf(id))?.bookable_id
  const isUntouched = async (id: number) => {
    const row = await rowOf(id)
    return row?.bookable_id === desk && row.updated_at === row.created_at
  }
  const meet = async (room: number, span = future) => {
    const event_id = await createEvent(world.database, { organizer_user_id: user_id, ...span })
    return { event_id, id: await createBooking(world.database, { bookable_id: room, event_id, ...span }) }
  }
  const block = (in_the_way: string, id = desk, requestId: string = randomUUID()) =>
    admin.ask('bookables.edit', { id, status: 1, in_the_way }, { requestId })

  for (const [name, start] of Object.entries({
    booking: () => book(),
    'room of an event': async () => (await meet(desk)).id,
  })) {
    it(`report the rule that forbids moving a ${name}, which an administrator may override`, async () => {
      const id = await start()
      const free = await add({ rules: JSON.stringify({ minutes_max: 60 }) })
      const { name: there } = await world.database('bookables').where({ id: free }).first()
      const refused = await block('move')
      expect(refused.json.detail).to.equal(
        `A rule forbids moving 1 booking of Desk 1: ${there} can be booked for at most 1 hour. Nothing was changed.`,
      )
      expect(await isUntouched(id)).to.equal(true)
      const requestId = randomUUID()
      expect((await block('move-overriding-rules', desk, requestId)).status).to.equal(200)
      expect(await placeOf(id)).to.equal(free)
      const [entry] = (await readAudit(world, requestId)).filter(({ action }) => /move/.test(action))
      expect(entry?.after).to.deep.include({ bookable_id: free, overridden_rules: ['too_long'] })
    })
  }

  it('are moved to a bookable without broken rules first, even a more distant one', async () => {
    const id = await book()
    await add({ rules: JSON.stringify({ minutes_max: 60 }) })
    const further = await add()
    expect((await block('move-or-release-overriding-rules')).status).to.equal(200)
    expect(await placeOf(id)).to.equal(further)
  })

  it('are reported if no bookable is free or a rule forbids the move', async () => {
    await book()
    await book({ from: future.to, to: hoursFromNow(28) })
    const there = await add({ name: 'Desk 2', rules: JSON.stringify({ minutes_max: 60 }) })
    await createBooking(world.database, { bookable_id: there, ...future })
    const { json } = await block('move')
    expect(json.detail).to.equal(
      'Nothing of the same type is free nearby for 1 booking of Desk 1. A rule forbids moving 1 booking of Desk 1: Desk 2 can be booked for at most 1 hour. Nothing was changed.',
    )
  })

  const writes: Record<string, (in_the_way: string) => Promise<[JobName, object]>> = {
    blocked: async (in_the_way) => ['bookables.edit', { id: desk, status: 1, in_the_way }],
    assigned: async (in_the_way) => [
      'bookables.assign',
      { id: desk, user_id: await createUser(world.database), in_the_way },
    ],
    deleted: async (in_the_way) => ['bookables.delete', { ids: [desk], in_the_way }],
    closed: async (in_the_way) => ['bookables.set-rules', { id: desk, rules: { closed }, in_the_way }],
    'closed with its location': async (in_the_way) => [
      'locations.set-rules',
      { id: location_id, rules: { closed }, in_the_way },
    ],
    'closed with its building': async (in_the_way) => [
      'buildings.set-rules',
      { id: building_id, rules: { closed }, in_the_way },
    ],
  }

  for (const [state, write] of Object.entries(writes)) {
    it(`are reported, including event rooms, before a bookable is ${state}`, async () => {
      const ids = [await book(), (await meet(desk, { from: future.to, to: hoursFromNow(28) })).id]
      await book({ from: hoursFromNow(-3), to: hoursFromNow(-2) })
      const asked = await admin.ask(...(await write('ask')))
      expect([asked.status, asked.json.code]).to.deep.equal([409, 'in_use'])
      expect(asked.json.detail).to.include('2 bookings conflict with this, including events: Desk 1.')
      for (const id of ids) expect(await isUntouched(id)).to.equal(true)
      const bookable = await world.database('bookables').where({ id: desk }).first()
      expect([bookable.status, bookable.rules, bookable.deleted_at]).to.deep.equal([0, null, null])
    })

    it(`are released if their bookable is ${state}, with an audit entry and a change`, async () => {
      const [booking, meeting] = [await book(), await meet(desk, { from: future.to, to: hoursFromNow(28) })]
      const requestId = randomUUID()
      const done = await admin.ask(...(await write('release')), { requestId })
      expect(done.status, JSON.stringify(done.json)).to.equal(200)
      expect(await rowOf(booking)).to.equal(undefined)
      expect(await rowOf(meeting.id)).to.equal(undefined)
      const log = await readAudit(world, requestId)
      expect(log.slice(0, 2).map(({ action, resource_id }) => [action, resource_id])).to.deep.equal([
        ['bookings.clear', booking],
        ['events.clear-room', meeting.event_id],
      ])
      expect(log[0].before).to.include({ id: booking, bookable_id: desk })
      const changes = await world.database('changes').where({ request_id: requestId }).orderBy('sequence')
      expect(
        changes.slice(0, 2).map(({ type, action, resource_id }) => [type, action, resource_id]),
      ).to.deep.equal([
        ['booking', 'released', booking],
        ['event', 'released', meeting.event_id],
      ])
    })

    it(`are not reported if nobody has booked the bookable that is ${state}`, async () => {
      await book({ from: hoursFromNow(-3), to: hoursFromNow(-2) })
      const done = await admin.ask(...(await write('ask')))
      expect(done.status, JSON.stringify(done.json)).to.equal(200)
    })
  }

  it('move to the nearest bookable that rules allow, and keep their ids', async () => {
    const upstairs = await createLocation(world.database, { building_id })
    const above = await add({ location_id: upstairs })
    await add({ name: 'Blocked', status: 1 })
    await add({ name: 'Deleted', deleted_at: new Date() })
    await add({ name: 'Of others', status: 2 })
    await add({ name: 'Room', type: 2 })
    await add({ name: 'Closed', rules: JSON.stringify({ closed }) })
    await add({
      name: 'For others',
      rules: JSON.stringify({ group_ids: [await createGroup(world.database)] }),
    })
    await add({ name: 'With a vehicle', requires_vehicle: true })
    await createBooking(world.database, { bookable_id: await add({ name: 'Taken' }), ...future })
    const free = await add({ name: 'Free' })
    const [first, second] = [await book(), await book({ from: future.to, to: hoursFromNow(27) })]
    const third = await book({ from: hoursFromNow(48), to: hoursFromNow(50) })
    await createBooking(world.database, { bookable_id: free, from: hoursFromNow(49), to: hoursFromNow(60) })
    const requestId = randomUUID()
    const done = await block('move', desk, requestId)
    expect(done.status, JSON.stringify(done.json)).to.equal(200)
    expect(await placeOf(first)).to.equal(free)
    // The bookable is free at the time. Its bookings at other times do not matter.
    const taken = await world.database('bookables').where({ location_id, name: 'Taken' }).first()
    expect([taken.id, free]).to.include(await placeOf(second))
    const closedBefore = await world.database('bookables').where({ location_id, name: 'Closed' }).first()
    expect(await placeOf(third)).to.equal(closedBefore.id)
    expect(await placeOf(third)).to.not.equal(above)
    const log = await readAudit(world, requestId)
    expect(log.map(({ action }) => action)).to.deep.equal([
      'bookings.move',
      'bookings.move',
      'bookings.move',
      'bookables.edit',
    ])
    expect([log[0].before.bookable_id, log[0].after.bookable_id]).to.deep.equal([desk, free])
    const changes = await world.database('changes').where({ request_id: requestId, type: 'booking' })
    expect(changes.map(({ action }) => action)).to.deep.equal(['updated', 'updated', 'updated'])
  })

  it('move to another location if their own is full, but stay in the building', async () => {
    await add({ location_id: await createLocation(world.database) })
    const id = await book()
    expect((await block('move')).json.code).to.equal('in_use')
    expect(await isUntouched(id)).to.equal(true)
    const upstairs = await createLocation(world.database, { building_id })
    const above = await add({ location_id: upstairs })
    expect((await block('move')).status).to.equal(200)
    expect(await placeOf(id)).to.equal(above)
  })

  it('are all moved or none, unless the administrator releases the rest', async () => {
    const other = await add({ name: 'Desk 2' })
    const [fits, does] = [await book(), await book({ from: hoursFromNow(30), to: hoursFromNow(32) })]
    await createBooking(world.database, { bookable_id: other, from: hoursFromNow(31), to: null })
    const refused = await block('move')
    expect([refused.status, refused.json.code]).to.deep.equal([409, 'in_use'])
    expect(refused.json.detail).to.include('Nothing of the same type is free nearby for 1 booking of Desk 1')
    for (const id of [fits, does]) expect(await isUntouched(id)).to.equal(true)
    const requestId = randomUUID()
    expect((await block('move-or-release', desk, requestId)).status).to.equal(200)
    expect(await placeOf(fits)).to.equal(other)
    expect(await rowOf(does)).to.equal(undefined)
    expect((await readAudit(world, requestId)).map(({ action }) => action)).to.deep.equal([
      'bookings.move',
      'bookings.clear',
      'bookables.edit',
    ])
  })

  it('end when the closed time begins, or now if the bookable is blocked', async () => {
    const running = await book({ from: hoursFromNow(-2), to: hoursFromNow(3) })
    const rules = { closed: [{ from: hoursFromNow(1), to: hoursFromNow(20), reason: 'r' }] }
    const set = { id: desk, rules, in_the_way: 'release' }
    expect((await admin.ask('bookables.set-rules', set)).status).to.equal(200)
    const endOf = async (id: number) => {
      const { rows } = await world.database.raw('SELECT upper(during) AS "to" FROM bookings WHERE id = ?', [
        id,
      ])
      return rows[0] && new Date(rows[0].to).toISOString()
    }
    expect(await endOf(running)).to.equal(hoursFromNow(1))
    const before = Date.now()
    const now = await createBooking(world.database, {
      bookable_id: await add(),
      from: hoursFromNow(-2),
      to: null,
    })
    const { bookable_id } = await rowOf(now)
    expect((await block('release', bookable_id)).status).to.equal(200)
    expect(Date.parse((await endOf(now)) ?? '')).to.be.within(before, Date.now())
  })

  describe('affected bookings that continue after a closed day', () => {
    const day = { from: hoursFromNow(30), to: hoursFromNow(54), reason: 'Holiday' }
    const close = (requestId: string) =>
      admin.ask(
        'locations.set-rules',
        { id: location_id, rules: { closed: [day] }, in_the_way: 'release' },
        { requestId },
      )
    const spansOf = async (bookable_id: number) => {
      const { rows } = await world.database.raw(
        `SELECT id, user_id, lower(during) AS "from", upper(during) AS "to", booking_info
         FROM bookings WHERE bookable_id = ? ORDER BY during`,
        [bookable_id],
      )
      return rows.map(({ from, to, ...row }: { from: string; to: string | null }) => ({
        ...row,
        from: new Date(from).toISOString(),
        to: to && new Date(to).toISOString(),
      }))
    }

    it('lose only the closed day, whether they have an end or not', async () => {
      const weeks = await add()
      const from = hoursFromNow(1)
      const open = await book({ from, to: null, booking_info: 'for good' })
      const long = await book({ bookable_id: weeks, from, to: hoursFromNow(200) })
      const requestId = randomUUID()
      const done = await close(requestId)
      expect(done.status, JSON.stringify(done.json)).to.equal(200)
      const [before, after] = await spansOf(desk)
      expect(before).to.deep.equal({ id: open, user_id, from, to: day.from, booking_info: 'for good' })
      expect(after).to.deep.equal({
        id: after.id,
        user_id,
        from: day.to,
        to: null,
        booking_info: 'for good',
      })
      expect((await spansOf(weeks)).map(({ to }: { to: string }) => to)).to.deep.equal([
        day.from,
        hoursFromNow(200),
      ])
      const entries = await readAudit(world, requestId)
      const of = (id: number) =>
        entries.filter((entry) => entry.resource_id === id).map(({ action }) => action)
      expect([of(open), of(long), of(after.id)]).to.deep.equal([
        ['bookings.clear'],
        ['bookings.clear'],
        ['bookings.create'],
      ])
      const changes = await world.database('changes').where({ request_id: requestId, type: 'booking' })
      const said = (id: number) =>
        changes.filter(({ resource_id }) => resource_id === id).map(({ action }) => action)
      expect([said(open), said(after.id)]).to.deep.equal([['released'], ['created']])
    })

    it('start after the closed day if they would start on that day', async () => {
      const id = await book({ from: hoursFromNow(31), to: null })
      await close(randomUUID())
      expect(await spansOf(desk)).to.deep.equal([{ id, user_id, from: day.to, to: null, booking_info: null }])
    })

    it('stay unchanged if they are in a home office of the building', async () => {
      const home = await add({ type: 3 })
      const open = { from: hoursFromNow(1), to: null }
      const id = await book({ bookable_id: home, ...open, exclusive: false })
      await book(open)
      const closing = { id: building_id, rules: { closed: [day] }, in_the_way: 'release' }
      expect((await admin.ask('buildings.set-rules', closing)).status).to.equal(200)
      const row = await rowOf(id)
      expect(row.updated_at).to.equal(row.created_at)
      const spans = (await spansOf(desk)).map(({ from, to }: { from: string; to: string | null }) => ({
        from,
        to,
      }))
      expect(spans).to.deep.equal([
        { from: open.from, to: day.from },
        { from: day.to, to: null },
      ])
    })

    it('lose the room for good if they are events', async () => {
      const room = await add({ type: 2 })
      const span = { from: hoursFromNow(1), to: hoursFromNow(100) }
      const { event_id } = await meet(room, span)
      await close(randomUUID())
      const rows = await world.database('bookings').where({ event_id })
      expect(rows).to.have.length(1)
      expect((await spansOf(room))[0].to).to.equal(day.from)
    })
  })

  it('exclude bookings of the person to whom the bookable is assigned', async () => {
    const own = await book()
    const other = await book({
      user_id: await createUser(world.database),
      from: future.to,
      to: hoursFromNow(27),
    })
    const done = await admin.ask('bookables.assign', { id: desk, user_id, in_the_way: 'release' })
    expect(done.status, JSON.stringify(done.json)).to.equal(200)
    expect(await isUntouched(own)).to.equal(true)
    expect(await rowOf(other)).to.equal(undefined)
  })

  it('exclude bookings outside the closed times, and bookings in times that were already closed', async () => {
    const [beside, within] = [await book({ from: hoursFromNow(40), to: hoursFromNow(41) }), await book()]
    const set = (in_the_way: string, times = closed) =>
      admin.ask('bookables.set-rules', { id: desk, rules: { closed: times }, in_the_way })
    expect((await set('leave')).status).to.equal(200)
    expect((await set('ask')).status).to.equal(200)
    const more = [...closed, { from: hoursFromNow(50), to: hoursFromNow(51), reason: 'r' }]
    expect((await set('release', more)).status).to.equal(200)
    for (const id of [beside, within]) expect(await isUntouched(id)).to.equal(true)
  })

  it('move only if they pass all checks, such as vehicles, deactivated people and limits', async () => {
    const parking = await add({ type: 1 })
    const spot = await add({ type: 1, requires_vehicle: true })
    const bare = await book({ bookable_id: parking })
    expect((await block('move', parking)).json.code).to.equal('in_use')
    const vehicle_id = await createVehicle(world.database, { user_id, license_plate: 'B-ER 1' })
    await world.database('bookings').where({ id: bare }).update({ vehicle_id, license_plate: 'B-ER 1' })
    expect((await block('move', parking)).status).to.equal(200)
    expect(await placeOf(bare)).to.equal(spot)

    await add()
    const gone = await createUser(world.database)
    const left = await book({ user_id: gone })
    await world.database('users').where({ id: gone }).update({ deactivated_at: new Date() })
    expect((await block('move')).json.code).to.equal('in_use')
    expect(await isUntouched(left)).to.equal(true)
    await world.database('bookings').where({ id: left }).delete()

    const rules = JSON.stringify({ bookings_ahead_max: 1 })
    await world.database('bookables').where({ location_id, type: 0 }).whereNot({ id: desk }).update({ rules })
    const two = [await book(), await book({ from: future.to, to: hoursFromNow(27) })]
    expect((await block('move')).json.detail).to.include(
      'A rule forbids moving 1 booking of Desk 1: A user can have',
    )
    expect((await block('move-or-release')).status).to.equal(200)
    const kept = (await Promise.all(two.map(rowOf))).filter(Boolean)
    expect(kept.map(({ bookable_id }) => bookable_id))
      .to.have.length(1)
      .and.not.include(desk)
  })

  it('move to a room that is not smaller if they are events', async () => {
    const [room] = [await add({ type: 2, capacity: 8 }), await add({ type: 2, capacity: 4 })]
    const large = await add({ type: 2, capacity: 12 })
    const { id, event_id } = await meet(room)
    const requestId = randomUUID()
    const done = await admin.ask('bookables.delete', { ids: [room], in_the_way: 'move' }, { requestId })
    expect(done.status, JSON.stringify(done.json)).to.equal(200)
    expect(await placeOf(id)).to.equal(large)
    const [entry] = await readAudit(world, requestId)
    expect([entry.action, entry.resource_id]).to.deep.equal(['events.move-room', event_id])
    const [change] = await world.database('changes').where({ request_id: requestId, type: 'event' })
    const { bookables } = JSON.parse(change.data)
    expect(bookables.map((each: { id: number }) => each.id)).to.deep.equal([large])
  })

  it('never move to a bookable that the same write deletes', async () => {
    const second = await add({ name: 'Desk 2' })
    const third = await add({ name: 'Desk 3' })
    const ids = [await book(), await book({ bookable_id: second, from: future.to, to: hoursFromNow(27) })]
    const taken = { ids: [desk, second], in_the_way: 'move' }
    expect((await admin.ask('bookables.delete', taken)).status).to.equal(200)
    expect(await Promise.all(ids.map(placeOf))).to.deep.equal([third, third])
  })

  it('stay if the administrator makes no choice, but then prevent a deletion or an assignment', async () => {
    const id = await book()
    expect((await admin.ask('bookables.delete', { ids: [desk] })).json.code).to.equal('in_use')
    const other = await createUser(world.database)
    expect((await admin.ask('bookables.assign', { id: desk, user_id: other })).json.code).to.equal('in_use')
    expect((await admin.ask('bookables.edit', { id: desk, status: 1 })).status).to.equal(200)
    expect(await isUntouched(id)).to.equal(true)
    expect((await block('ask')).status, 'it is blocked already').to.equal(200)
  })
})
