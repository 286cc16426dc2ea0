// Tests entries whose time is not free: why Berth refuses them, what happens to their event, and meetings in several rooms.
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import {
  applyEntry,
  changeEntry,
  createLinkedRoom,
  insertEntry,
  person,
  readEntry,
} from '../../../support/calendars/entries.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBooking,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { itInParallel } from '../../../support/parallel-tests.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const ADA = 'ada@calendars.example'
const CANCELLED = 2

describe('an entry in the calendar of a room that is not free', () => {
  const world = useWorld({ workers: ['writes'] })
  const admin = useAdmin(world)
  const client = useClient(world)
  const apply = (id: number, options = {}) => applyEntry(world, admin, id, options)
  const room = (row = {}) => createLinkedRoom(world.database, row)
  const span = (from = 24, to = from + 1) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
  const fields = { ...span(), organizer: person(ADA) }
  const claimsOf = (bookable_id: number) =>
    world.database('bookings').where({ bookable_id }).orderBy('id').select('event_id', 'user_id')
  const eventsOf = async (bookable_id: number) =>
    (await claimsOf(bookable_id)).map(({ event_id }) => event_id)
  const readEvent = (id: number) => world.database('events').where({ id }).first()
  const roomsOf = (event_id: number) =>
    world.database('bookings').where({ event_id }).orderBy('bookable_id').pluck('bookable_id')
  before(() => createUser(world.database, { email: ADA }))

  it('is a conflict that says why, names up to three free rooms, and keeps what is needed to try again', async () => {
    const location_id = await createLocation(world.database)
    const [bookable, ...others] = [
      await room({ location_id, name: 'Quay' }),
      await room({ location_id, name: 'Pier' }),
      await room({ location_id, name: 'Dock' }),
    ]
    await createBooking(world.database, { bookable_id: bookable, ...span() })
    const id = await insertEntry(world.database, bookable, fields)
    const row = await apply(id)
    expect(row).to.include({ event_id: null, pending_since: null, decline: null })
    expect(row['conflict'].message).to.deep.include({ text: '{0} is taken {1}.' })
    expect(row['conflict'].message.values[0]).to.equal('Quay')
    expect(row['conflict'].free_rooms).to.deep.equal([
      { id: others[0], name: 'Pier' },
      { id: others[1], name: 'Dock' },
    ])
    expect(row['conflict_since']).not.to.equal(null)
    expect(row['seen']).to.deep.include({ title: 'Harbour plans', organizer: person(ADA) })
    expect(row['base']).to.deep.include({ title: '', organizer: null, digest: row['seen'].digest })
    const { next_write_at: due } = await world
      .database('room_calendars')
      .where({ bookable_id: bookable })
      .first()
    expect(due).not.to.equal(null)
  })

  it('becomes an event when the room is free and it is tried again', async () => {
    const bookable = await room()
    const booking = await createBooking(world.database, { bookable_id: bookable, ...span() })
    const id = await insertEntry(world.database, bookable, fields)
    await apply(id)
    await world.database('calendar_entries').where({ id }).update({ decline: 'impossible' })
    const again = () =>
      world.database('calendar_entries').where({ id }).update({ pending_since: new Date(), revision: 2 })
    await again()
    expect(await apply(id), 'organizers are not told twice').to.include({ decline: 'impossible' })
    await world.database('bookings').where({ id: booking }).delete()
    await again()
    const row = await apply(id)
    expect(row).to.include({ conflict: null, conflict_since: null })
    expect(row['seen']).to.deep.include({ title: '', organizer: null })
    expect(await eventsOf(bookable)).to.deep.equal([row['event_id']])
    expect((await readEvent(row['event_id'])).name).to.equal('Harbour plans')
  })

  it('keeps nothing of a private entry in the conflict', async () => {
    const bookable = await room()
    await createBooking(world.database, { bookable_id: bookable, ...span() })
    const row = await apply(await insertEntry(world.database, bookable, { ...fields, isPrivate: true }))
    expect(row['seen']).to.deep.include({ title: '', organizer: null, attendees: [] })
    expect(row['conflict']).not.to.equal(null)
  })

  it('is refused anew, and declined anew, if somebody moves it to another time that is taken', async () => {
    const bookable = await room()
    await createBooking(world.database, { bookable_id: bookable, ...span(24, 30) })
    const id = await insertEntry(world.database, bookable, fields)
    await apply(id)
    await world.database('calendar_entries').where({ id }).update({ decline: 'declined' })
    await changeEntry(world.database, id, { ...fields, ...span(26) })
    const row = await apply(id)
    expect([row['decline'], row['conflict'] === null]).to.deep.equal([null, false])
    await changeEntry(world.database, id, { ...fields, ...span(26), isDeclined: true })
    expect(await apply(id)).to.include({ conflict: null, event_id: null })
  })

  it('is not declined again and again if another program keeps accepting it', async () => {
    const bookable = await room()
    await createBooking(world.database, { bookable_id: bookable, ...span() })
    const id = await insertEntry(world.database, bookable, fields)
    await apply(id)
    const acceptAgain = async () => {
      await world.database('calendar_entries').where({ id }).update({ decline: 'declined' })
      await changeEntry(world.database, id, { ...fields, isDeclined: true })
      await apply(id)
      await changeEntry(world.database, id, fields)
      return (await apply(id))['decline']
    }
    for (let times = 0; times < 5; times++) expect(await acceptAgain()).to.equal(null)
    expect(await acceptAgain()).to.equal('impossible')
    expect((await readEntry(world.database, id))['conflict']).not.to.equal(null)
  })

  it('loses its event if its new time is taken, and gets one again at the next time that is free', async () => {
    const bookable = await room()
    await createBooking(world.database, { bookable_id: bookable, ...span(30) })
    const id = await insertEntry(world.database, bookable, fields)
    const { event_id: event } = await apply(id)
    await changeEntry(world.database, id, { ...fields, ...span(30) })
    const row = await apply(id)
    expect([row['event_id'], row['conflict'] === null]).to.deep.equal([null, false])
    expect([(await readEvent(event)).status, (await claimsOf(bookable)).length]).to.deep.equal([CANCELLED, 1])
    await changeEntry(world.database, id, { ...fields, ...span(32) })
    const { event_id: again, conflict } = await apply(id)
    expect(conflict).to.equal(null)
    expect(await eventsOf(bookable)).to.deep.equal([null, again])
  })

  itInParallel({
    'is a conflict with free rooms in a room that is blocked': async () => {
      const location_id = await createLocation(world.database)
      const bookable = await room({ location_id, status: 1, name: 'Quay' })
      const free = await room({ location_id, name: 'Pier' })
      const { conflict } = await apply(await insertEntry(world.database, bookable, fields))
      expect(conflict.message).to.deep.equal({ text: '{0} is blocked.', values: ['Quay'] })
      expect(conflict.free_rooms).to.deep.equal([{ id: free, name: 'Pier' }])
    },
    'is a conflict in a room that is assigned to somebody else': async () => {
      const bookable = await room({ status: 2 })
      const user_id = await createUser(world.database)
      await world.database('bookable_assignees').insert({ bookable_id: bookable, user_id })
      expect((await apply(await insertEntry(world.database, bookable, fields)))['conflict']).not.to.equal(
        null,
      )
    },
    'is a conflict in a room that has been deleted': async () => {
      const bookable = await room({ deleted_at: new Date() })
      expect((await apply(await insertEntry(world.database, bookable, fields)))['conflict']).not.to.equal(
        null,
      )
    },
    'breaks the rules of the room, unless the rules hold for what comes from a calendar': async () => {
      const rules = JSON.stringify({ minutes_max: 30 })
      const [one, other] = [await room({ rules }), await room({ rules })]
      const free = await apply(await insertEntry(world.database, one, fields))
      expect(await eventsOf(one)).to.deep.equal([free['event_id']])
      const [entry] = await world
        .database('audit_log')
        .where({ resource: 'events', resource_id: free['event_id'] })
      expect(entry.after.overridden_rules).to.deep.equal(['too_long'])
      const { conflict } = await apply(await insertEntry(world.database, other, fields), {
        appliesRules: true,
      })
      expect(conflict).not.to.equal(null)
      expect(await claimsOf(other)).to.deep.equal([])
    },
    'is a conflict beside another entry for the same time, until that is gone': async () => {
      const bookable = await room()
      const ids = [
        await insertEntry(world.database, bookable, fields),
        await insertEntry(world.database, bookable, fields),
      ]
      const rows = await Promise.all(ids.map((id) => apply(id)))
      expect(rows.filter(({ conflict }) => conflict === null)).to.have.length(1)
      expect(await claimsOf(bookable)).to.have.length(1)
      const [held, refused] = [...rows].sort((one) => (one['conflict'] === null ? -1 : 1)).map(({ id }) => id)
      await changeEntry(world.database, held ?? 0, { ...fields, isGone: true })
      await apply(held ?? 0)
      await world.database('calendar_entries').where({ id: refused }).update({ pending_since: new Date() })
      const { event_id: event } = await apply(refused ?? 0)
      expect(await eventsOf(bookable)).to.deep.equal([event])
    },
    'never takes a time that is booked over the API at the same moment, nor loses it to that': async () => {
      const location_id = await createLocation(world.database)
      const bookable = await room({ location_id })
      const user_id = await createUser(world.database)
      const hours = Array.from({ length: 12 }, (_, index) => 100 + index)
      for (const hour of hours) {
        const id = await insertEntry(world.database, bookable, { ...fields, ...span(hour) })
        const { from, to } = span(hour)
        const [row, answer] = await Promise.all([
          apply(id),
          client.post('bookings', {
            bookable_id: bookable,
            location_id,
            user_id,
            from_time: from,
            to_time: to,
          }),
        ])
        // 503: a busy machine has not booked.
        expect(answer.status).to.be.oneOf([200, 409, 503])
        expect(row['conflict'] === null, `booked: ${answer.status}`).to.equal(answer.status !== 200)
        expect(row['event_id'] === null).to.equal(answer.status === 200)
      }
      expect(await claimsOf(bookable)).to.have.length(hours.length)
    },
  })

  describe('of a meeting in several rooms', () => {
    const UIDS = { next: 0 }
    async function createMeeting() {
      const [one, two] = [await room(), await room()]
      const uid = `meeting-${++UIDS.next}@calendars.example`
      const ids = [
        await insertEntry(world.database, one, fields, { uid }),
        await insertEntry(world.database, two, fields, { uid }),
      ] as const
      return { one, two, uid, ids }
    }
    const applyBoth = (ids: readonly number[]) => Promise.all(ids.map((id) => apply(id)))

    it('is one event with all rooms, also if both calendars are applied at the same moment', async () => {
      const { one, two, ids } = await createMeeting()
      const [first, second] = await applyBoth(ids)
      expect(first?.['event_id']).to.equal(second?.['event_id'])
      expect(await roomsOf(first?.['event_id'])).to.deep.equal([one, two])
    })

    it('moves once, with all rooms, when both calendars say so', async () => {
      const { one, two, ids } = await createMeeting()
      const [row] = await applyBoth(ids)
      const event = row?.['event_id']
      for (const id of ids) await changeEntry(world.database, id, { ...fields, ...span(30) })
      await apply(ids[0])
      expect(await roomsOf(event)).to.deep.equal([one, two])
      await apply(ids[1])
      expect(await roomsOf(event)).to.deep.equal([one, two])
      const changes = await world
        .database('changes')
        .where({ type: 'event', resource_id: event })
        .orderBy('sequence')
        .pluck('action')
      expect(changes).to.deep.equal(['created', 'updated', 'updated'])
    })

    it('is not declined in a calendar that has not been read since the meeting moved in another one', async () => {
      const { ids } = await createMeeting()
      await applyBoth(ids)
      await changeEntry(world.database, ids[0], { ...fields, ...span(30) })
      await apply(ids[0])
      const waiting = await readEntry(world.database, ids[1])
      expect(Date.parse(waiting['next_write_at'])).to.be.above(Date.now() + 60_000)
      await changeEntry(world.database, ids[1], { ...fields, ...span(30) })
      expect((await apply(ids[1]))['next_write_at']).to.equal(null)
    })

    it('splits if it cannot move with all rooms, and each room then has an event of its own', async () => {
      const { one, two, ids } = await createMeeting()
      const [row] = await applyBoth(ids)
      const event = row?.['event_id']
      const booking = await createBooking(world.database, { bookable_id: two, ...span(30) })
      for (const id of ids) await changeEntry(world.database, id, { ...fields, ...span(30) })
      const { event_id: moved, conflict } = await apply(ids[0])
      expect([moved === event, conflict]).to.deep.equal([false, null])
      expect([await roomsOf(event), await roomsOf(moved)]).to.deep.equal([[two], [one]])
      const refused = await apply(ids[1])
      expect([refused['event_id'], refused['conflict'] === null]).to.deep.equal([null, false])
      expect((await readEvent(event)).status).to.equal(CANCELLED)
      await world.database('bookings').where({ id: booking }).delete()
      await world.database('calendar_entries').where({ id: ids[1] }).update({ pending_since: new Date() })
      expect((await apply(ids[1]))['event_id']).to.equal(moved)
      expect(await roomsOf(moved)).to.deep.equal([one, two])
    })

    it('keeps the event in its other room when one calendar no longer has it', async () => {
      const { two, ids } = await createMeeting()
      const [row] = await applyBoth(ids)
      const event = row?.['event_id']
      await changeEntry(world.database, ids[0], { ...fields, isGone: true })
      expect((await apply(ids[0]))['event_id']).to.equal(null)
      expect(await roomsOf(event)).to.deep.equal([two])
      await changeEntry(world.database, ids[1], { ...fields, isGone: true })
      await apply(ids[1])
      expect((await readEvent(event)).status).to.equal(CANCELLED)
    })

    it('is a conflict only in the room that is taken', async () => {
      const { one, two, ids } = await createMeeting()
      await createBooking(world.database, { bookable_id: two, ...span() })
      const [held, refused] = await applyBoth(ids)
      expect(await roomsOf(held?.['event_id'])).to.deep.equal([one])
      expect(refused?.['conflict']).not.to.equal(null)
    })

    it('stays private in all rooms if it is private in one of the calendars', async () => {
      const { ids } = await createMeeting()
      await apply(ids[0])
      await changeEntry(world.database, ids[1], { ...fields, isPrivate: true })
      const { event_id: event } = await apply(ids[1])
      expect((await readEvent(event)).name).to.equal('Private')
      await changeEntry(world.database, ids[0], { ...fields, title: 'Secret' })
      await apply(ids[0])
      expect((await readEvent(event)).name).to.equal('Private')
    })

    it('does not deadlock with other writes of the same rooms', async () => {
      const meetings = [await createMeeting(), await createMeeting(), await createMeeting()]
      for (const { ids } of meetings) await applyBoth(ids)
      const organizer_user_id = await createUser(world.database)
      const rooms = meetings.flatMap(({ one, two }) => [two, one])
      const others = await createEvent(world.database, { ...span(80), organizer_user_id })
      const countDeadlocks = async () => {
        const sql = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'
        return Number((await world.database.raw(sql)).rows[0].deadlocks)
      }
      const before = await countDeadlocks()
      for (let round = 0; round < 4; round++) {
        for (const { ids } of meetings)
          for (const id of ids) await changeEntry(world.database, id, { ...fields, ...span(40 + round) })
        const attendees = rooms.map((id) => ({ type: 'bookable', id }))
        const moved = { from_time: hoursFromNow(80 + round), to_time: hoursFromNow(81 + round), attendees }
        await Promise.all([
          ...meetings.flatMap(({ ids }) => ids.map((id) => apply(id))),
          client.patch(`events/${others}`, moved),
          client.patch(`events/${others}`, { attendees: attendees.toReversed() }),
        ])
      }
      // A connection reports its deadlocks within a second.
      await setTimeout(1_500)
      expect(await countDeadlocks()).to.equal(before)
      for (const { one, two, ids } of meetings) {
        const { event_id: event } = await readEntry(world.database, ids[0])
        expect(await roomsOf(event)).to.deep.equal([one, two])
      }
    })
  })
})
