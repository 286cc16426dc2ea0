// Tests what has to be written to the calendar of a room: the comparison of its claims with its entries, on the database.
import { expect } from 'chai'
import { message } from '../../../../shared/messages/message.ts'
import type { WrittenEntry } from '../../../../shared/room-calendars/room-calendars.ts'
import { findDifferences } from '../../../../workers/calendars/writing/differences.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { createHold, createUser } from '../../../support/factories.ts'
import {
  addBooking,
  addEntry,
  addEvent,
  at,
  createRoom,
  createSeen,
  moveEvent,
  NOW_MS,
  type TestRoom,
} from './room-of-test.ts'

const MORNING = '20T09:00 20T10:00'
const NOON = '20T12:00 20T13:00'
const settings = { usesOrganizerMailboxes: false }

const CONFLICT = { message: message`The entry cannot be read: ${'It is too large.'}`, free_rooms: [] }

describe('the comparison of a room with its calendar', () => {
  const database = useConnection(useDatabase())
  let room: TestRoom
  beforeEach(async () => {
    room = await createRoom(database)
  })

  const compare = ({ link }: TestRoom = room, nowMs = NOW_MS, peopleUrl?: string) =>
    findDifferences({ database, peopleUrl, settings, now: () => nowMs }, link, 100)
  const kinds = async (nowMs?: number) => (await compare(room, nowMs)).map(({ kind }) => kind)
  /** Returns what the room's only difference says to write. */
  const written = async (of = room, nowMs = NOW_MS, peopleUrl?: string): Promise<WrittenEntry> => {
    const [only, ...others] = await compare(of, nowMs, peopleUrl)
    expect(others).to.deep.equal([])
    return only?.content ?? expect.fail('There is no difference')
  }
  /** Adds the entry that Berth wrote for what the only difference says. */
  const writeOnly = async () => {
    const [only] = await compare()
    const { eventId: event_id, bookingId: booking_id, content } = only ?? expect.fail()
    return addEntry(database, room, {
      key: `key-${event_id ?? booking_id}`,
      event_id,
      booking_id,
      base: content,
    })
  }

  it('is empty for a room without claims and entries', async () => {
    expect(await compare()).to.deep.equal([])
  })

  it('leaves an entry alone that somebody else keeps changing, until somebody changes or cancels its meeting in Berth', async () => {
    const event = await addEvent(database, room, MORNING)
    const id = await writeOnly()
    const contended = {
      base: null,
      fault: { text: 'Somebody else keeps changing it.' },
      failures: 0,
      next_write_at: at('20T20:00'),
      restores_since: at('20T08:00'),
    }
    const setChanged = (updated_at: string) =>
      Promise.all([
        database('events').where({ id: event }).update({ updated_at }),
        database('bookings').where({ event_id: event }).update({ updated_at }),
      ])
    await setChanged(at('20T07:00'))
    await database('calendar_entries').where({ id }).update(contended)
    const [later] = await compare()
    expect(later).to.include({ kind: 'change', nextAt: Date.parse(at('20T20:00')) })
    await setChanged(at('20T08:01'))
    expect((await compare())[0]).to.include({ kind: 'change', nextAt: null })
    // An entry that the provider has refused still waits.
    await database('calendar_entries').where({ id }).update({ failures: 1 })
    expect((await compare())[0]).to.include({ nextAt: Date.parse(at('20T20:00')) })
    await database('calendar_entries').where({ id }).update({ failures: 0 })
    await database('events').where({ id: event }).delete()
    expect((await compare())[0]).to.include({ kind: 'cancel', nextAt: null })
  })

  it('creates entries for bookings and events, and none for a hold or for what is over, far away or released', async () => {
    const user_id = await createUser(database, { name: 'Ann Ash' })
    const booking = await addBooking(database, room, MORNING, { user_id })
    const event = await addEvent(database, room, NOON)
    await addBooking(database, room, '19T09:00 19T10:00')
    await addBooking(database, room, '20T14:00 20T15:00', { released_at: at('20T07:00') })
    await addEvent(database, room, '20T16:00 20T17:00', { status: 2 })
    await createHold(database, { bookable_id: room.bookableId, from: at('21T09:00'), to: at('21T10:00') })
    await addBooking(database, room, MORNING, {
      from: '2031-11-22T09:00:00Z',
      to: '2031-11-22T10:00:00Z',
    })
    const found = await compare()
    expect(found.map(({ kind, bookingId, eventId }) => [kind, bookingId, eventId])).to.deep.equal([
      ['create', booking, null],
      ['create', null, event],
    ])
    expect(found[0]?.content).to.deep.equal({
      from: at('20T09:00'),
      to: at('20T10:00'),
      title: 'Ann Ash',
      text: 'In Berth gebucht.',
      isPrivate: false,
    })
    expect(found[1]?.content?.title).to.equal('Planning')
  })

  it('is empty once everything is written, and finds what changes afterwards', async () => {
    const event = await addEvent(database, room, MORNING)
    const row = await writeOnly()
    expect(await compare()).to.deep.equal([])
    await moveEvent(database, event, NOON)
    const [moved] = await compare()
    expect(moved).to.deep.include({ kind: 'change', rowId: row, version: '"1"', eventId: event })
    expect(moved?.content).to.include({ from: at('20T12:00'), to: at('20T13:00') })
    await database('events').where({ id: event }).update({ name: 'Review' })
    expect((await written()).title).to.equal('Review')
    await database('events').where({ id: event }).update({ status: 2 })
    expect(await kinds()).to.deep.equal(['cancel'])
  })

  it('writes nothing for a claim whose entry cannot be read, of Berth or from outside', async () => {
    const unreadable = { seen: { unreadable: 'It is too large.' }, conflict: CONFLICT }
    const outside = await addEvent(database, room, MORNING)
    await addEntry(database, room, {
      event_id: outside,
      ...unreadable,
      seen: { isOwn: true, ...unreadable.seen },
    })
    const own = await addEvent(database, room, NOON)
    await addEntry(database, room, { event_id: own, key: 'key', times: NOON, base: {}, ...unreadable })
    expect(await kinds()).to.deep.equal([])
    for (const [event, times] of [
      [outside, '20T16:00 20T17:00'],
      [own, '20T18:00 20T19:00'],
    ] as const)
      await moveEvent(database, event, times)
    expect(await kinds()).to.deep.equal([])
    for (const id of [outside, own]) await database('events').where({ id }).delete()
    expect(await kinds()).to.deep.equal([])
  })

  it('ignores what somebody else changed about the title', async () => {
    await addEvent(database, room, MORNING)
    const row = await writeOnly()
    await database('calendar_entries')
      .where({ id: row })
      .update({ seen: database.raw(`seen || '{"title": "Changed in Outlook", "digest": "other"}'`) })
    expect(await compare()).to.deep.equal([])
  })

  it('waits for entries whose change is still to be applied', async () => {
    const event = await addEvent(database, room, MORNING)
    await addEntry(database, room, { key: 'k', event_id: event, pending_since: at('20T07:59') })
    expect(await compare()).to.deep.equal([])
    const other = await addEvent(database, room, NOON)
    await addEntry(database, room, { times: MORNING, event_id: other, pending_since: at('20T07:59') })
    expect(await compare()).to.deep.equal([])
  })

  it('needs no entry where one from outside stands for the event', async () => {
    const event = await addEvent(database, room, MORNING)
    await addEntry(database, room, { times: MORNING, event_id: event })
    expect(await compare()).to.deep.equal([])
    await addEntry(database, room, { times: MORNING, event_id: event, key: 'berth-1' })
    expect(await kinds()).to.deep.equal(['cancel'])
  })

  it('declines the entry of a meeting that was moved in Berth, and writes one of its own', async () => {
    const event = await addEvent(database, room, NOON)
    await addEntry(database, room, { times: MORNING, event_id: event })
    const found = await compare()
    expect(found.map(({ kind, reason }) => [kind, reason])).to.deep.equal([
      ['decline', 'moved'],
      ['create', null],
    ])
    expect(found[0]?.content).to.include({ from: at('20T12:00') })
    await database('calendar_entries').update({ decline: 'impossible' })
    expect(await kinds()).to.deep.equal(['create'])
  })

  it('declines or moves the entry of a meeting that was moved to a time that Berth does not write yet', async () => {
    const event = await addEvent(database, room, MORNING)
    const row = await addEntry(database, room, { times: MORNING, event_id: event })
    expect(await compare()).to.deep.equal([])
    const [from, to] = ['2031-12-20T09:00:00.000000Z', '2031-12-20T10:00:00.000000Z']
    const during = database.raw('tstzrange(?, ?)', [from, to])
    await database('events').where({ id: event }).update({ during })
    await database('bookings').where({ event_id: event }).update({ during })
    const found = await compare()
    expect(found.map(({ kind, rowId, reason }) => [kind, rowId, reason])).to.deep.equal([
      ['decline', row, 'moved'],
    ])
    expect(found[0]?.content).to.include({ from, to })
    await database('calendar_entries').update({ decline: 'impossible' })
    expect(await kinds()).to.deep.equal([])
    await database('calendar_entries').update({ decline: null, seen: createSeen(MORNING, { isOwn: true }) })
    const [move, ...others] = await compare()
    expect(move).to.include({ kind: 'move', rowId: row })
    expect(move?.content).to.include({ from, to })
    expect(others).to.deep.equal([])
    await database('calendar_entries').update({ during })
    expect(await compare()).to.deep.equal([])
  })

  it('waits for the calendar if the meeting was moved in that of another room', async () => {
    const event = await addEvent(database, room, NOON)
    const row = await addEntry(database, room, {
      times: MORNING,
      event_id: event,
      next_write_at: at('20T08:02'),
    })
    const found = await compare()
    expect(found.map(({ kind, rowId, nextAt }) => [kind, rowId, nextAt])).to.deep.equal([
      ['decline', row, Date.parse(at('20T08:02'))],
    ])
  })

  it('moves the entry of such a meeting if it was made in this calendar', async () => {
    const event = await addEvent(database, room, NOON)
    const row = await addEntry(database, room, { times: MORNING, event_id: event, seen: { isOwn: true } })
    const found = await compare()
    expect(found.map(({ kind, rowId }) => [kind, rowId])).to.deep.equal([['move', row]])
  })

  it('cancels or declines the entry of a meeting that no longer has the room', async () => {
    const cancelled = await addEvent(database, room, MORNING, { status: 2 })
    const released = await addEvent(database, room, NOON)
    await database('bookings').where({ event_id: released }).delete()
    const own = await addEvent(database, room, '20T15:00 20T16:00', { status: 2 })
    await addEntry(database, room, { times: MORNING, event_id: cancelled })
    await addEntry(database, room, { times: NOON, event_id: released })
    await addEntry(database, room, { times: '20T15:00 20T16:00', event_id: own, seen: { isOwn: true } })
    await addEntry(database, room, { times: '20T05:00 20T06:00', event_id: cancelled })
    const found = await compare()
    expect(found.map(({ kind, reason, eventId }) => [kind, reason, eventId])).to.have.deep.members([
      ['decline', 'cancelled', cancelled],
      ['decline', 'released', released],
      ['cancel', 'cancelled', own],
    ])
  })

  it('declines once what Berth refused', async () => {
    const conflict = { message: message`Aquarium is blocked.`, free_rooms: [{ id: 7, name: 'Den' }] }
    const row = await addEntry(database, room, { conflict })
    const free = { conflict, seen: { isFree: true } }
    await addEntry(database, room, free)
    await addEntry(database, room, { conflict, seen: { isGone: true } })
    const found = await compare()
    expect(found.map(({ kind, rowId, reason }) => [kind, rowId, reason])).to.deep.equal([
      ['decline', row, 'conflict'],
    ])
    expect(found[0]?.conflict).to.deep.equal(conflict)
    await database('calendar_entries').where({ id: row }).update({ decline: 'declined' })
    expect(await compare()).to.deep.equal([])
  })

  it('declines nothing while another entry, which may free the time, is still to be applied', async () => {
    const conflict = { message: message`Aquarium is taken.`, free_rooms: [] }
    const row = await addEntry(database, room, { conflict })
    const other = await addEntry(database, room, { times: NOON, pending_since: new Date() })
    expect(await compare()).to.deep.equal([])
    // An entry that cannot be applied must not keep the refusal back for good.
    const before = new Date(Date.now() - 5 * 60_000)
    await database('calendar_entries').where({ id: other }).update({ pending_since: before })
    expect((await compare()).map(({ kind, rowId }) => [kind, rowId])).to.deep.equal([['decline', row]])
  })

  it('resumes a creation that has no answer, and replaces an entry that somebody deleted', async () => {
    const event = await addEvent(database, room, MORNING)
    const base = { from: at('20T09:00'), to: at('20T10:00'), title: 'Planning', text: '', isPrivate: false }
    const row = await addEntry(database, room, {
      key: 'k',
      event_id: event,
      entry_id: null,
      version: null,
      during: null,
      base,
    })
    expect((await compare())[0]).to.include({ kind: 'create', rowId: row, entryId: null, isGone: false })
    await database('calendar_entries')
      .where({ id: row })
      .update({ entry_id: 'e', seen: JSON.stringify({ isGone: true }) })
    expect((await compare())[0]).to.include({ kind: 'create', rowId: row, entryId: 'e', isGone: true })
    await database('bookings').where({ event_id: event }).delete()
    await database('calendar_entries')
      .where({ id: row })
      .update({ during: '[2030-11-20 09:00Z,2030-11-20 10:00Z)' })
    expect(await kinds()).to.deep.equal(['forget'])
  })

  it('shortens the entry of a booking that ended early, and leaves what is over', async () => {
    const booking = await addBooking(database, room, '20T07:00 20T09:00')
    const row = await writeOnly()
    const during = (times: string) => database.raw('tstzrange(?, ?)', times.split(' ').map(at))
    await database('calendar_entries')
      .where({ id: row })
      .update({ during: during('20T07:00 20T09:00') })
    await database('bookings')
      .where({ id: booking })
      .update({ during: during('20T07:00 20T07:50') })
    expect((await compare()).map(({ kind, content }) => [kind, content?.to])).to.deep.equal([
      ['change', at('20T07:50')],
    ])
    expect(await kinds(Date.parse(at('20T09:30')))).to.deep.equal([])
  })

  it('ends a booking without an end with the local day', async () => {
    await addBooking(database, room, '19T12:00 ')
    expect(await written()).to.include({ from: at('19T12:00'), to: at('20T23:00') })
    expect(await written(room, Date.parse(at('21T00:10')))).to.include({ to: at('21T23:00') })
    const later = await createRoom(database, { zone: 'America/New_York' })
    await addBooking(database, later, '22T12:00 ')
    expect(await written(later)).to.include({ from: at('22T12:00'), to: at('23T05:00') })
  })

  it('writes whole seconds', async () => {
    await addBooking(database, room, MORNING, {
      from: '2030-11-20T09:00:00.123456Z',
      to: '2030-11-20T10:00:00.9Z',
    })
    expect(await written()).to.include({ from: at('20T09:00'), to: at('20T10:00') })
  })

  it('names nobody who is hidden, and nothing that is private', async () => {
    const user_id = await createUser(database, { name: 'Ann Berta Ash' })
    const english = { zone: 'Europe/London' }
    const [full, initials, none] = [
      await createRoom(database, english),
      await createRoom(database, { ...english, names: 'initials' }),
      await createRoom(database, { ...english, names: 'none' }),
    ]
    const url = 'https://berth.test'
    const texts = async (of: TestRoom) => {
      const { title, text, isPrivate } = await written(of, NOW_MS, url)
      return [title, text, isPrivate]
    }
    for (const each of [full, initials, none]) await addBooking(database, each, MORNING, { user_id })
    expect((await written(full)).title).to.equal('Ann Berta Ash')
    expect((await written(initials)).title).to.equal('ABA')
    expect((await written(none)).title).to.equal('Taken')
    await database('bookings').where({ user_id }).update({ guest_name: 'Gus' })
    expect((await written(full)).title).to.equal('Gus')
    expect((await written(initials)).title).to.equal('Taken')
    await database('bookings').where({ user_id }).update({ guest_name: null })
    await database('person_settings').insert({ user_id, visibility: 'nobody' })
    expect(await texts(full)).to.deep.equal(['Taken', 'Booked in Berth.', false])
    await database('bookings').where({ user_id }).delete()

    const event = await addEvent(database, full, NOON, { organizer_user_id: user_id })
    const link = `${url}/my/meetings/${event}`
    expect(await texts(full)).to.deep.equal(['Taken', `Booked in Berth.\n${link}`, false])
    await database('person_settings').where({ user_id }).delete()
    expect(await texts(full)).to.deep.equal([
      'Planning',
      `Booked in Berth.\nOrganizer: Ann Berta Ash\n${link}`,
      false,
    ])
    await database('events').where({ id: event }).update({ classification: 2 })
    expect(await texts(full)).to.deep.equal(['Private', `Booked in Berth.\n${link}`, true])
  })

  it('frees time before it takes time, and puts off what has failed', async () => {
    const waiting = await addEvent(database, room, MORNING)
    await addEntry(database, room, { key: 'w', event_id: waiting, next_write_at: at('20T09:00') })
    const created = await addEvent(database, room, NOON)
    const changed = await addEvent(database, room, '20T13:00 20T14:00')
    await addEntry(database, room, { key: 'c', event_id: changed })
    await addEntry(database, room, { key: 'gone' })
    const found = await compare()
    expect(found.map(({ kind, eventId, nextAt }) => [kind, eventId, nextAt])).to.deep.equal([
      ['cancel', null, null],
      ['change', changed, null],
      ['create', created, null],
      ['change', waiting, Date.parse(at('20T09:00'))],
    ])
  })

  it('takes little time for a room with a year of claims', async () => {
    await database.raw(
      `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT ?, ?, tstzrange(start, start + interval '1 hour'), true
       FROM generate_series(CAST('2030-11-20T10:00Z' AS timestamptz), '2031-11-01T10:00Z', '4 hours') AS start`,
      [room.bookableId, await createUser(database)],
    )
    const all = await findDifferences(
      { database, peopleUrl: undefined, settings, now: () => NOW_MS },
      room.link,
      10_000,
    )
    expect(all.length).to.be.greaterThan(2_000)
    await database.raw(
      `INSERT INTO calendar_entries (bookable_id, entry_id, key, booking_id, during, seen, base)
       SELECT ?, row ->> 'bookingId', row ->> 'bookingId', (row ->> 'bookingId')::bigint,
         tstzrange((row -> 'content' ->> 'from')::timestamptz, (row -> 'content' ->> 'to')::timestamptz), '{}', row -> 'content'
       FROM jsonb_array_elements(CAST(? AS jsonb)) AS row`,
      [room.bookableId, JSON.stringify(all)],
    )
    await database.raw('ANALYZE')
    const start = performance.now()
    expect(await compare()).to.deep.equal([])
    expect(performance.now() - start).to.be.below(2_000)
  })
})
