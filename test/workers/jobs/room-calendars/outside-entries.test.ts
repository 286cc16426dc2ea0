// Tests entries that others made in a room's calendar: each of them is an event of Berth, and changes with its entry.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { deleteExpiredRows } from '../../../../workers/pollers/upkeep.ts'
import {
  applyEntry,
  changeEntry,
  createLinkedRoom,
  insertEntry,
  person,
  readEntry,
} from '../../../support/calendars/entries.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import { createBooking, createLocation, createUser, hoursFromNow } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const ADA = 'ada@calendars.example'
const GRACE = 'grace@visitor.example'
const PRIVATE = 1
const CANCELLED = 2

describe('an entry that others made in the calendar of a room', () => {
  const world = useWorld({ workers: ['writes'] })
  const admin = useAdmin(world)
  const client = useClient(world)
  const apply = (id: number, options = {}) => applyEntry(world, admin, id, options)
  const room = (row = {}) => createLinkedRoom(world.database, row)
  const span = (from = 24, to = from + 1) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })
  const organizer = person(ADA, 'Ada Lovelace')
  let ada = 0
  before(async () => {
    ada = await createUser(world.database, { name: 'Ada Lovelace', email: ADA })
  })

  // biome-ignore lint/suspicious/noExplicitAny: answers of the API
  async function readEvent(id: number): Promise<any> {
    // A busy machine may refuse reads for a moment.
    const { json } = await eventually(async () => {
      const answer = await client.get(`events/${id}?include=details`)
      expect(answer.status).to.equal(200)
      return answer
    })
    const { data } = json
    return {
      ...data,
      people: data.attendees.map((each: { name: string }) => each.name).sort(),
      rooms: data.bookables.map((each: { id: number }) => each.id),
      times: [data.from, data.to].map((each: string) => new Date(each).toISOString()),
    }
  }
  const claimsOf = (bookable_id: number) => world.database('bookings').where({ bookable_id }).orderBy('id')
  const eventsOf = async (bookable_id: number) =>
    (await claimsOf(bookable_id)).map(({ event_id }) => event_id)
  const countChanges = async (event: number) =>
    Number(
      (await world.database('changes').where({ type: 'event', resource_id: event }).count())[0]?.['count'],
    )
  const isWriteDue = async (bookable_id: number) =>
    (await world.database('room_calendars').where({ bookable_id }).first()).next_write_at !== null

  it('becomes an event of its organizer in the room, with people by their addresses and visitors', async () => {
    const bookable = await room()
    await createUser(world.database, { name: 'Lin', email: 'Lin@Calendars.example' })
    const attendees = [person('lin@calendars.example'), person(GRACE, 'Grace Hopper')]
    const id = await insertEntry(world.database, bookable, { ...span(), organizer, attendees })
    const row = await apply(id)
    const event = await readEvent(row['event_id'])
    expect(event).to.deep.include({
      name: 'Harbour plans',
      people: ['Ada Lovelace', 'Grace Hopper', 'Lin'],
      rooms: [bookable],
      times: [hoursFromNow(24), hoursFromNow(25)],
      series_id: null,
    })
    expect(event.organizer.id).to.equal(ada)
    expect(row).to.include({ pending_since: null, conflict: null })
    const [entry] = await world.database('audit_log').where({ resource: 'events', resource_id: event.id })
    expect(entry).to.include({ action: 'events.create', actor_type: 'system', actor_name: 'calendar' })
    const [change] = await world.database('changes').where({ type: 'event', resource_id: event.id })
    expect(change).to.include({ action: 'created', actor_name: 'calendar' })
  })

  it('leaves neither people nor a title in the row once it is applied', async () => {
    const id = await insertEntry(world.database, await room(), { ...span(), organizer })
    const { seen, base } = await apply(id)
    for (const each of [seen, base]) {
      expect(each).to.deep.include({ title: '', organizer: null, attendees: [] })
      expect(each.from).to.equal(hoursFromNow(24))
    }
    expect(base.digest).to.equal(seen.digest)
  })

  it('is applied once, however often and for whichever revision the job comes', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    await changeEntry(world.database, id, { ...span(30), organizer })
    const row = await apply(id, { revision: 1 })
    expect((await readEvent(row['event_id'])).times[0]).to.equal(hoursFromNow(30))
    await Promise.all([apply(id), apply(id, { revision: 1 }), apply(id)])
    expect(await readEntry(world.database, id)).to.deep.equal(row)
    expect([await eventsOf(bookable), await countChanges(row['event_id'])]).to.deep.equal([
      [row['event_id']],
      1,
    ])
  })

  it('moves, shortens and renames its event, and changes its attendees', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    const { event_id: event } = await apply(id)
    await changeEntry(world.database, id, { ...span(26), organizer })
    await apply(id)
    expect((await readEvent(event)).times).to.deep.equal([hoursFromNow(26), hoursFromNow(27)])
    const shorter = { from: hoursFromNow(26), to: hoursFromNow(26.5) }
    await changeEntry(world.database, id, {
      ...shorter,
      organizer,
      title: 'Quay',
      attendees: [person(GRACE)],
    })
    await apply(id)
    expect(await readEvent(event)).to.deep.include({
      name: 'Quay',
      times: [shorter.from, shorter.to],
      people: ['Ada Lovelace', GRACE],
    })
    await changeEntry(world.database, id, { ...shorter, organizer, title: 'Quay' })
    await apply(id)
    expect((await readEvent(event)).people).to.deep.equal(['Ada Lovelace'])
    expect(await countChanges(event)).to.equal(4)
    await changeEntry(world.database, id, { ...shorter, organizer, title: 'Quay', isOwn: true })
    await apply(id)
    expect(await countChanges(event), 'what is the same is no change').to.equal(4)
  })

  for (const flag of ['isGone', 'isCancelled', 'isDeclined', 'isFree'] as const)
    it(`cancels its event when ${flag} is set, and takes the room again when it is not`, async () => {
      const bookable = await room()
      const id = await insertEntry(world.database, bookable, { ...span(), organizer })
      const { event_id: event } = await apply(id)
      await changeEntry(world.database, id, { ...span(), organizer, [flag]: true })
      expect(await apply(id)).to.include({ event_id: null, pending_since: null })
      expect([(await readEvent(event)).status, await claimsOf(bookable)]).to.deep.equal([CANCELLED, []])
      await changeEntry(world.database, id, { ...span(), organizer })
      const { event_id: again } = await apply(id)
      expect(await eventsOf(bookable)).to.deep.equal([again])
    })

  it('takes no time if it is free, declined or over', async () => {
    const bookable = await room()
    for (const fields of [{ isFree: true }, { isDeclined: true }, { ...span(-3) }]) {
      const id = await insertEntry(world.database, bookable, { ...span(), organizer, ...fields })
      expect(await apply(id)).to.include({ event_id: null, conflict: null, pending_since: null })
    }
    expect(await claimsOf(bookable)).to.deep.equal([])
  })

  it('keeps its event if it cannot be read any more', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    const { event_id: event } = await apply(id)
    await changeEntry(world.database, id, { ...span(), unreadable: 'broken' })
    expect((await apply(id))['event_id']).to.equal(event)
    expect(await eventsOf(bookable)).to.deep.equal([event])
  })

  it('ends its event early, and leaves an event that is over as it was', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(-1, 2), organizer })
    const { event_id: event } = await apply(id, { now: hoursFromNow(-0.9) })
    expect((await readEvent(event)).times[1]).to.equal(hoursFromNow(2))
    const early = { from: hoursFromNow(-1), to: hoursFromNow(-1 / 60) }
    await changeEntry(world.database, id, { ...early, organizer })
    await apply(id, { now: hoursFromNow(0) })
    expect((await readEvent(event)).times[1]).to.equal(early.to)
    await changeEntry(world.database, id, { ...early, organizer, isGone: true })
    await apply(id, { now: hoursFromNow(0) })
    expect([(await readEvent(event)).status, await eventsOf(bookable)]).to.deep.equal([1, [event]])
  })

  it('is called “Private” and names nobody if it is private', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer, isPrivate: true })
    const { event_id: event } = await apply(id)
    expect(await readEvent(event)).to.deep.include({
      name: 'Private',
      classification: PRIVATE,
      people: ['Unknown organizer'],
    })
    await changeEntry(world.database, id, { ...span(), organizer })
    await apply(id)
    expect(await readEvent(event)).to.include({ name: 'Harbour plans', classification: 3 })
    await changeEntry(world.database, id, {
      ...span(),
      organizer,
      attendees: [person(GRACE)],
      isPrivate: true,
    })
    await apply(id)
    expect(await readEvent(event)).to.deep.include({ name: 'Private', people: ['Unknown organizer'] })
  })

  it('is organized by the unknown organizer if Berth does not know its organizer, who attends as a visitor', async () => {
    const bookable = await room()
    const fields = { ...span(), organizer: person(GRACE, 'Grace Hopper') }
    const { event_id: event } = await apply(await insertEntry(world.database, bookable, fields))
    expect(await readEvent(event)).to.deep.include({ people: ['Grace Hopper', 'Unknown organizer'] })
    const other = await apply(await insertEntry(world.database, bookable, { ...fields, ...span(30) }))
    const [one, two] = [await readEvent(event), await readEvent(other['event_id'])]
    expect(two.organizer.id).to.equal(one.organizer.id)
    const user = await world.database('users').where({ id: one.organizer.id }).first()
    expect(user).to.include({ name: 'Unknown organizer', email: 'unknown-organizer@calendar.invalid' })
    expect(user.deactivated_at).not.to.equal(null)
  })

  it('takes neither rooms nor broken addresses for people, and everybody once', async () => {
    const [bookable, other] = [await room({ integration_email: 'quay@rooms.example' }), await room()]
    const attendees = [
      'Quay@rooms.example',
      `room-${other}@rooms.example`,
      'no address',
      ADA,
      GRACE,
      GRACE.toUpperCase(),
    ]
    const id = await insertEntry(world.database, bookable, {
      ...span(),
      organizer: person('QUAY@rooms.example'),
      isOwn: true,
      title: ' \u0007\t ',
      attendees: attendees.map((address) => person(address)),
    })
    const event = await readEvent((await apply(id))['event_id'])
    expect(event).to.deep.include({ name: 'Meeting', rooms: [bookable] })
    expect(event.people.map((each: string) => each.toLowerCase())).to.deep.equal([
      'ada lovelace',
      GRACE,
      'unknown organizer',
    ])
  })

  it('has at most as many people as an event may have, and a title that fits', async () => {
    const attendees = Array.from({ length: 1_200 }, (_, index) => person(`visitor${index}@visitor.example`))
    const fields = { ...span(), organizer: person(GRACE), attendees, title: '🚢'.repeat(400) }
    const { event_id: event } = await apply(await insertEntry(world.database, await room(), fields))
    const { people, name } = await readEvent(event)
    expect([people.length, [...name].length]).to.deep.equal([1_000, 255])
  })

  it('keeps an organizer and attendees who were deactivated, and those to whom the meeting was handed over', async () => {
    const [lin, successor] = [
      await createUser(world.database, { email: 'left@calendars.example', name: 'Left' }),
      await createUser(world.database, { name: 'Successor' }),
    ]
    const fields = { organizer: person('left@calendars.example') }
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), ...fields })
    const { event_id: event } = await apply(id)
    await world.database('users').where({ id: lin }).update({ deactivated_at: new Date() })
    await changeEntry(world.database, id, { ...span(26), ...fields })
    await apply(id)
    expect((await readEvent(event)).organizer.id).to.equal(lin)
    expect((await admin.ask('users.hand-over', { id: lin, to: successor })).status).to.equal(200)
    await changeEntry(world.database, id, { ...span(28), ...fields })
    await apply(id)
    expect((await readEvent(event)).organizer.id).to.equal(successor)
    const later = await apply(await insertEntry(world.database, bookable, { ...span(40), ...fields }))
    expect((await readEvent(later['event_id'])).organizer.id).not.to.equal(lin)
  })

  it('shares one series with the other occurrences of its recurring meeting, whichever calendar they come from', async () => {
    const [bookable, other] = [await room(), await room()]
    const dated = (date: string) => `040000008200E00074C5B7101A82E008${date}AB0192`
    const insert = (in_room: number, from: number, date: string, seriesId: string) =>
      insertEntry(world.database, in_room, { ...span(from), organizer }, { uid: dated(date), seriesId })
    const ids = [
      await insert(bookable, 24, '07EA0B01', 'master'),
      await insert(bookable, 48, '07EA0B02', 'master'),
      await insert(other, 72, '07EA0B03', 'another master'),
    ]
    const rows = await Promise.all(ids.map((id) => apply(id)))
    const events = await Promise.all(rows.map((row) => readEvent(row['event_id'])))
    const [series] = events.map(({ series_id }) => series_id)
    expect(events.map(({ series_id }) => series_id)).to.deep.equal([series, series, series])
    const { json } = await client.get(`event-series/${series}`)
    expect(json.data.events).to.have.length(3)
    await deleteExpiredRows(world.database, createLog('test', 'silent'), world.config)
    expect(await world.database('calendar_series').where({ series_id: series })).to.have.length(1)
  })

  it('keeps its local time across a clock change, and has the times that the calendar says', async () => {
    const bookable = await room()
    const before = { from: '2030-10-26T07:00:00.000Z', to: '2030-10-26T08:00:00.000Z' }
    const after = { from: '2030-10-27T08:00:00.000Z', to: '2030-10-27T09:00:00.000Z' }
    const id = await insertEntry(world.database, bookable, { ...before, organizer })
    const { event_id: event } = await apply(id)
    await changeEntry(world.database, id, { ...after, organizer })
    await apply(id)
    expect((await readEvent(event)).times).to.deep.equal([after.from, after.to])
  })

  it('keeps the description, other rooms and further rooms of Berth when the calendar changes it', async () => {
    const [bookable, extra] = [await room(), await room()]
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    const { event_id: event } = await apply(id)
    const answer = await client.patch(`events/${event}`, {
      description: '**Bring** plans',
      attendees: { add: [{ type: 'bookable', id: extra }] },
    })
    expect(answer.status).to.equal(200)
    await changeEntry(world.database, id, { ...span(26), organizer })
    await apply(id)
    const { description, rooms } = await readEvent(event)
    expect([description, rooms]).to.deep.equal(['**Bring** plans', [bookable, extra]])
  })

  it('stays cancelled if Berth cancelled its event, until it moves to another time', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    const { event_id: event } = await apply(id)
    expect((await client.delete(`events/${event}`)).status).to.equal(204)
    await changeEntry(world.database, id, { ...span(), organizer, title: 'Again' })
    expect((await apply(id))['event_id']).to.equal(event)
    expect([await claimsOf(bookable), await isWriteDue(bookable)]).to.deep.equal([[], true])
    await changeEntry(world.database, id, { ...span(30), organizer })
    const { event_id: again } = await apply(id)
    expect(again).not.to.equal(event)
    expect(await eventsOf(bookable)).to.deep.equal([again])
  })

  it('leaves the time that Berth gave its event, when only its people change in the calendar', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    const { event_id } = await apply(id)
    const moved = await client.patch(`events/${event_id}`, {
      from_time: hoursFromNow(48),
      to_time: hoursFromNow(49),
    })
    expect(moved.status).to.equal(200)
    await changeEntry(world.database, id, {
      ...span(),
      organizer,
      attendees: [person(GRACE, 'Grace Hopper')],
    })
    await apply(id)
    expect(await readEvent(event_id)).to.deep.include({
      people: ['Ada Lovelace', 'Grace Hopper'],
      times: [hoursFromNow(48), hoursFromNow(49)],
    })
  })

  it('leaves an event alone that Berth moved, when the refusal of its former time comes back', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    const { event_id: event } = await apply(id)
    const moved = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
    expect((await client.patch(`events/${event}`, moved)).status).to.equal(200)
    await world.database('calendar_entries').where({ id }).update({ decline: 'declined' })
    await changeEntry(world.database, id, { ...span(), organizer, isDeclined: true })
    await apply(id)
    expect(await readEvent(event)).to.deep.include({ status: 1, times: [moved.from_time, moved.to_time] })
  })

  it('is not applied any more once its calendar is being unlinked', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    await world.database('room_calendars').where({ bookable_id: bookable }).update({ is_ending: true })
    await apply(id)
    expect(await claimsOf(bookable)).to.deep.equal([])
  })

  it('is not applied any more once its room is linked to another calendar', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    await world.database('room_calendars').where({ bookable_id: bookable }).update({ is_clearing: true })
    await apply(id)
    expect(await claimsOf(bookable)).to.deep.equal([])
  })

  it('is the same event as before if its calendar is unlinked and linked again', async () => {
    const bookable = await room()
    const { event_id: event } = await apply(
      await insertEntry(world.database, bookable, { ...span(), organizer, title: 'Before' }),
    )
    const unlink = () => world.database('calendar_entries').where({ bookable_id: bookable }).delete()
    await unlink()
    const again = await insertEntry(world.database, bookable, { ...span(), organizer, title: 'After' })
    expect(await apply(again)).to.include({ event_id: event, conflict: null })
    expect(await readEvent(event)).to.deep.include({ name: 'After', status: 1, rooms: [bookable] })
    expect(await eventsOf(bookable)).to.deep.equal([event])
    // Another entry at this time is refused as long as the first one stands for the event.
    const other = await apply(await insertEntry(world.database, bookable, { ...span(), organizer }))
    expect([other['event_id'], other['conflict'] === null]).to.deep.equal([null, false])
    // Another meeting is refused once Berth has written an entry of the event, as it does after a move in Berth.
    await unlink()
    const key = 'berth-key'
    await world.database('calendar_entries').insert({ bookable_id: bookable, key, event_id: event })
    const unlike = await apply(
      await insertEntry(world.database, bookable, { ...span(), organizer, title: 'Unlike' }),
    )
    expect([unlike['event_id'], unlike['conflict'] === null]).to.deep.equal([null, false])
    const same = await apply(
      await insertEntry(world.database, bookable, { ...span(), organizer, title: 'After' }),
    )
    expect(same).to.include({ event_id: event, conflict: null })
    // An entry at the time of an event that did not come from a calendar is refused, too.
    await unlink()
    await world
      .database('audit_log')
      .where({ resource: 'events', resource_id: event })
      .update({ actor_name: 'desk' })
    const ofOthers = await apply(await insertEntry(world.database, bookable, { ...span(), organizer }))
    expect([ofOthers['event_id'], ofOthers['conflict'] === null]).to.deep.equal([null, false])
  })

  it('can be undone like any other write, and is undone together with its series', async () => {
    const bookable = await room()
    const id = await insertEntry(world.database, bookable, { ...span(), organizer }, { seriesId: 'master' })
    const { event_id: event } = await apply(id)
    const [entry] = await world.database('audit_log').where({ resource: 'events', resource_id: event })
    const undone = await admin.ask('audit-entries.undo', { id: entry.id })
    expect(undone.status, JSON.stringify(undone.json)).to.equal(200)
    expect((await readEvent(event)).status).to.equal(CANCELLED)
    expect(await readAudit(world, entry.request_id)).to.have.length(2)
  })

  it('has a floor of other rooms to offer, and no calendar that is written for nothing', async () => {
    const location_id = await createLocation(world.database)
    const [bookable, free] = [
      await room({ location_id, name: 'Quay' }),
      await room({ location_id, name: 'Pier' }),
    ]
    const id = await insertEntry(world.database, bookable, { ...span(), organizer })
    await apply(id)
    expect(await isWriteDue(bookable)).to.equal(false)
    await createBooking(world.database, { bookable_id: bookable, ...span(30) })
    await changeEntry(world.database, id, { ...span(30), organizer })
    const { conflict } = await apply(id)
    expect(conflict.free_rooms).to.deep.equal([{ id: free, name: 'Pier' }])
    expect(await isWriteDue(bookable)).to.equal(true)
  })
})
