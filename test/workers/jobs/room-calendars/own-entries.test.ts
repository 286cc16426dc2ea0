// Tests changes of entries that Berth wrote to a room's calendar.
import { expect } from 'chai'
import {
  applyEntry,
  changeEntry,
  createLinkedRoom,
  type EntryRow,
  insertEntry,
  readEntry,
} from '../../../support/calendars/entries.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createBooking, createEvent, createUser, hoursFromNow } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

const CANCELLED = 2
const TITLE = 'Ada Lovelace'

describe('an entry that Berth wrote to the calendar of a room', () => {
  const world = useWorld({ workers: ['writes'] })
  const admin = useAdmin(world)
  const apply = (id: number, options = {}) => applyEntry(world, admin, id, options)
  const span = (from = 24, to = from + 1) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
  const inUtc = ({ from, to }: { from: string; to: string }) =>
    [from, to].map((each) => new Date(each).toISOString())

  type Written = { room: number; id: number; booking: number }
  const insertWritten = async (
    room: number,
    {
      base = span(),
      seen = {},
      ...ids
    }: { base?: object; seen?: object; bookingId?: number; eventId?: number },
  ): Promise<number> => {
    const content = { title: TITLE, isOwn: true, ...span(), ...base, ...seen }
    const id = await insertEntry(world.database, room, content, {
      key: `berth-${room}-${Math.random()}`,
      ...ids,
    })
    const written = { title: TITLE, text: 'Booked in Berth', isPrivate: false, ...base }
    await world.database('calendar_entries').where({ id }).update({ base: written })
    return id
  }
  async function createWritten(
    seen: object,
    times: { from: string; to: string | null } = span(),
  ): Promise<Written> {
    const room = await createLinkedRoom(world.database)
    const booking = await createBooking(world.database, { bookable_id: room, ...times })
    const base = { from: times.from, to: times.to ?? hoursFromNow(36) }
    return { room, booking, id: await insertWritten(room, { base, seen, bookingId: booking }) }
  }
  const readBooking = async (id: number) => {
    const { rows } = await world.database.raw(
      'SELECT lower(during) AS "from", upper(during) AS "to" FROM bookings WHERE id = ?',
      [id],
    )
    return rows.map(({ from, to }: { from: string; to: string | null }) => [
      new Date(from).toISOString(),
      to && new Date(to).toISOString(),
    ])[0]
  }
  const isWriteDue = async ({ bookable_id }: EntryRow) =>
    (await world.database('room_calendars').where({ bookable_id }).first()).next_write_at !== null
  const readAudit = (resource_id: number) =>
    world.database('audit_log').where({ resource: 'bookings', resource_id }).orderBy('id')

  it('moves its booking', async () => {
    const { id, booking } = await createWritten(span(30))
    const row = await apply(id)
    expect(await readBooking(booking)).to.deep.equal(inUtc(span(30)))
    expect(inUtc(row['base'])).to.deep.equal(inUtc(span(30)))
    expect(row['base']).to.include({ title: TITLE, text: 'Booked in Berth' })
    expect(row).to.include({ pending_since: null, booking_id: booking, conflict: null })
    const [entry] = await readAudit(booking)
    expect(entry).to.include({ action: 'bookings.update', actor_type: 'system', actor_name: 'calendar' })
    expect(await apply(id)).to.deep.equal(row)
    expect(await readAudit(booking)).to.have.length(1)
  })

  it('shortens its booking, also one that has no end', async () => {
    const closed = await createWritten({ to: hoursFromNow(24.5) })
    await apply(closed.id)
    expect(await readBooking(closed.booking)).to.deep.equal([hoursFromNow(24), hoursFromNow(24.5)])
    const open = await createWritten({ from: hoursFromNow(25) }, { from: hoursFromNow(24), to: null })
    await apply(open.id)
    expect(await readBooking(open.booking)).to.deep.equal([hoursFromNow(25), null])
  })

  for (const flag of ['isGone', 'isCancelled', 'isDeclined'] as const)
    it(`cancels its booking when ${flag} is set`, async () => {
      const { id, booking } = await createWritten({ [flag]: true })
      const row = await apply(id)
      expect(await readBooking(booking)).to.equal(undefined)
      expect(row).to.include({ pending_since: null, booking_id: booking })
      const [entry] = await readAudit(booking)
      expect(entry).to.include({ action: 'bookings.delete', actor_name: 'calendar' })
    })

  it('is written again as busy, and keeps its booking, when somebody shows it as free', async () => {
    const { id, booking } = await createWritten({ isFree: true })
    const row = await apply(id)
    expect(await readBooking(booking)).to.deep.equal(inUtc(span()))
    expect(row).to.include({ base: null, conflict: null, pending_since: null, restores: 1 })
    expect(await isWriteDue(row)).to.equal(true)
  })

  it('is written again as Berth has it if its new time is taken', async () => {
    const { id, room, booking } = await createWritten(span(30))
    await createBooking(world.database, { bookable_id: room, ...span(30) })
    const row = await apply(id)
    expect(await readBooking(booking)).to.deep.equal(inUtc(span()))
    expect(row).to.include({ base: null, conflict: null, pending_since: null, restores: 1 })
    expect(await isWriteDue(row)).to.equal(true)
  })

  it('breaks the rules of the room only if they do not hold for what comes from a calendar', async () => {
    const [free, refused] = [await createWritten(span(30)), await createWritten(span(30))]
    const rules = JSON.stringify({ minutes_max: 30 })
    await world.database('bookables').whereIn('id', [free.room, refused.room]).update({ rules })
    await apply(free.id)
    expect(await readBooking(free.booking)).to.deep.equal(inUtc(span(30)))
    expect((await apply(refused.id, { appliesRules: true }))['base']).to.equal(null)
    expect(await readBooking(refused.booking)).to.deep.equal(inUtc(span()))
  })

  it('is written again if Berth has changed the booking as well', async () => {
    for (const seen of [span(30), { isGone: true }]) {
      const { id, booking } = await createWritten(seen)
      const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(26), hoursFromNow(27)])
      await world.database('bookings').where({ id: booking }).update({ during })
      expect(await apply(id)).to.include({ base: null, restores: 1 })
      expect(await readBooking(booking)).to.deep.equal(inUtc(span(26)))
    }
  })

  it('is restored five times a day, and then shown among the conflicts until somebody changes the booking', async () => {
    const { id, booking } = await createWritten({ title: 'Mine 0' })
    const rename = async (times: number) => {
      const written = { title: TITLE, text: '', isPrivate: false, ...span() }
      const row = { base: written, fault: null, next_write_at: null }
      await world.database('calendar_entries').where({ id }).update(row)
      await changeEntry(world.database, id, { title: `Mine ${times}`, isOwn: true, ...span() })
      return apply(id)
    }
    for (let times = 1; times <= 5; times++)
      expect(await rename(times)).to.include({
        base: null,
        fault: null,
        next_write_at: null,
        restores: times,
      })
    const contended = await rename(6)
    expect(contended['fault'].text).to.include('Somebody else keeps changing or deleting this entry')
    const untilMs = Date.parse(contended['next_write_at']) - Date.now()
    expect(untilMs).to.be.within(11.5 * 3_600_000, 12 * 3_600_000)
    expect(await readBooking(booking)).to.deep.equal(inUtc(span()))
    // The next try comes half a day later.
    const hoursAgo = (hours: number) => world.database.raw(`now() - interval '${hours} hours'`)
    await world
      .database('calendar_entries')
      .where({ id })
      .update({ restores_since: hoursAgo(12) })
    expect((await rename(7))['fault']).not.to.equal(null)
    await world
      .database('calendar_entries')
      .where({ id })
      .update({ restores_since: hoursAgo(25) })
    expect(await rename(8)).to.include({ fault: null, restores: 1 })
  })

  it('is written again if its title has changed', async () => {
    const { id, booking } = await createWritten({ title: 'Mine' })
    expect((await apply(id))['base']).to.equal(null)
    expect(await readBooking(booking)).to.deep.equal(inUtc(span()))
  })

  it('keeps what was written last if only its people have changed', async () => {
    const { id } = await createWritten({ attendees: [{ address: 'x@visitor.example', name: null }] })
    expect((await apply(id))['base']).to.include({ title: TITLE, text: 'Booked in Berth' })
  })

  it('tells the writer which title to restore when it has moved and was renamed', async () => {
    const { id, booking } = await createWritten({ ...span(30), title: 'Mine' })
    expect((await apply(id))['base'].title).to.equal('Mine')
    expect(await readBooking(booking)).to.deep.equal(inUtc(span(30)))
  })

  it('changes nothing that is over, released or deleted', async () => {
    const over = await createWritten({ isGone: true }, span(-3))
    await apply(over.id)
    expect(await readBooking(over.booking)).to.deep.equal(inUtc(span(-3)))
    const deleted = await createWritten({ isGone: true })
    await world.database('bookings').where({ id: deleted.booking }).delete()
    expect(await apply(deleted.id)).to.include({ pending_since: null })
    const released = await createWritten({ isGone: true })
    await world.database('bookings').where({ id: released.booking }).update({ released_at: new Date() })
    await apply(released.id)
    expect(await readBooking(released.booking)).to.deep.equal(inUtc(span()))
  })

  describe('for an event', () => {
    async function createWrittenEvent(seen: object) {
      const [one, two] = [await createLinkedRoom(world.database), await createLinkedRoom(world.database)]
      const organizer = await createUser(world.database)
      const event = await createEvent(world.database, { ...span(), organizer_user_id: organizer })
      for (const bookable_id of [one, two])
        await createBooking(world.database, { bookable_id, event_id: event, ...span() })
      return { one, two, event, organizer, id: await insertWritten(one, { seen, eventId: event }) }
    }
    const roomsOf = (event_id: number) =>
      world.database('bookings').where({ event_id }).orderBy('bookable_id').pluck('bookable_id')
    const readEvent = (id: number) => world.database('events').where({ id }).first()

    it('moves it with all its rooms, or not at all', async () => {
      const { id, one, two, event } = await createWrittenEvent(span(30))
      await apply(id)
      expect(await roomsOf(event)).to.deep.equal([one, two])
      const [claim] = await world.database('bookings').where({ event_id: event })
      expect(await readBooking(claim.id)).to.deep.equal(inUtc(span(30)))
      const other = await createWrittenEvent(span(30))
      await createBooking(world.database, { bookable_id: other.two, ...span(30) })
      expect((await apply(other.id))['base']).to.equal(null)
      const [kept] = await world.database('bookings').where({ event_id: other.event })
      expect(await readBooking(kept.id)).to.deep.equal(inUtc(span()))
    })

    it('takes the room from it when it is gone, and cancels it with its last room', async () => {
      const { id, two, event } = await createWrittenEvent({ isGone: true })
      await apply(id)
      expect(await roomsOf(event)).to.deep.equal([two])
      const last = await insertWritten(two, { seen: { isGone: true }, eventId: event })
      await apply(last)
      expect([(await readEvent(event)).status, await roomsOf(event)]).to.deep.equal([CANCELLED, []])
    })

    it('agrees with it if both have the same new time, which does not count as a change by somebody else', async () => {
      const { id, event } = await createWrittenEvent(span(30))
      const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(30), hoursFromNow(31)])
      await world.database('events').where({ id: event }).update({ during })
      await world.database('bookings').where({ event_id: event }).update({ during })
      const row = await apply(id)
      expect(row).to.include({ restores: 0, pending_since: null })
      expect(inUtc(row['base'])).to.deep.equal(inUtc(span(30)))
      expect(row['base']).to.include({ title: TITLE, text: 'Booked in Berth' })
    })

    it('has a title from Berth if another room of the meeting wrote this title, and from somebody else otherwise', async () => {
      const { id, two, event } = await createWrittenEvent({ title: 'Renamed in Berth' })
      const other = await insertWritten(two, { seen: { title: 'Renamed in Berth' }, eventId: event })
      const key = 'berth-here-meeting-microsoft-7-1'
      const { seen } = await readEntry(world.database, other)
      await world.database('calendar_entries').whereIn('id', [id, other]).update({ key })
      await world
        .database('calendar_entries')
        .where({ id: other })
        .update({ base: { ...seen, title: 'Renamed in Berth' }, pending_since: null })
      expect(await apply(id)).to.include({ restores: 0, base: null, pending_since: null })
      await changeEntry(world.database, id, { title: 'Mine', isOwn: true, ...span() })
      await world.database('calendar_entries').where({ id }).update({ base: seen })
      expect(await apply(id)).to.include({ restores: 1, base: null })
    })

    it('offers the organizer another room when the calendar of the room has lost it', async () => {
      const { id, one, event } = await createWrittenEvent({ isGone: true })
      await apply(id)
      const lost = await world
        .database('cancelled_bookings')
        .where({ event_id: event, bookable_id: one })
        .first()
      expect(lost.acknowledged).to.equal(false)
    })
  })

  it('is applied as it is by then when it changes again before the job comes', async () => {
    const { id, booking } = await createWritten(span(30))
    await changeEntry(world.database, id, { title: TITLE, isOwn: true, ...span(32) })
    await apply(id, { revision: 1 })
    expect(await readBooking(booking)).to.deep.equal(inUtc(span(32)))
  })
})
