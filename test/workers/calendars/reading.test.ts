// How the engine reads calendars and stores what it read, with every provider.

import { randomBytes } from 'node:crypto'
import type { Queue } from 'bullmq'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import type { Envelope, InputOf } from '../../../shared/jobs/jobs.ts'
import { openQueue } from '../../../shared/runtime/queues.ts'
import { createEntryKey } from '../../../workers/calendars/entry-keys.ts'
import { toSeenEntry } from '../../../workers/calendars/reading/seen-entries.ts'
import { describeWithRadicale } from '../../support/calendars/caldav-servers.ts'
import { KEYS } from '../../support/databases.ts'
import { openRedis } from '../../support/redis.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'
import { CalendarEngine, OPEN_WORLDS } from './engine-world.ts'
import { createIcs, type openCalDav, type ProviderWorld } from './provider-worlds.ts'

type CalDavWorld = Awaited<ReturnType<typeof openCalDav>>

const DAY_MS = 24 * 3_600_000

/** An instant some days from now, at a time in UTC. */
function inDays(days: number, time = '10:00'): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)}T${time}:00.000000Z`
}
const at = (days: number, from = '10:00', to = '11:00') => ({
  from: inDays(days, from),
  to: inDays(days, to),
})

function describeReading(name: keyof typeof OPEN_WORLDS) {
  describe(`reading calendars of ${name}`, function suite() {
    this.timeout(240_000)
    const world = useWorld({ workers: [] })
    let outside: ProviderWorld
    let engine: CalendarEngine

    const redis: Redis = useWith(
      world,
      () => openRedis(world.config, { part: 'writes' }),
      (opened) => opened.disconnect(),
    )
    const queue: Queue = useWith(
      redis,
      () => openQueue('writes', redis, KEYS),
      (opened) => opened.close(),
    )
    beforeEach(async () => {
      outside = await OPEN_WORLDS[name]()
      engine = new CalendarEngine(world, outside)
      await queue.obliterate({ force: true })
      await world.database('room_calendars').delete()
    })
    afterEach(async () => {
      await engine.stop()
      await outside.close()
    })
    const listJobs = async (): Promise<Array<Envelope<InputOf<'room-calendars.apply'>>>> =>
      (await queue.getJobs(['prioritized', 'waiting'])).map(({ data }) => data)

    it('stores all pages, and queues a job for each entry that takes time', async () => {
      for (let day = 1; day <= 7; day++) await outside.addMeeting({ title: `Day ${day}`, ...at(day) })
      await outside.addMeeting({ title: 'Secret', ...at(8), isPrivate: true })
      await outside.addMeeting({ title: 'Note', ...at(9), isFree: true })
      const room = await engine.link()
      engine.start()
      const titles = [1, 2, 3, 4, 5, 6, 7].map((day) => `Day ${day}`)
      const entries = await engine.waitForTitles([...titles, '', 'Note'])
      const [first, secret, note] = [entries[0], entries[7], entries[8]]
      expect(first?.seen).to.deep.include({
        ...at(1),
        isOwn: false,
        isFree: false,
        organizer: { address: 'ann@corp.test', name: 'Ann' },
        attendees: [{ address: 'bob@corp.test', name: 'Bob' }],
      })
      expect(secret?.seen).to.deep.include({ isPrivate: true, title: '', organizer: null, attendees: [] })
      expect(note?.pending_since).to.equal(null)
      const waiting = entries.filter(({ pending_since }) => pending_since)
      expect(waiting).to.have.length(8)
      const waitForJobs = (count: number) =>
        eventually(async () => {
          const found = await listJobs()
          expect(found).to.have.length(count)
          return found
        })
      // Jobs of the other entries follow once the first ones are done.
      const firstIds = (await waitForJobs(4)).map(({ input }) => input.entry_id)
      await world
        .database('calendar_entries')
        .whereIn('id', firstIds)
        .update({ base: world.database.ref('seen'), pending_since: null, queued_at: null })
      const jobs = await waitForJobs(8)
      expect(jobs.map(({ input }) => input.entry_id)).to.have.members(waiting.map(({ id }) => id))
      expect(jobs[0]).to.deep.include({
        database: jobs[0]?.database,
        actor: { type: 'system', id: null, name: 'calendar' },
        replyTo: null,
      })
      expect(jobs[0]?.input).to.include({ revision: 1, applies_rules: false })
      const link = await engine.findLink(room)
      expect(link).to.include({ is_complete: true, reading: 1, fault: null, in_step_at: null })
    })

    it('is in step once everything is applied, and an entry that comes back unchanged is not pending', async () => {
      await outside.addMeeting({ title: 'Standup', ...at(1) })
      await engine.link()
      engine.start()
      await engine.waitForTitles(['Standup'])
      await engine.apply()
      await engine.readAgain()
      await eventually(async () => expect((await engine.findLink()).in_step_at).not.to.equal(null))
      await world.database('room_calendars').update({ position: null })
      await engine.readAgain()
      const [entry] = await engine.list()
      expect(entry).to.include({ pending_since: null, revision: 1, reading: 2 })
      expect((await engine.findLink()).is_complete).to.equal(true)
    })

    it('makes entries pending that were moved, added or removed', async () => {
      await outside.addMeeting({ title: 'Kept', ...at(1) })
      const moved = await outside.addMeeting({ title: 'Moved', ...at(2) })
      const gone = await outside.addMeeting({ title: 'Gone', ...at(3) })
      await engine.link()
      engine.start()
      await engine.waitForTitles(['Kept', 'Moved', 'Gone'])
      await engine.apply()
      await outside.move(moved, inDays(4, '12:00'), inDays(4, '13:00'))
      await outside.remove(gone)
      await outside.addMeeting({ title: 'Added', ...at(5) })
      await engine.notify()
      const [kept, changed, added] = await engine.waitForTitles(['Kept', 'Moved', 'Added'])
      expect(kept?.pending_since).to.equal(null)
      expect(changed?.seen).to.include({ from: inDays(4, '12:00'), to: inDays(4, '13:00') })
      expect(changed).to.include({ revision: 2 })
      const lost = (await engine.listAll()).find(({ seen }) => seen.isGone)
      expect(lost).to.include({ revision: 2 })
      expect(lost?.seen).to.include({ ...at(3), title: '', digest: 'gone' })
      for (const each of [changed, added, lost]) expect(each?.pending_since).to.be.a('string')
    })

    it('follows the occurrences of a series, and its end', async () => {
      const local = inDays(2).slice(0, 16)
      const series = await outside.addSeries('Weekly', local, 4)
      await outside.addMeeting({ title: 'Other', ...at(1) })
      await engine.link()
      engine.start()
      const entries = await engine.waitForTitles(['Other', 'Weekly', 'Weekly', 'Weekly', 'Weekly'])
      expect(new Set(entries.slice(1).map((entry) => entry.series))).to.have.property('size', 1)
      expect(entries[1]?.series).to.be.a('string')
      await engine.apply()
      await outside.cancelOccurrence(series, 1)
      await outside.moveOccurrence(series, 0, ...(Object.values(at(3)) as [string, string]))
      await engine.notify()
      await engine.waitForTitles(['Other', 'Weekly', 'Weekly', 'Weekly'])
      await eventually(async () => {
        const pending = (await engine.listAll()).filter(({ pending_since }) => pending_since)
        expect(pending.map(({ seen }) => seen.isGone)).to.have.members([true, false])
      })
      await engine.apply()
      await outside.remove(series)
      await engine.notify()
      await engine.waitForTitles(['Other'])
      const gone = (await engine.listAll()).filter(({ pending_since }) => pending_since)
      expect(gone).to.have.length(3)
    })

    it('queues what frees time before what takes it', async () => {
      const gone = await outside.addMeeting({ title: 'Gone', ...at(3) })
      await engine.link()
      engine.start()
      await engine.waitForTitles(['Gone'])
      await engine.apply()
      // A round that still runs could queue another job for the entry.
      await engine.readAgain()
      await queue.obliterate({ force: true })
      await outside.remove(gone)
      await outside.addMeeting({ title: 'Instead', ...at(3) })
      await engine.notify()
      await engine.waitForTitles(['Instead'])
      // On a busy machine, an entry may already be queued for the second time.
      const listQueuedEntries = async () => [
        ...new Set((await listJobs()).map(({ input }) => input.entry_id)),
      ]
      const lost = (await engine.listAll()).find(({ seen }) => seen.isGone)
      await eventually(async () => expect(await listQueuedEntries()).to.deep.equal([lost?.id]))
      await world.database('calendar_entries').where({ id: lost?.id }).update({ pending_since: null })
      await eventually(async () => expect(await listQueuedEntries()).to.have.length(2))
    })

    it('gives all-day entries other times once the building has another time zone', async () => {
      await outside.addAllDay('Fair', inDays(2).slice(0, 10), inDays(3).slice(0, 10))
      const room = await engine.link()
      engine.start()
      const [entry] = await engine.waitForTitles(['Fair'])
      // Midnight in Berlin.
      expect(entry?.seen.from).to.match(/T2[23]:00:00/)
      await eventually(async () =>
        expect(await engine.findLink()).to.include({ is_complete: true, lease: null }),
      )
      await engine.apply()
      await world.database('buildings').update({ timezone: 'Asia/Tokyo' })
      // Makes the calendar due, as Berth does when it follows the change of a building in the outbox.
      await world
        .database('room_calendars')
        .where({ bookable_id: room })
        .update({ next_write_at: new Date(0) })
      await eventually(async () => expect(await engine.findLink()).to.include({ read_zone: 'Asia/Tokyo' }))
      // Microsoft 365 itself names the zone of these dates, so they do not move.
      if (name === 'microsoft') return
      await eventually(async () => {
        const [moved] = await engine.list()
        expect(moved?.seen.from).to.match(/T15:00:00/)
        expect(moved?.pending_since).to.be.a('string')
      })
    })

    it('begins anew when the provider forgets its position, also while it reads', async () => {
      const gone = await outside.addMeeting({ title: 'Gone', ...at(1) })
      for (let day = 2; day <= 5; day++) await outside.addMeeting({ title: `Day ${day}`, ...at(day) })
      await engine.link()
      engine.start()
      await engine.waitForTitles(['Gone', 'Day 2', 'Day 3', 'Day 4', 'Day 5'])
      await engine.apply()
      await outside.remove(gone)
      await outside.forgetPositions()
      await engine.notify()
      await engine.waitForTitles(['Day 2', 'Day 3', 'Day 4', 'Day 5'])
      await eventually(async () =>
        expect(await engine.findLink()).to.include({ reading: 2, is_complete: true }),
      )
      const pending = (await engine.listAll()).filter(({ pending_since }) => pending_since)
      expect(pending.map(({ seen }) => seen.isGone)).to.deep.equal([true])
      await engine.apply()

      // The positions are gone between two pages.
      const added = await outside.addMeeting({ title: 'Added', ...at(6) })
      await outside.forgetPositions()
      await world.database('room_calendars').update({ position: null })
      outside.proxy.faults.push(
        { matches: () => false },
        { matches: isListing, isCarriedOut: true, answer: { status: 503, body: '' } },
      )
      await engine.notify()
      await eventually(async () => expect((await engine.findLink()).fault_kind).to.equal('unavailable'))
      await outside.forgetPositions()
      await world.database('room_calendars').update({ retry_at: null })
      await engine.waitForTitles(['Day 2', 'Day 3', 'Day 4', 'Day 5', 'Added'])
      await outside.remove(added)
    })

    it('stores a page and its position together, or neither of them', async () => {
      for (let day = 1; day <= 5; day++) await outside.addMeeting({ title: `Day ${day}`, ...at(day) })
      await engine.link()
      // The process dies, or the database fails, at the last entry of a page.
      await world.database.raw(`
        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF NEW.seen ->> 'title' = 'Day 5' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$;
        CREATE TRIGGER fails BEFORE INSERT ON calendar_entries FOR EACH ROW EXECUTE FUNCTION fail()`)
      engine.start()
      await eventually(async () => expect((await engine.findLink()).fault_kind).to.equal('internal'))
      const link = await engine.findLink()
      const stored = await engine.list()
      expect(link.is_complete).to.equal(false)
      expect(stored.map(({ seen }) => seen.title)).not.to.include('Day 5')
      // A page that failed is not left out: what the position says was read is stored.
      if (link.position === null) expect(stored).to.deep.equal([])
      await world.database.raw('DROP TRIGGER fails ON calendar_entries; DROP FUNCTION fail')
      await world.database('room_calendars').update({ retry_at: null })
      await engine.waitForTitles([1, 2, 3, 4, 5].map((day) => `Day ${day}`))
      await eventually(async () =>
        expect(await engine.findLink()).to.include({ fault: null, failures: 0, is_complete: true }),
      )
    })

    it('says that the credentials are refused, and goes on once they are right', async () => {
      await outside.addMeeting({ title: 'Standup', ...at(1) })
      await engine.link()
      const wrong = { secret: 'wrong-secret', password: 'wrong-password' }
      const refused = engine.start({ settings: wrong })
      await eventually(async () =>
        expect((await engine.findLink()).fault_kind).to.equal('credentials_refused'),
      )
      const { fault, fault_since, failures } = await engine.findLink()
      expect(failures).to.equal(1)
      expect(fault_since).to.be.a('string')
      expect(JSON.stringify(fault)).to.not.match(/wrong-/)
      await refused.stop()
      await world.database('room_calendars').update({ retry_at: null })
      engine.start()
      await engine.waitForTitles(['Standup'])
      await eventually(async () =>
        expect(await engine.findLink()).to.include({ fault: null, fault_since: null, failures: 0 }),
      )
    })

    it('waits for as long as a provider that throttles says', async () => {
      await outside.addMeeting({ title: 'Standup', ...at(1) })
      await engine.link()
      outside.proxy.faults.push({
        matches: isListing,
        answer: { status: 429, headers: { 'Retry-After': '600' }, body: '' },
      })
      engine.start()
      const link = await eventually(async () => {
        const found = await engine.findLink()
        expect(found.fault_kind).to.equal('throttled')
        return found
      })
      const waitMs = Date.parse(link.retry_at) - Date.parse(link.fault_since)
      expect(waitMs).to.equal(600_000)
      // Microsoft 365 and Google count the requests for each mailbox, and a CalDAV server those of its one account.
      const { length } = outside.proxy.requests
      await engine.link({ calendar: 'other@rooms.test' })
      if (name === 'caldav') await new Promise((resolve) => setTimeout(resolve, 1_500))
      else await eventually(() => expect(outside.proxy.requests).to.have.length.above(length))
      if (name === 'caldav') expect(outside.proxy.requests).to.have.length(length)
      await engine.stop()
      await world.database('room_calendars').update({ retry_at: null })
      await world.database('room_calendars').where({ calendar: 'other@rooms.test' }).delete()
    })

    it('lists the rooms of the provider', async () => {
      await world.database('calendar_providers').delete()
      engine.start()
      const names = await eventually(async () => {
        const found = await world.database('provider_rooms').orderBy('name').pluck('name')
        expect(found).not.to.have.length(0)
        return found
      })
      expect(names).to.deep.equal(['Aquarium', 'Balcony', 'Cellar', 'Den'])
      const [provider] = await world.database('calendar_providers')
      expect(provider).to.include({ provider: name, fault: null })
      expect(Date.parse(provider.next_list_at) - Date.parse(provider.rooms_listed_at)).to.equal(3_600_000)
    })

    it('finds entries that Berth wrote by their key, and leaves them alone until somebody moves them', async () => {
      const room = await engine.link()
      const event_id = await engine.book('Ours', at(2))
      const key = createEntryKey({ identity: KEYS.database, kind: 'event', id: event_id, ownerId: room })
      const content = { ...at(2), title: 'Ours', text: 'Booked in Berth', isPrivate: false, attendees: [] }
      // The answer to the creation was lost.
      await world.database('calendar_entries').insert({
        bookable_id: room,
        key,
        event_id,
        base: { ...at(2), title: 'Ours', text: 'Booked in Berth', isPrivate: false },
        during: world.database.raw('tstzrange(?, ?)', [at(2).from, at(2).to]),
      })
      const { id } = await outside.provider.createEntry(outside.calendar, key, content)
      engine.start()
      const [entry] = await engine.waitForTitles(['Ours'])
      expect(entry).to.include({ entry_id: id, key, event_id, pending_since: null })
      const { version } = await outside.provider.createEntry(outside.calendar, key, content)
      await outside.provider.changeEntry(outside.calendar, id, version, { ...content, ...at(3) })
      await engine.notify()
      await eventually(async () => {
        const [moved] = await engine.list()
        expect(moved?.seen).to.include(at(3))
        expect(moved?.pending_since).to.be.a('string')
      })
      await engine.apply()
      await outside.provider.cancelEntry(outside.calendar, id)
      await engine.notify()
      await eventually(async () => {
        const [gone] = await engine.listAll()
        expect(gone?.seen.isGone).to.equal(true)
        expect(gone?.pending_since).to.be.a('string')
      })
    })

    it('understands entries that Berth wrote before the calendar was linked again', async () => {
      const room = await engine.link()
      const key = createEntryKey({ identity: KEYS.database, kind: 'booking', id: 9, ownerId: room })
      const content = { ...at(2), title: 'Ours', text: '', isPrivate: false, attendees: [] }
      await outside.provider.createEntry(outside.calendar, key, content)
      const ofOther = createEntryKey({ identity: 'other', kind: 'booking', id: 9, ownerId: room })
      await outside.provider.createEntry(outside.calendar, ofOther, { ...content, ...at(3), title: 'Theirs' })
      engine.start()
      const [ours, theirs] = await engine.waitForTitles(['Ours', 'Theirs'])
      expect(ours).to.include({ key, booking_id: 9, event_id: null, pending_since: null })
      expect(theirs).to.include({ key: null, booking_id: null })
      expect(theirs?.pending_since).to.be.a('string')
    })

    it('removes what Berth wrote for another room that was linked to the calendar by mistake', async () => {
      const room = await engine.link({ next_write_at: new Date(0) })
      const content = { ...at(2), title: 'Elsewhere', text: '', isPrivate: false, attendees: [] }
      await outside.addMeeting({ title: 'Meeting', ...at(1) })
      for (const kind of ['booking', 'event'] as const) {
        const key = createEntryKey({ identity: KEYS.database, kind, id: 9, ownerId: room + 1 })
        await outside.provider.createEntry(outside.calendar, key, content)
      }
      engine.start()
      await engine.waitForTitles(['Meeting'])
      await engine.apply()
      await eventually(async () => expect(await outside.countEntries()).to.equal(1))
      await eventually(async () => expect(await engine.findLink()).to.include({ lease: null }))
      expect(await engine.listAll()).to.have.length(1)
      const queued = (await listJobs()).map(({ input }) => input.entry_id)
      expect(queued).to.deep.equal((await engine.list()).map(({ id }) => id))
    })

    if (name === 'caldav')
      it('keeps an entry that can no longer be read, and shows it among the conflicts', async () => {
        const broken = `${outside.calendar.id}broken.ics`
        const put = (lines: string[]) => (outside as CalDavWorld).server.put(broken, createIcs(lines))
        const times = (days: number) => [
          `DTSTART:${inDays(days).slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
          `DTEND:${inDays(days, '11:00').slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
        ]
        await put(['UID:broken', 'SUMMARY:Fine', ...times(1)])
        await engine.link()
        engine.start()
        await engine.waitForTitles(['Fine'])
        await engine.apply()
        await put(['UID:broken', 'SUMMARY:Broken', 'RRULE:FREQ=SECONDLY', ...times(1)])
        await engine.notify()
        const entry = await eventually(async () => {
          const [found] = await engine.list()
          expect(found?.conflict?.message.text).to.equal('The entry cannot be read: {0}')
          return found
        })
        expect(entry?.seen).to.include({ ...at(1), isGone: false })
        expect(entry?.pending_since).to.equal(null)
        await engine.readAgain()
        await put(['UID:broken', 'SUMMARY:Fine again', ...times(1)])
        await engine.notify()
        const [again] = await engine.waitForTitles(['Fine again'])
        expect(again).to.include({ conflict: null })
        expect(again?.pending_since).to.be.a('string')
      })

    if (name === 'caldav')
      it('recognizes an entry of Berth that it could not read at first', async () => {
        const room = await engine.link()
        const event_id = await engine.book('Ours', at(2))
        const key = createEntryKey({ identity: KEYS.database, kind: 'event', id: event_id, ownerId: room })
        const content = { ...at(2), title: 'Ours', text: '', isPrivate: false, attendees: [] }
        // The answer to the creation was lost.
        await world.database('calendar_entries').insert({ bookable_id: room, key, event_id, base: content })
        const { id } = await outside.provider.createEntry(outside.calendar, key, content)
        const { server } = outside as CalDavWorld
        const text = await server.request('GET', id)
        await server.put(id, text.replace('END:VEVENT', 'RRULE:FREQ=HOURLY\r\nEND:VEVENT'))
        engine.start()
        await eventually(async () => expect(await engine.listAll()).to.have.length(2))
        await server.put(id, text)
        await engine.notify()
        await eventually(async () => {
          const [entry, ...others] = await engine.listAll()
          expect(entry).to.include({ key, entry_id: id, event_id, conflict: null })
          expect(others).to.deep.equal([])
        })
      })

    if (name === 'caldav')
      it('reads the other entries beside one with a long UID, and one that begins before the year 1', async () => {
        const { server, calendar } = outside as CalDavWorld
        const end = (days: number) => `DTEND:${inDays(days).slice(0, 19).replaceAll(/[-:]/g, '')}Z`
        const uid = randomBytes(3_000).toString('base64')
        const put = (file: string, lines: string[]) =>
          server.put(`${calendar.id}${file}.ics`, createIcs(lines))
        const start = inDays(1, '09:00').slice(0, 19).replaceAll(/[-:]/g, '')
        await put('long', [`UID:${uid}`, 'SUMMARY:Long', `DTSTART:${start}Z`, end(1)])
        // In the zone of the building, which is east of Greenwich.
        const date = inDays(2).slice(0, 10).replaceAll('-', '')
        await put('old', ['UID:old', 'DTSTART;VALUE=DATE:00010101', `DTEND;VALUE=DATE:${date}`])
        await outside.addMeeting({ title: 'Other', ...at(3) })
        await engine.link()
        engine.start()
        const entries = await eventually(async () => {
          expect(await engine.findLink()).to.include({ fault: null, is_complete: true })
          return engine.list()
        })
        const titles = entries.map(({ seen }) => seen.title ?? 'unreadable')
        expect(titles).to.deep.equal(['Long', 'Other', 'unreadable'])
        expect(entries[0]).to.have.property('uid').that.has.length.below(200)
      })

    it('keeps an entry of Berth that lies after the period of the reading', async () => {
      const room = await engine.link()
      await outside.addMeeting({ title: 'Other', ...at(1) })
      engine.start()
      await engine.waitForTitles(['Other'])
      await eventually(async () =>
        expect(await engine.findLink()).to.include({ is_complete: true, lease: null }),
      )
      const key = createEntryKey({ identity: KEYS.database, kind: 'booking', id: 9, ownerId: room })
      // The period ends 366 days after the reading began. Days later, somebody books the room a year ahead.
      const content = { ...at(368), title: 'Ours', text: '', isPrivate: false, attendees: [] }
      const entry = await outside.provider.createEntry(outside.calendar, key, content)
      const seen = toSeenEntry(entry, outside.calendar)
      const base = { ...at(368), title: 'Ours', text: '', isPrivate: false, digest: seen.digest }
      const during = world.database.raw('tstzrange(?, ?)', [at(368).from, at(368).to])
      await world
        .database('calendar_entries')
        .insert({ bookable_id: room, entry_id: entry.id, key, booking_id: 9, during, seen, base, reading: 1 })
      await outside.addMeeting({ title: 'Last', ...at(2) })
      await engine.notify()
      const [, , ours] = await engine.waitForTitles(['Other', 'Last', 'Ours'])
      expect(ours).to.include({ pending_since: null })
      // What somebody deletes there is gone nevertheless.
      await outside.provider.cancelEntry(outside.calendar, entry.id)
      if (name === 'microsoft') return
      await engine.notify()
      await engine.waitForTitles(['Other', 'Last'])
    })

    it('cancels nothing if the calendar has lost all entries that Berth wrote', async () => {
      const room = await engine.link()
      await outside.addMeeting({ title: 'Other', ...at(1) })
      engine.start()
      await engine.waitForTitles(['Other'])
      await eventually(async () =>
        expect(await engine.findLink()).to.include({ is_complete: true, lease: null }),
      )
      const rows = Array.from({ length: 10 }, (_each, index) => ({
        bookable_id: room,
        entry_id: name === 'caldav' ? `${outside.calendar.id}${index}.ics` : `lost${index}`,
        key: createEntryKey({ identity: KEYS.database, kind: 'event', id: index + 1, ownerId: room }),
        event_id: index + 1,
        base: { ...at(index + 2), title: 'Ours', text: '', isPrivate: false },
        during: world.database.raw('tstzrange(?, ?)', [at(index + 2).from, at(index + 2).to]),
        reading: 1,
      }))
      await world.database('calendar_entries').insert(rows)
      await world.database('room_calendars').update({ position: null })
      await engine.notify()
      await eventually(async () => expect((await engine.findLink()).fault_kind).to.equal('emptied'))
      const ours = (await engine.listAll()).filter(({ key }) => key !== null)
      expect(ours.map(({ pending_since }) => pending_since)).to.deep.equal(rows.map(() => null))
      // One entry that is still there shows that somebody has removed the others one by one.
      const [first] = rows
      const content = { ...at(2), title: 'Ours', text: '', isPrivate: false, attendees: [] }
      await outside.provider.createEntry(outside.calendar, first?.key ?? '', content)
      await world.database('calendar_entries').where({ key: first?.key }).update({ entry_id: null })
      await world.database('room_calendars').update({ retry_at: null, position: null })
      await eventually(async () => {
        const pending = (await engine.listAll()).filter(({ key, pending_since }) => key && pending_since)
        expect(pending).to.have.length(9)
      })
    })

    it('asks for an entry of Berth before it counts as gone', async () => {
      const room = await engine.link()
      const key = createEntryKey({ identity: KEYS.database, kind: 'event', id: 7, ownerId: room })
      const content = { ...at(2), title: 'Ours', text: '', isPrivate: false, attendees: [] }
      await outside.addMeeting({ title: 'Other', ...at(1) })
      engine.start()
      await engine.waitForTitles(['Other'])
      await engine.stop()
      const { id } = await outside.provider.createEntry(outside.calendar, key, content)
      const base = { ...at(2), title: 'Ours', text: '', isPrivate: false }
      const during = world.database.raw('tstzrange(?, ?)', [at(2).from, at(2).to])
      const rest = { bookable_id: room, event_id: 7, base, during, reading: 1 }
      // Somebody has moved one entry out of the period, so that no list names it. The other one does not exist.
      const { version } = await outside.provider.createEntry(outside.calendar, key, content)
      await outside.provider.changeEntry(outside.calendar, id, version, { ...content, ...at(700) })
      await world.database('calendar_entries').insert({ ...rest, key, entry_id: id })
      await world.database('calendar_entries').insert({
        ...rest,
        key: `${key}0`,
        entry_id: name === 'caldav' ? `${outside.calendar.id}x.ics` : 'x',
      })
      await world.database('room_calendars').update({ position: null })
      engine.start()
      await engine.notify()
      await eventually(async () => {
        const all = await engine.listAll()
        expect(all.map(({ seen }) => [seen?.title, seen?.isGone])).to.deep.equal([
          ['Other', false],
          ['', true],
          ['Ours', false],
        ])
      })
      await eventually(async () =>
        expect(await engine.findLink()).to.include({ is_complete: true, reading: 2 }),
      )
    })
  })
}

const isListing = ({ method, url }: { method: string; url: URL }) =>
  /\/events$|delta|aquarium/.test(decodeURIComponent(url.pathname)) && ['GET', 'REPORT'].includes(method)

describeReading('microsoft')
describeReading('google')
describeWithRadicale('reading calendars of caldav', () => describeReading('caldav'))
