// Tests that the calendar of a room becomes due as soon as its claims change, and that what was refused is tried again.
import { expect } from 'chai'
import { message } from '../../../../shared/messages/message.ts'
import { followOutbox } from '../../../../workers/calendars/writing/follow-outbox.ts'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'
import { addEntry, createRoom, type TestRoom } from './room-of-test.ts'

const WAITING_FOR_A_ROW =
  "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE room_calendars%'"
const LATER = '2100-01-01T00:00:00.000Z'

describe('following the outbox for calendars', function suite() {
  this.timeout(60_000)
  const world = useWorld()
  const client = useClient(world)
  let room: TestRoom
  let other: TestRoom
  const lots: TestRoom[] = []

  const link = async () => {
    const created = await createRoom(world.database)
    lots.push(created)
    return created
  }
  const unlinkAll = async () => {
    await world.database('room_calendars').delete()
    lots.length = 0
  }
  beforeEach(async () => {
    await unlinkAll()
    room = await link()
    other = await link()
    await follow()
    await settle()
  })

  /** Follows until there is nothing left. Other databases of the server may hold back what is new. */
  const follow = async () => {
    while (await followOutbox({ database: world.database }, () => false));
  }
  const settle = () => world.database('room_calendars').update({ next_write_at: LATER })
  const listDue = async () => {
    await follow()
    const due = await world
      .database('room_calendars')
      .where('next_write_at', '<', LATER)
      .orderBy('bookable_id')
      .pluck('bookable_id')
    return due as number[]
  }
  const expectDue = (...rooms: TestRoom[]) =>
    eventually(async () => expect(await listDue()).to.deep.equal(rooms.map(({ bookableId }) => bookableId)))
  const position = () => world.database('calendar_position').first()

  const book = async ({ bookableId, locationId }: Pick<TestRoom, 'bookableId' | 'locationId'>, hours = 1) => {
    const { user_id } = await createDesk(world.database)
    const times = { from_time: hoursFromNow(hours), to_time: hoursFromNow(hours + 1) }
    const place = { bookable_id: bookableId, location_id: locationId }
    const { json, status, text } = await client.post('bookings', { ...place, user_id, ...times })
    expect(status, text).to.be.oneOf([200, 201])
    return { id: json.data[0].id as number, user_id }
  }
  const addConflict = async ({ bookableId }: TestRoom, row: Record<string, unknown> = {}) => {
    const id = await addEntry(world.database, room, { conflict: { message: message`No.`, free_rooms: [] } })
    await world
      .database('calendar_entries')
      .where({ id })
      .update({
        bookable_id: bookableId,
        during: world.database.raw('tstzrange(?, ?)', [hoursFromNow(1), hoursFromNow(2)]),
        ...row,
      })
    return id
  }
  const listPending = () =>
    world.database('calendar_entries').whereNotNull('pending_since').orderBy('id').pluck('id')

  it('makes the calendar of a room due that is booked, changed or released, and no other', async () => {
    const { id } = await book(room)
    await expectDue(room)
    await settle()
    await client.patch(`bookings/${id}`, { to_time: hoursFromNow(3) })
    await expectDue(room)
    await settle()
    await client.delete(`bookings/${id}`)
    await expectDue(room)
    await settle()
    const desk = await createDesk(world.database)
    await book({ bookableId: desk.bookable_id, locationId: desk.location_id })
    await expectDue()
  })

  it('makes the calendars of all rooms of an event due, also when it is cancelled', async () => {
    const { user_id } = await createDesk(world.database)
    const { json, status, text } = await client.post('events', {
      name: 'Planning',
      from_time: hoursFromNow(5),
      to_time: hoursFromNow(6),
      organizer_user_id: user_id,
      attendees: [room, other].map(({ bookableId }) => ({ type: 'bookable', id: String(bookableId) })),
    })
    expect(status, text).to.equal(200)
    await expectDue(room, other)
    await settle()
    await client.delete(`events/${json.data.id}`)
    await expectDue(room, other)
  })

  it('makes the calendars due that name a person who changes', async () => {
    const { user_id } = await book(room)
    await expectDue(room)
    await settle()
    await client.patch(`users/${user_id}`, { name: 'New Name' })
    await expectDue(room)
  })

  it('makes a calendar due at once, and never later than it is', async () => {
    const soon = '2001-01-01T00:00:00.000Z'
    await world.database('room_calendars').update({ next_write_at: soon })
    await book(room)
    await eventually(async () => {
      await follow()
      expect(Number((await position()).sequence)).to.be.greaterThan(0)
    })
    const times = await world.database('room_calendars').pluck('next_write_at')
    expect(times.map((time) => new Date(time).toISOString())).to.deep.equal([soon, soon])
  })

  it('tries again what was refused once its time is free, and leaves what was declined', async () => {
    const { id } = await book(room)
    await expectDue(room)
    await settle()
    const refused = await addConflict(room)
    await addConflict(room, { decline: 'declined' })
    await addConflict(room, { conflict: { message: message`Moved.`, free_rooms: [], reason: 'moved' } })
    await addConflict(other)
    const impossible = await addConflict(room, { decline: 'impossible' })
    await book(room, 8)
    await expectDue(room)
    expect(await listPending()).to.deep.equal([])
    await client.delete(`bookings/${id}`)
    await eventually(async () => {
      await follow()
      expect(await listPending()).to.deep.equal([refused, impossible])
    })
    const [row] = await world.database('calendar_entries').where({ id: refused })
    expect(row).to.include({ revision: 1, queued_at: null })
  })

  it('tries again what was refused for any reason once the place has changed', async () => {
    await book(room)
    const refused = await addConflict(room)
    await addConflict(other)
    await client.patch(`bookables/${room.bookableId}`, { name: 'Lagoon' })
    await eventually(async () => {
      await follow()
      expect(await listPending()).to.deep.equal([refused])
    })
  })

  it('does nothing while no room is linked, and compares every calendar afterwards', async () => {
    await unlinkAll()
    const before = await position()
    await book(room)
    await follow()
    expect(await position()).to.deep.equal(before)
    room = await link()
    await settle()
    // Nobody has followed for long.
    await world
      .database('calendar_position')
      .update({ at: world.database.raw("now() - interval '20 hours'") })
    await world.database('changes').update({ at: world.database.raw("at - interval '2 hours'") })
    await expectDue(room)
    await settle()
    expect(await listDue()).to.deep.equal([])
  })

  it('lets only one process follow at a time', async () => {
    await book(room)
    const holding = await world.database.transaction()
    await holding.raw('SELECT pg_advisory_xact_lock(7301156)')
    expect(await listDue()).to.deep.equal([])
    await holding.rollback()
    await expectDue(room)
  })

  it('waits only briefly for a calendar that another transaction keeps locked, and misses no change', async () => {
    await book(room)
    await book(other)
    const locking = await world.database.transaction()
    await locking('room_calendars').where('bookable_id', other.bookableId).forUpdate()
    let hasWaited = false
    const following = (async () => {
      while (!hasWaited) expect(await followOutbox({ database: world.database }, () => false)).to.equal(false)
    })()
    await eventually(async () => {
      const { rows } = await world.database.raw(WAITING_FOR_A_ROW)
      expect(rows).to.have.length(1)
    })
    hasWaited = true
    await following
    expect(await listDue()).to.deep.equal([])
    await locking.rollback()
    await expectDue(room, other)
  })

  it('stops between two pages', async () => {
    await book(room)
    expect(await followOutbox({ database: world.database }, () => true)).to.equal(false)
    await expectDue(room)
  })
})
