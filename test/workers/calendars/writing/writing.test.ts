// Tests that the calendar of a room says what the room's claims say, at each provider: test servers of Microsoft 365 and
// Google, and Debian's radicale.
import { expect } from 'chai'
import {
  type CalendarEntry,
  type CalendarProvider,
  isFault,
} from '../../../../shared/room-calendars/providers/provider.ts'
import { LeaseLost } from '../../../../workers/calendars/calendar-link.ts'
import { readCalendar } from '../../../../workers/calendars/reading/reading.ts'
import { useConnection, useDatabase } from '../../../support/databases.ts'
import { createUser } from '../../../support/factories.ts'
import { findFault } from '../follow-changes.ts'
import { addBooking, addEvent, at, moveEvent, NOW_MS } from './room-of-test.ts'
import { describeWriting, openWriting, type WritingWorld } from './writing-worlds.ts'

const MORNING = '20T09:00 20T10:00'
const NOON = '20T12:00 20T13:00'
const EVENING = '20T17:00 20T18:00'
const HOUR_MS = 3_600_000

describeWriting('writing a calendar', (open) => {
  const database = useConnection(useDatabase())
  let world: WritingWorld
  beforeEach(async function each() {
    this.timeout(60_000)
    world = await openWriting(database, open)
  })
  afterEach(() => world.close())

  /** What the calendar shows: the title and times of each entry. */
  const shown = async () => (await world.list()).map(({ title, from, to }) => [title, from, to])
  const deleteEvent = (id: number) => database('events').where({ id }).delete()
  /** Loses the answer to the next request that changes something. */
  const loseAnswer = (methods: string[]) =>
    world.proxy.faults.push({
      matches: ({ method, url }) => methods.includes(method) && !url.pathname.endsWith('/token'),
      isCarriedOut: true,
    })
  const CREATE = ['POST', 'PUT']
  const CHANGE = ['PATCH', 'PUT']

  it('creates, changes and cancels entries', async () => {
    const user_id = await createUser(database, { name: 'Ann' })
    const event = await addEvent(database, world, NOON)
    await addBooking(database, world, MORNING, { user_id })
    expect(await world.write()).to.deep.equal({ moreAt: NOW_MS + HOUR_MS })
    expect(await shown()).to.deep.equal([
      ['Ann', at('20T09:00'), at('20T10:00')],
      ['Planning', at('20T12:00'), at('20T13:00')],
    ])
    await moveEvent(database, event, EVENING)
    await world.write()
    expect(await shown()).to.deep.equal([
      ['Ann', at('20T09:00'), at('20T10:00')],
      ['Planning', at('20T17:00'), at('20T18:00')],
    ])
    await deleteEvent(event)
    await database('bookings').where({ user_id }).delete()
    await world.write()
    expect(await shown()).to.deep.equal([])
    expect(await world.rows()).to.deep.equal([])
    const before = world.writes().length
    await world.write()
    expect(world.writes().length).to.equal(before)
  })

  it('hides the title of a private event', async () => {
    await addEvent(database, world, MORNING, { name: 'Layoffs', classification: 1 })
    await world.write()
    const [entry] = await world.list()
    expect(entry).to.include({ title: 'Privat', isPrivate: true })
    expect(JSON.stringify([await world.rows(), world.logged])).not.to.include('Layoffs')
  })

  it('makes no change of what it wrote when that comes back', async () => {
    const event = await addEvent(database, world, MORNING, {
      name: '  Title with spaces, “quotes” \\ and\ttabs ',
    })
    await world.read()
    await world.write()
    await world.read()
    expect(await world.countPending()).to.equal(0)
    await moveEvent(database, event, NOON)
    await world.write()
    await world.read()
    expect(await world.countPending()).to.equal(0)
    const before = world.writes().length
    await world.write()
    expect(world.writes().length).to.equal(before)
  })

  it('writes a title once that the provider shortens', async () => {
    const { provider } = world
    const shorten = (entry: CalendarEntry) => ({ ...entry, title: entry.title.slice(0, 4) })
    const shortening: Pick<CalendarProvider, 'name' | 'createEntry' | 'changeEntry' | 'listChanges'> = {
      name: provider.name,
      createEntry: (...call) => provider.createEntry(...call).then(shorten),
      changeEntry: (...call) => provider.changeEntry(...call).then(shorten),
      async listChanges(...call) {
        const page = await provider.listChanges(...call)
        return 'isExpired' in page ? page : { ...page, changed: page.changed.map(shorten) }
      },
    }
    world.tools.getProvider = () => shortening as CalendarProvider
    await addEvent(database, world, MORNING)
    await world.write()
    await readCalendar(world.tools, world.link, shortening as CalendarProvider)
    expect(await world.countPending()).to.equal(0)
    const before = world.writes().length
    await world.write()
    expect(world.writes().length).to.equal(before)
  })

  it('creates one entry although the answer is lost', async () => {
    await addEvent(database, world, MORNING)
    loseAnswer(CREATE)
    expect(await findFault(world.write())).to.include({ kind: 'unavailable' })
    expect(await world.countEntries()).to.equal(1)
    await world.write()
    expect(await world.countEntries()).to.equal(1)
    const [row] = await world.rows()
    expect(row).to.include({ failures: 0, fault: null })
    expect(row?.entry_id).to.equal((await world.list())[0]?.id)
  })

  it('creates one entry although the event moved before the lost answer was found again', async () => {
    const event = await addEvent(database, world, MORNING)
    loseAnswer(CREATE)
    await findFault(world.write())
    await moveEvent(database, event, NOON)
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T12:00'), at('20T13:00')]])
    expect(await world.countEntries()).to.equal(1)
  })

  it('removes an entry whose answer was lost and whose event is gone', async () => {
    const event = await addEvent(database, world, MORNING)
    loseAnswer(CREATE)
    await findFault(world.write())
    await deleteEvent(event)
    await world.write()
    expect(await world.countEntries()).to.equal(0)
    expect(await world.rows()).to.deep.equal([])
  })

  it('finds an entry whose answer was lost when it reads the calendar', async () => {
    await addEvent(database, world, MORNING)
    loseAnswer(CREATE)
    await findFault(world.write())
    await world.read()
    expect(await world.rows()).to.have.length(1)
    await world.write()
    expect(await world.countEntries()).to.equal(1)
    expect(await world.countPending()).to.equal(0)
  })

  it('changes an entry although the answer is lost, even if the event moved back meanwhile', async () => {
    const event = await addEvent(database, world, MORNING)
    await world.write()
    await world.read()
    await moveEvent(database, event, NOON)
    loseAnswer(CHANGE)
    expect(await findFault(world.write())).to.include({ kind: 'unavailable' })
    await moveEvent(database, event, MORNING)
    await world.read()
    // The calendar has the time of a call whose answer is unknown. Nobody moved the meeting outside.
    expect(await world.countPending()).to.equal(0)
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T09:00'), at('20T10:00')]])
    await world.read()
    expect(await world.countPending()).to.equal(0)
  })

  it('cancels an entry although the answer is lost', async () => {
    const event = await addEvent(database, world, MORNING)
    await world.write()
    await deleteEvent(event)
    loseAnswer(['DELETE'])
    expect(await findFault(world.write())).to.include({ kind: 'unavailable' })
    await world.write()
    expect(await world.countEntries()).to.equal(0)
    expect(await world.rows()).to.deep.equal([])
  })

  it('leaves it to the job what happens if somebody moved the entry meanwhile', async () => {
    const event = await addEvent(database, world, MORNING)
    await world.write()
    const [entry] = await world.list()
    const moved = {
      title: 'Planning',
      text: '',
      from: at('20T15:00'),
      to: at('20T16:00'),
      isPrivate: false,
      attendees: [],
    }
    await world.provider.changeEntry(world.calendar, entry?.id ?? '', entry?.version ?? '', moved)
    await moveEvent(database, event, NOON)
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T15:00'), at('20T16:00')]])
    expect(await world.countPending()).to.equal(1)
    const [row] = await world.rows()
    expect(row?.base).to.include({ from: at('20T09:00') })
    // The job found that both sides have changed, so Berth wins.
    await database('calendar_entries').update({ pending_since: null, base: null })
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T12:00'), at('20T13:00')]])
  })

  it('restores an entry that somebody deleted, if the job says so', async () => {
    await addEvent(database, world, MORNING)
    await world.write()
    await world.read()
    const [entry] = await world.list()
    await world.provider.cancelEntry(world.calendar, entry?.id ?? '')
    await world.read()
    expect(await world.countPending()).to.equal(1)
    await database('calendar_entries').update({ pending_since: null, base: null })
    for (let times = 0; times < 2; times++) {
      await world.write()
      expect(await shown()).to.deep.equal([['Planning', at('20T09:00'), at('20T10:00')]])
      expect(await world.rows()).to.have.length(1)
      await world.read()
      expect(await world.countPending()).to.equal(0)
      const [again] = await world.list()
      await world.provider.cancelEntry(world.calendar, again?.id ?? '')
      await world.read()
      await database('calendar_entries').update({ pending_since: null, base: null })
    }
  })

  it('creates another entry if the one with its key was deleted before the answer came', async () => {
    await addEvent(database, world, MORNING)
    loseAnswer(CREATE)
    await findFault(world.write())
    const [entry] = await world.list()
    await world.provider.cancelEntry(world.calendar, entry?.id ?? '')
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T09:00'), at('20T10:00')]])
    expect(await world.rows()).to.have.length(1)
  })

  it('goes on with other entries if the provider refuses one', async () => {
    const refused = await addEvent(database, world, MORNING)
    await addEvent(database, world, NOON)
    world.proxy.faults.push({
      matches: ({ method, url }) => CREATE.includes(method) && !url.pathname.endsWith('/token'),
      answer: { status: 400, body: 'No.' },
    })
    expect(await world.write()).to.deep.equal({ moreAt: NOW_MS + 60_000 })
    expect(await shown()).to.deep.equal([['Planning', at('20T12:00'), at('20T13:00')]])
    const row = (await world.rows()).find(({ event_id }) => event_id === refused)
    expect(row).to.include({ failures: 1, entry_id: null })
    expect(row?.fault).to.have.property('text')
    expect(world.logged.join()).to.include('an entry could not be written').and.not.include('Planning')
    const before = world.writes().length
    await world.write()
    expect(world.writes().length).to.equal(before)
    world.setNow(NOW_MS + 60_000)
    await world.write()
    expect(await world.countEntries()).to.equal(2)
  })

  it('forgets that the provider refused a change once the booking is the same as in the calendar again', async () => {
    const event = await addEvent(database, world, MORNING)
    await world.write()
    world.proxy.faults.push({
      matches: ({ method, url }) => CHANGE.includes(method) && !url.pathname.endsWith('/token'),
      answer: { status: 400, body: 'No.' },
    })
    await moveEvent(database, event, NOON)
    await world.write()
    expect((await world.rows())[0]?.fault).to.have.property('text')
    // The fault stays until then, although no write is due yet.
    await world.write()
    expect((await world.rows())[0]?.fault).to.have.property('text')
    await moveEvent(database, event, MORNING)
    await world.write()
    expect((await world.rows())[0]).to.include({ fault: null, failures: 0, next_write_at: null })
    expect(await shown()).to.deep.equal([['Planning', at('20T09:00'), at('20T10:00')]])
  })

  it('immediately changes an entry that the provider created although it answered with an error', async () => {
    const event = await addEvent(database, world, MORNING)
    world.proxy.faults.push({
      matches: ({ method, url }) => CREATE.includes(method) && !url.pathname.endsWith('/token'),
      isCarriedOut: true,
      answer: { status: 400, body: 'No.' },
    })
    await world.write()
    await world.read()
    await moveEvent(database, event, NOON)
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T12:00'), at('20T13:00')]])
    expect((await world.rows())[0]).to.include({ fault: null, failures: 0 })
  })

  it('keeps a meeting that gets the room back after the answer to the removal of its entry was lost', async () => {
    const event = await addEvent(database, world, MORNING)
    await world.write()
    await world.read()
    const room = { event_id: event, bookable_id: world.bookableId }
    await database('bookings').where(room).delete()
    loseAnswer(['DELETE'])
    expect(await world.write().catch(({ kind }) => kind)).to.equal('unavailable')
    await addBooking(database, world, MORNING, { event_id: event })
    await world.read()
    expect(await world.countPending()).to.equal(0)
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T09:00'), at('20T10:00')]])
  })

  it('creates nothing after the end of a booking whose entry the provider refused, and forgets the refusal', async () => {
    await addEvent(database, world, MORNING)
    world.proxy.faults.push({
      matches: ({ method, url }) => CREATE.includes(method) && !url.pathname.endsWith('/token'),
      answer: { status: 400, body: 'No.' },
    })
    await world.write()
    const before = world.writes().length
    world.setNow(NOW_MS + 5 * HOUR_MS)
    await world.write()
    expect((await world.rows())[0]).to.include({ fault: null, failures: 0, next_write_at: null })
    world.setNow(NOW_MS + 30 * HOUR_MS)
    await world.write()
    expect(await world.rows()).to.deep.equal([])
    expect(world.writes().length).to.equal(before)
  })

  it('creates at once what the provider refused, with its new content, when somebody has corrected it', async () => {
    const event = await addEvent(database, world, MORNING, { name: 'Refused' })
    const refuse = () =>
      world.proxy.faults.push({
        matches: ({ method, url }) => CREATE.includes(method) && !url.pathname.endsWith('/token'),
        answer: { status: 400, body: 'No.' },
      })
    refuse()
    await world.write()
    await database('events').where({ id: event }).update({ name: 'Refused again' })
    refuse()
    expect(await world.write()).to.deep.equal({ moreAt: NOW_MS + 5 * 60_000 })
    expect(await shown()).to.deep.equal([])
    await database('events').where({ id: event }).update({ name: 'Corrected' })
    await world.write()
    expect(await shown()).to.deep.equal([['Corrected', at('20T09:00'), at('20T10:00')]])
    await world.read()
    expect(await world.countPending()).to.equal(0)
    const [row] = await world.rows()
    expect(row).to.include({ fault: null, failures: 0, next_write_at: null })
  })

  it('writes a new time after the answer to a corrected creation was lost', async () => {
    const event = await addEvent(database, world, MORNING, { name: 'Refused' })
    world.proxy.faults.push({
      matches: ({ method, url }) => CREATE.includes(method) && !url.pathname.endsWith('/token'),
      answer: { status: 400, body: 'No.' },
    })
    await world.write()
    await database('events').where({ id: event }).update({ name: 'Corrected' })
    loseAnswer(CREATE)
    await world.write().catch(() => undefined)
    await moveEvent(database, event, NOON)
    await world.write()
    expect(await shown()).to.deep.equal([['Corrected', at('20T12:00'), at('20T13:00')]])
    await world.read()
    expect(await world.countPending()).to.equal(0)
  })

  it('extends the entry of a booking without an end whose row was deleted during an outage', async () => {
    await addBooking(database, world, '19T12:00 ')
    await world.write()
    await database('calendar_entries').where({ bookable_id: world.bookableId }).delete()
    world.setNow(Date.parse(at('22T08:00')))
    await world.write()
    expect((await shown()).map(([, from, to]) => [from, to])).to.deep.equal([
      [at('19T12:00'), at('22T23:00')],
    ])
    expect(await world.countEntries()).to.equal(1)
  })

  it('ends the round if the provider asks for fewer requests', async () => {
    await addEvent(database, world, MORNING)
    await addEvent(database, world, NOON)
    await world.write()
    await addEvent(database, world, EVENING)
    const before = world.writes().length
    world.proxy.faults.push({
      matches: ({ method }) => CREATE.includes(method),
      answer: { status: 429, headers: { 'Retry-After': '17' } },
    })
    expect(await findFault(world.write())).to.include({ kind: 'throttled', retryAfterMs: 17_000 })
    expect(world.writes().length).to.equal(before + 1)
    await world.write()
    expect(await world.countEntries()).to.equal(3)
  })

  it('puts an entry behind the others if the provider fails with it again and again', async () => {
    await addEvent(database, world, MORNING, { name: 'Poison' })
    await addEvent(database, world, NOON)
    for (let times = 0; times < 3; times++) {
      world.proxy.faults.push({
        matches: ({ method, body }) => CREATE.includes(method) && body.includes('Poison'),
        answer: { status: 500 },
      })
      expect(await findFault(world.write())).to.satisfy((fault: unknown) => isFault(fault, 'unavailable'))
    }
    await world.write()
    expect(await shown()).to.deep.equal([['Planning', at('20T12:00'), at('20T13:00')]])
  })

  it('follows a storm of changes with at most 100 calls a round', async function storm() {
    this.timeout(120_000)
    const start = "CAST('2030-11-21T00:00Z' AS timestamptz) + number * interval '1 hour'"
    const organizer = await createUser(database)
    await database.raw(
      `WITH made AS (
         INSERT INTO events (name, organizer_user_id, during)
         SELECT 'Planning', ?, tstzrange(${start}, ${start} + interval '30 minutes') FROM generate_series(1, 120) AS number
         RETURNING id, during
       )
       INSERT INTO bookings (bookable_id, event_id, during, exclusive) SELECT ?, id, during, true FROM made`,
      [organizer, world.bookableId],
    )
    const events = await database('events').where({ organizer_user_id: organizer }).orderBy('id').pluck('id')
    const first = await world.write()
    expect(first).to.deep.equal({ moreAt: NOW_MS })
    expect(await world.countEntries()).to.equal(100)
    await database('events').whereIn('id', events.slice(0, 40)).delete()
    await database.raw(
      "UPDATE bookings SET during = tstzrange(lower(during) + interval '5 minutes', upper(during)) WHERE event_id = ANY (?)",
      [events.slice(40, 80)],
    )
    while ((await world.write()).moreAt === NOW_MS) await world.read()
    const expected = await database('bookings')
      .where({ bookable_id: world.bookableId })
      .orderByRaw('lower(during)')
      .select(database.raw('lower(during) AS start'))
    expect((await world.list()).map(({ from }) => Date.parse(from))).to.deep.equal(
      expected.map(({ start }: { start: Date }) => new Date(start).getTime()),
    )
    await world.read()
    expect(await world.countPending()).to.equal(0)
  })

  it('writes one after the other, in the order of the changes', async () => {
    const second = await addEvent(database, world, NOON, { updated_at: at('20T07:30') })
    const first = await addEvent(database, world, MORNING, { updated_at: at('20T07:00') })
    await database('bookings').update({ updated_at: at('20T06:00') })
    await world.write()
    const created = await database('calendar_entries')
      .where({ bookable_id: world.bookableId })
      .orderBy('id')
      .pluck('event_id')
    expect(created).to.deep.equal([first, second])
  })

  it('writes nothing before the calendar has been read completely', async () => {
    await addEvent(database, world, MORNING)
    world.link.isComplete = false
    await world.write()
    expect(world.writes()).to.deep.equal([])
  })

  it('ends the round when the process stops', async () => {
    await addEvent(database, world, MORNING)
    world.link.mustEnd = () => true
    expect(await world.write()).to.deep.equal({ moreAt: NOW_MS })
    expect(world.writes()).to.deep.equal([])
  })

  it('stops calling the provider once another process has the lease', async () => {
    const event = await addEvent(database, world, MORNING)
    await world.write()
    await deleteEvent(event)
    await addEvent(database, world, NOON)
    const [{ length }, rows] = [world.writes(), await world.rows()]
    await database('room_calendars').where({ bookable_id: world.bookableId }).update({ lease: null })
    expect(await world.write().catch((error: unknown) => error)).to.be.an.instanceOf(LeaseLost)
    expect(world.writes()).to.have.length(length)
    expect(await world.rows()).to.deep.equal(rows)
  })

  it('stops calling the provider once somebody has unlinked the room', async () => {
    const gone = [await addEvent(database, world, MORNING), await addEvent(database, world, NOON)]
    await world.write()
    await database('events').whereIn('id', gone).delete()
    const { provider } = world
    let calls = 0
    world.tools.getProvider = () =>
      Object.assign(Object.create(provider), {
        async cancelEntry() {
          calls++
          await database('room_calendars')
            .where({ bookable_id: world.bookableId })
            .update({ is_ending: true })
        },
      })
    expect(await world.write().catch((error: unknown) => error)).to.be.an.instanceOf(LeaseLost)
    expect(calls).to.equal(1)
  })
})
