// Declares the suite that every calendar provider passes, whichever it is.
import { expect } from 'chai'
import fc from 'fast-check'
import nock from 'nock'
import {
  type CalendarEntry,
  type CalendarProvider,
  type EntryContent,
  isFault,
} from '../../../shared/room-calendars/providers/provider.ts'
import { findFault, followChanges, readAll, Store } from './follow-changes.ts'
import { type ProviderWorld, ROOM, ZONE } from './provider-worlds.ts'

const PERIOD = { from: '2026-10-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }
const CONTENT: EntryContent = {
  title: 'Planning; with “quotes”, commas\\and\nlines',
  text: 'Booked in Berth: https://desk.test/events/7',
  from: '2026-11-20T09:00:00Z',
  to: '2026-11-20T10:00:00Z',
  isPrivate: false,
  attendees: [],
}
const at = (time: string) => `2026-11-${time}:00.000000Z`
const timesOf = ({ from, to }: Pick<CalendarEntry, 'from' | 'to'>) => [from, to]

/** Leaves out the tests of passwords, or of forgotten positions, if the server has none. */
export function describeProvider(
  name: string,
  open: () => Promise<ProviderWorld>,
  { hasPasswords = true, forgetsPositions = true } = {},
) {
  describe(`calendars of ${name}`, function suite() {
    this.timeout(120_000)
    let world: ProviderWorld
    let provider: CalendarProvider
    const others: CalendarProvider[] = []

    beforeEach(async () => {
      world = await open()
      provider = world.provider
    })
    afterEach(async () => {
      for (const other of others.splice(0)) other.close()
      await world.close()
      expect(nock.isDone()).to.equal(true)
    })
    const createProvider = (options: Parameters<ProviderWorld['createProvider']>[0]) => {
      const created = world.createProvider(options)
      others.push(created)
      return created
    }
    const list = (position: string | null) => provider.listChanges(world.calendar, position, PERIOD)
    const start = () => readAll(provider, world.calendar, PERIOD)

    it('lists the rooms of all pages, with their addresses', async () => {
      const rooms = []
      let page: string | null = null
      do {
        const found = await provider.listRooms(page)
        rooms.push(...found.rooms)
        page = found.next
      } while (page)
      expect(rooms.map((room) => room.name)).to.have.members(['Aquarium', 'Balcony', 'Cellar', 'Den'])
      const own = rooms.find((room) => room.name === 'Aquarium')
      expect(own).to.include({ address: ROOM, calendar: world.calendar.id })
    })

    it('lists the entries of the period with times, people and flags', async () => {
      await world.addMeeting({ title: 'Standup', from: at('20T09:00'), to: at('20T09:30') })
      await world.addMeeting({ title: 'Long ago', from: '2026-09-20T09:00:00Z', to: '2026-09-20T10:00:00Z' })
      await world.addMeeting({ title: 'Secret', from: at('21T09:00'), to: at('21T10:00'), isPrivate: true })
      await world.addMeeting({ title: 'Note', from: at('22T09:00'), to: at('22T10:00'), isFree: true })
      const entries = (await start()).list()
      expect(entries.map(({ title }) => title)).to.deep.equal(['Standup', 'Secret', 'Note'])
      const [standup, secret, note] = entries
      expect(standup).to.deep.include({
        from: at('20T09:00'),
        to: at('20T09:30'),
        seriesId: null,
        allDay: null,
        key: null,
        isPrivate: false,
        isFree: false,
        isCancelled: false,
        isDeclined: false,
      })
      expect(standup?.organizer).to.include({ address: 'ann@corp.test', name: 'Ann' })
      expect(standup?.attendees).to.deep.equal([
        { address: 'bob@corp.test', name: 'Bob', answer: 'accepted', isRoom: false },
        { address: ROOM, name: 'Aquarium', answer: 'none', isRoom: true },
      ])
      expect(secret?.isPrivate).to.equal(true)
      expect(note?.isFree).to.equal(true)
    })

    it('reports what has changed since a position, and nothing twice', async () => {
      const kept = await world.addMeeting({ title: 'Kept', from: at('20T09:00'), to: at('20T10:00') })
      const moved = await world.addMeeting({ title: 'Moved', from: at('20T11:00'), to: at('20T12:00') })
      const gone = await world.addMeeting({ title: 'Gone', from: at('20T13:00'), to: at('20T14:00') })
      const store = await start()
      expect(store.list().map(({ id }) => id)).to.have.members([kept, moved, gone])
      await world.move(moved, at('23T11:00'), at('23T12:00'))
      await world.remove(gone)
      const added = await world.addMeeting({ title: 'Added', from: at('24T09:00'), to: at('24T10:00') })
      const pages = await followChanges(provider, world.calendar, store, PERIOD)
      const named = pages.flatMap(({ changed }) => changed.map(({ title }) => title))
      expect(named).to.have.members(['Moved', 'Added'])
      expect(store.list().map(({ id }) => id)).to.have.members([kept, moved, added])
      expect(timesOf(store.require(moved))).to.deep.equal([at('23T11:00'), at('23T12:00')])
      const quiet = await followChanges(provider, world.calendar, store, PERIOD)
      expect(quiet.flatMap(({ changed, removed }) => [...changed, ...removed])).to.deep.equal([])
    })

    it('names all entries although one changes between two pages', async () => {
      const days = ['20', '21', '22', '23', '24']
      const add = (day: string) =>
        world.addMeeting({ title: day, from: at(`${day}T09:00`), to: at(`${day}T10:00`) })
      const added: string[] = []
      for (const day of days) added.push(await add(day))
      const store = new Store()
      const page = await list(null)
      if ('isExpired' in page) return expect.fail('The position has expired')
      store.apply(page)
      const [first = ''] = added
      await world.move(first, at('20T12:00'), at('20T13:00'))
      if (page.hasMore) await followChanges(provider, world.calendar, store, PERIOD)
      expect(store.list().map(({ id }) => id)).to.have.members(added)
      await followChanges(provider, world.calendar, store, PERIOD)
      expect(timesOf(store.require(first))).to.deep.equal([at('20T12:00'), at('20T13:00')])
    })

    it('forgets an entry that moves out of the period', async () => {
      const id = await world.addMeeting({ title: 'Later', from: at('20T09:00'), to: at('20T10:00') })
      const store = await start()
      await world.move(id, '2027-03-01T09:00:00Z', '2027-03-01T10:00:00Z')
      await followChanges(provider, world.calendar, store, PERIOD)
      expect(store.list()).to.deep.equal([])
    })

    it('gives each occurrence of a series at its local time, across a clock change', async () => {
      const series = await world.addSeries('Weekly', '2026-10-20T09:00', 3)
      const entries = (await start()).list()
      expect(entries.map(({ from }) => from)).to.deep.equal([
        '2026-10-20T07:00:00.000000Z',
        // The clocks go back on 25 October.
        '2026-10-27T08:00:00.000000Z',
        '2026-11-03T08:00:00.000000Z',
      ])
      expect(new Set(entries.map(({ seriesId }) => seriesId))).to.deep.equal(new Set([series]))
      expect(new Set(entries.map(({ id }) => id))).to.have.property('size', 3)
      expect(entries.map(({ title }) => title)).to.deep.equal(['Weekly', 'Weekly', 'Weekly'])
    })

    it('follows moved and cancelled occurrences, and the end of a series', async () => {
      const series = await world.addSeries('Weekly', '2026-11-02T09:00', 4)
      const store = await start()
      const [first, second, third, fourth] = store.list()
      await world.moveOccurrence(series, 1, at('10T15:00'), at('10T16:00'))
      await world.cancelOccurrence(series, 2)
      await followChanges(provider, world.calendar, store, PERIOD)
      expect(store.list().map(({ id }) => id)).to.deep.equal([first?.id, second?.id, fourth?.id])
      expect(timesOf(store.require(second?.id ?? ''))).to.deep.equal([at('10T15:00'), at('10T16:00')])
      expect(store.find(third?.id ?? '')).to.equal(undefined)
      await world.remove(series)
      await followChanges(provider, world.calendar, store, PERIOD)
      expect(store.list()).to.deep.equal([])
    })

    it('gives the dates of an all-day entry, in the zone of the calendar', async () => {
      await world.addAllDay('Offsite', '2026-10-24', '2026-10-26')
      const [entry] = (await start()).list()
      expect(entry?.allDay).to.deep.equal({ from: '2026-10-24', to: '2026-10-26', zone: ZONE })
      expect(timesOf(entry ?? expect.fail())).to.deep.equal([
        '2026-10-23T22:00:00.000000Z',
        // From midnight to midnight, 49 hours.
        '2026-10-25T23:00:00.000000Z',
      ])
    })

    if (forgetsPositions)
      it('says that a position has expired', async () => {
        await world.addMeeting({ title: 'Standup', from: at('20T09:00'), to: at('20T09:30') })
        const store = await start()
        await world.addMeeting({ title: 'Next', from: at('20T11:00'), to: at('20T11:30') })
        world.forgetPositions()
        expect(await list(store.position)).to.deep.equal({ isExpired: true })
      })

    it('creates an entry that it recognizes by its key', async () => {
      const store = await start()
      const created = await provider.createEntry(world.calendar, 'event-7', CONTENT)
      expect(created).to.deep.include({ title: CONTENT.title, key: 'event-7', seriesId: null, isFree: false })
      expect(timesOf(created)).to.deep.equal([at('20T09:00'), at('20T10:00')])
      expect(await provider.getEntry(world.calendar, created.id)).to.deep.equal(created)
      await followChanges(provider, world.calendar, store, PERIOD)
      expect(store.list()).to.deep.equal([created])
    })

    it('creates one entry however often it is asked for one key', async () => {
      const first = await provider.createEntry(world.calendar, "it's 7", CONTENT)
      const again = await provider.createEntry(world.calendar, "it's 7", { ...CONTENT, title: 'Other' })
      expect(again).to.deep.equal(first)
      const both = await Promise.all(
        [1, 2].map(() => provider.createEntry(world.calendar, 'at once', CONTENT)),
      )
      expect(both[0]?.id).to.equal(both[1]?.id)
      expect(await world.countEntries()).to.equal(2)
    })

    it('creates one entry although the answer is lost', async () => {
      const isCreation = ({ method, body }: { method: string; body: string }) =>
        (method === 'POST' || method === 'PUT') && body.includes('Planning')
      world.proxy.faults.push({ matches: isCreation, isCarriedOut: true })
      const fault = await findFault(provider.createEntry(world.calendar, 'lost', CONTENT))
      expect(fault).to.include({ kind: 'unavailable' })
      expect(await world.countEntries()).to.equal(1)
      const created = await provider.createEntry(world.calendar, 'lost', CONTENT)
      expect(created).to.include({ key: 'lost' })
      expect(await world.countEntries()).to.equal(1)
    })

    it('changes an entry only if it still has the version', async () => {
      const created = await provider.createEntry(world.calendar, 'k', CONTENT)
      const moved = { ...CONTENT, title: 'Moved', from: at('21T09:00'), to: at('21T11:00'), isPrivate: true }
      const changed = await provider.changeEntry(world.calendar, created.id, created.version, moved)
      expect(changed).to.deep.include({ id: created.id, title: 'Moved', key: 'k', isPrivate: true })
      expect(timesOf(changed)).to.deep.equal([at('21T09:00'), at('21T11:00')])
      expect(changed.version).not.to.equal(created.version)
      const late = provider.changeEntry(world.calendar, created.id, created.version, CONTENT)
      expect(await findFault(late)).to.include({ kind: 'conflict' })
      expect(await provider.getEntry(world.calendar, created.id)).to.deep.equal(changed)
    })

    it('moves an entry and leaves the rest of it', async () => {
      const id = await world.addMeeting({
        title: 'Secret',
        from: at('20T09:00'),
        to: at('20T10:00'),
        isPrivate: true,
      })
      const before = await provider.getEntry(world.calendar, id)
      const times = { from: at('21T09:00'), to: at('21T11:00') }
      const moved = await provider.changeEntry(world.calendar, id, before?.version ?? '', times)
      expect(moved).to.deep.equal({ ...before, ...times, version: moved.version })
      const day = await world.addAllDay('Offsite', '2026-11-24', '2026-11-26')
      const allDay = await provider.getEntry(world.calendar, day)
      const shorter = await provider.changeEntry(world.calendar, day, allDay?.version ?? '', times)
      expect(shorter).to.deep.include({ title: 'Offsite', allDay: null, ...times })
    })

    it('leaves what somebody changes at the same moment', async () => {
      const created = await provider.createEntry(world.calendar, 'k', CONTENT)
      const change = (title: string) =>
        provider.changeEntry(world.calendar, created.id, created.version, { ...CONTENT, title })
      const results = await Promise.allSettled(['One', 'Two', 'Three'].map(change))
      expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
      for (const result of results)
        if (result.status === 'rejected') expect(isFault(result.reason, 'conflict')).to.equal(true)
    })

    it('removes an entry, and does nothing the second time', async () => {
      const store = await start()
      const { id } = await provider.createEntry(world.calendar, 'k', CONTENT)
      await followChanges(provider, world.calendar, store, PERIOD)
      await provider.cancelEntry(world.calendar, id)
      await provider.cancelEntry(world.calendar, id)
      await followChanges(provider, world.calendar, store, PERIOD)
      expect(store.list()).to.deep.equal([])
      const left = await provider.getEntry(world.calendar, id)
      expect(left === undefined || left.isCancelled).to.equal(true)
      expect(await world.countEntries()).to.equal(0)
    })

    it('finds no entry that is not there', async () => {
      const unknown = `${world.calendar.id.startsWith('/') ? world.calendar.id : ''}unknown`
      expect(await provider.getEntry(world.calendar, unknown)).to.equal(undefined)
      const change = provider.changeEntry(world.calendar, unknown, '"1"', CONTENT)
      expect(await findFault(change)).to.include({ kind: 'not_found' })
      expect(await provider.declineEntry(world.calendar, unknown, 'No.')).to.equal('impossible')
    })

    it('passes on how long to wait', async () => {
      await start()
      world.proxy.faults.push({ answer: { status: 429, headers: { 'Retry-After': '17' } } })
      expect(await findFault(list(null))).to.include({ kind: 'throttled', retryAfterMs: 17_000 })
      world.proxy.faults.push({ answer: { status: 503, headers: { 'Retry-After': '5' } } })
      expect(await findFault(list(null))).to.include({ kind: 'throttled', retryAfterMs: 5_000 })
    })

    it('tells an outage from a refusal', async () => {
      await start()
      const answers = [
        { status: 500, kind: 'unavailable' },
        { status: 502, kind: 'unavailable' },
        { status: 400, kind: 'rejected' },
        { status: 403, kind: 'forbidden' },
      ]
      for (const { status, kind } of answers) {
        world.proxy.faults.push({ answer: { status, body: '<html>A proxy says no.</html>' } })
        expect(await findFault(list(null)), String(status)).to.include({ kind, status })
      }
      world.proxy.faults.push({})
      expect(await findFault(list(null))).to.include({ kind: 'unavailable' })
    })

    it('gives up on an answer that takes too long or is too large', async () => {
      const hasty = createProvider({ limits: { timeoutMs: 300, answerBytesMax: 5_000 } })
      await hasty.listChanges(world.calendar, null, PERIOD)
      world.proxy.faults.push({
        // One byte at a time.
        answer: (response) => {
          const timer = setInterval(() => response.write(' '), 50)
          response.once('close', () => clearInterval(timer))
        },
      })
      const slow = await findFault(hasty.listChanges(world.calendar, null, PERIOD))
      expect(slow).to.include({ kind: 'unavailable' })
      expect(slow.message).to.include('no answer within 0.3 s')
      world.proxy.faults.push({ answer: { status: 200, body: ' '.repeat(5_001) } })
      const large = await findFault(hasty.listChanges(world.calendar, null, PERIOD))
      expect(large).to.include({ kind: 'rejected' })
    })

    it('follows no redirect', async () => {
      const elsewhere = nock('http://127.0.0.2').get(/.*/).reply(200, '{}')
      await start()
      for (const status of [301, 302, 307])
        world.proxy.faults.push({ answer: { status, headers: { Location: 'http://127.0.0.2/steal' } } })
      for (const status of [301, 302, 307])
        expect(await findFault(list(null)), String(status)).to.include({ kind: 'rejected', status })
      expect(elsewhere.isDone()).to.equal(false)
      nock.cleanAll()
    })

    it('connects to no private network that is not allowed', async () => {
      const guarded = createProvider({ allowed: ['10.0.0.0/8'] })
      const named = createProvider({ allowed: [], url: world.proxy.url.replace('127.0.0.1', 'localhost') })
      for (const each of [guarded, named]) {
        const fault = await findFault(each.listChanges(world.calendar, null, PERIOD))
        expect(fault).to.include({ kind: 'rejected' })
        expect(fault.message).to.include('is in a private network')
      }
      expect(world.proxy.requests).to.deep.equal([])
    })

    if (hasPasswords)
      it('says that the credentials are refused, and does not show them', async () => {
        const refused = createProvider({ isRefused: true })
        const fault = await findFault(refused.listRooms(null))
        expect(fault).to.include({ kind: 'credentials_refused' })
        expect(JSON.stringify([fault, fault.message])).not.to.match(/wrong|PRIVATE KEY|Basic /)
      })

    it('has, after any edits, what a new look at the calendar shows', async () => {
      const hour = fc.integer({ min: 0, max: 2_600 })
      const edit = fc.record({
        action: fc.constantFrom(
          'add',
          'addSeries',
          'move',
          'remove',
          'moveOccurrence',
          'cancelOccurrence',
          'read',
        ),
        index: fc.nat(20),
        hour,
      })
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { minLength: 8, maxLength: 25 }), async (edits) => {
          const meetings: string[] = []
          const series: Array<{ id: string; left: number }> = []
          const store = await start()
          // Some times are outside the period.
          const time = (hours: number) => new Date(Date.parse(PERIOD.from) + hours * 3_600_000).toISOString()
          for (const { action, index, hour: begin } of edits) {
            const [from, to] = [time(begin), time(begin + 1)] as const
            const meeting = meetings[index % Math.max(1, meetings.length)]
            const each = series[index % Math.max(1, series.length)]
            if (action === 'add') meetings.push(await world.addMeeting({ title: 'One', from, to }))
            else if (action === 'addSeries')
              series.push({
                id: await world.addSeries('Many', from.slice(0, 16), 1 + (index % 5)),
                left: 1 + (index % 5),
              })
            else if (action === 'read') await followChanges(provider, world.calendar, store, PERIOD)
            else if (action === 'move' && meeting) await world.move(meeting, from, to)
            else if (action === 'remove' && meeting) {
              await world.remove(meeting)
              meetings.splice(meetings.indexOf(meeting), 1)
            } else if (action === 'moveOccurrence' && each)
              await world.moveOccurrence(each.id, index % each.left, from, to)
            else if (action === 'cancelOccurrence' && each && each.left > 1)
              await world.cancelOccurrence(each.id, index % each.left--)
          }
          await followChanges(provider, world.calendar, store, PERIOD)
          const fresh = await start()
          expect(store.list()).to.deep.equal(fresh.list())
          for (const id of [...meetings, ...series.map((each) => each.id)]) await world.remove(id)
        }),
        { numRuns: 4 },
      )
    })
  })
}
