// Tests the whole way between the calendar of a room and Berth, with a worker and the process of hooks, at each provider and
// without notifications: test servers of Microsoft 365 and Google, and Debian's radicale.
import { expect } from 'chai'
import type { CalendarEntry } from '../../../shared/room-calendars/providers/provider.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import { describeWithRadicale } from '../../support/calendars/caldav-servers.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../support/factories.ts'
import { eventually, promised } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { createSettings, OPEN_WORLDS } from './engine-world.ts'
import { type ProviderWorld, ZONE } from './provider-worlds.ts'

const DAY_MS = 24 * 3_600_000
const WAIT_MS = promised(6_000)

// A day without a clock change nearby would not matter here: all times are instants.
const date = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10)
const at = (time: string) => `${date}T${time}:00.000000Z`

function describeBothWays(name: string, open: () => Promise<ProviderWorld>) {
  describe(`a room's calendar and Berth: ${name}`, function suite() {
    this.timeout(120_000)
    const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    const client = useClient(world)
    let calendar: ProviderWorld
    let hooks: Awaited<ReturnType<typeof startHooks>>
    let room: number
    let location: number

    beforeEach(async () => {
      calendar = await open()
      const { database } = world
      const building_id = await createBuilding(database, { timezone: ZONE })
      location = await createLocation(database, { building_id })
      room = await createBookable(database, { location_id: location, type: 2, name: 'Aquarium' })
      await database('room_calendars').insert({
        bookable_id: room,
        provider: calendar.provider.name,
        calendar: calendar.calendar.id,
      })
      hooks = await startHooks(
        { ...world.config, calendars: createSettings(calendar, { pollSeconds: 1 }) },
        createLog('hooks', 'silent'),
        { calendars: calendar.provider.name === 'google' ? { googleUrl: calendar.proxy.url } : {} },
      )
    })
    afterEach(async () => {
      await hooks.stop()
      await world.database('room_calendars').delete()
      await world.database('events').delete()
      await calendar.close()
    })

    /** The entries of the calendar that take time, in the order of their starts. */
    const listEntries = async () => {
      const found: CalendarEntry[] = []
      for (let position: string | null = null, hasMore = true; hasMore; ) {
        const period = { from: `${date}T00:00:00Z`, to: new Date(Date.parse(date) + DAY_MS).toISOString() }
        const page = await calendar.provider.listChanges(calendar.calendar, position, period)
        if ('isExpired' in page) throw new Error('The position has expired')
        found.push(...page.changed)
        position = page.position
        hasMore = page.hasMore
      }
      return found
        .filter(({ isCancelled, isDeclined }) => !isCancelled && !isDeclined)
        .sort((one, other) => one.from.localeCompare(other.from))
    }
    const shownThere = async () => (await listEntries()).map(({ title, from, to }) => [title, from, to])
    /** The claims of the room in Berth, as its calendar shows them. */
    const shownHere = async () => {
      const { rows } = await world.database.raw(
        `SELECT coalesce(events.name, users.name) AS name, lower(bookings.during) AS start, upper(bookings.during) AS end
         FROM bookings LEFT JOIN events ON events.id = event_id LEFT JOIN users ON users.id = user_id
         WHERE bookable_id = ? AND released_at IS NULL ORDER BY start`,
        [room],
      )
      return rows.map(({ name: title, start, end }: Record<string, string>) => [
        title,
        new Date(start ?? '').toISOString().replace('.000Z', '.000000Z'),
        new Date(end ?? '').toISOString().replace('.000Z', '.000000Z'),
      ])
    }
    const both = (...expected: string[][]) =>
      eventually(async () => {
        const times = expected.map(([title = '', from = '', to = '']) => [title, at(from), at(to)])
        expect(await shownHere(), 'in Berth').to.deep.equal(times)
        expect(await shownThere(), 'in the calendar').to.deep.equal(times)
      }, WAIT_MS)
    /** Waits until the engine says that both sides say the same, and that nobody writes any more. */
    const rest = async () => {
      const since = new Date()
      await eventually(async () => {
        const { in_step_at, fault } = await world.database('room_calendars').first()
        expect(fault).to.equal(null)
        expect(Date.parse(in_step_at)).to.be.greaterThan(since.getTime())
      }, WAIT_MS)
    }
    const writes = () =>
      calendar.proxy.requests.filter(
        ({ method, url }) =>
          ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && !/token$/.test(url.pathname),
      ).length

    const meet = (title: string, from: string, to: string) =>
      calendar.addMeeting({ title, from: at(from), to: at(to) })
    const createEvent = async (title: string, from: string, to: string) => {
      const organizer_user_id = await createUser(world.database)
      const { json, text, status } = await client.post('events', {
        name: title,
        organizer_user_id,
        from_time: at(from),
        to_time: at(to),
        attendees: [{ type: 'bookable', id: String(room) }],
      })
      expect(status, text).to.equal(200)
      return { id: json.data.id as number, organizer_user_id }
    }
    const eventsHere = () => world.database('events').where({ status: 1 })

    it('shows a meeting of the calendar in Berth, and follows it', async () => {
      const id = await meet('Standup', '09:00', '10:00')
      await both(['Standup', '09:00', '10:00'])
      await calendar.move(id, at('11:00'), at('12:00'))
      await both(['Standup', '11:00', '12:00'])
      const before = writes()
      await rest()
      expect(writes()).to.equal(before)
      await calendar.remove(id)
      await both()
      expect(await eventsHere()).to.have.length(0)
    })

    it('shows a meeting of Berth in the calendar, and follows it', async () => {
      const { id, organizer_user_id } = await createEvent('Planning', '09:00', '10:00')
      await both(['Planning', '09:00', '10:00'])
      const moved = await client.put(`events/${id}`, {
        name: 'Plan B',
        organizer_user_id,
        from_time: at('13:00'),
        to_time: at('14:00'),
        attendees: [{ type: 'bookable', id: String(room) }],
      })
      expect(moved.status, moved.text).to.equal(200)
      await both(['Plan B', '13:00', '14:00'])
      await rest()
      const before = writes()
      await rest()
      expect(writes()).to.equal(before)
      await client.delete(`events/${id}`)
      await both()
      expect(await calendar.countEntries()).to.equal(0)
    })

    it('follows a meeting of Berth that somebody moves, renames and removes in the calendar', async () => {
      await createEvent('Planning', '09:00', '10:00')
      await both(['Planning', '09:00', '10:00'])
      await rest()
      const change = async (title: string, from: string, to: string) => {
        const [entry] = await listEntries()
        const content = { title, text: '', from: at(from), to: at(to), isPrivate: false, attendees: [] }
        await calendar.provider.changeEntry(calendar.calendar, entry?.id ?? '', entry?.version ?? '', content)
      }
      await change('Planning', '15:00', '16:00')
      await both(['Planning', '15:00', '16:00'])
      await rest()
      await change('Something else', '15:00', '16:00')
      await both(['Planning', '15:00', '16:00'])
      await rest()
      const before = writes()
      await rest()
      expect(writes()).to.equal(before)
      const [entry] = await listEntries()
      await calendar.provider.cancelEntry(calendar.calendar, entry?.id ?? '')
      await both()
      expect(await eventsHere()).to.have.length(0)
    })

    it('stops restoring an entry that another program renames each time, until somebody changes the meeting', async function contention() {
      this.timeout(300_000)
      const { id, organizer_user_id } = await createEvent('Planning', '09:00', '10:00')
      await both(['Planning', '09:00', '10:00'])
      const find = () => world.database('calendar_entries').whereNotNull('key').first()
      // The other program renames each entry as soon as it sees it, whatever Berth has done meanwhile.
      for (let times = 0; (await find()).fault === null; times++) {
        expect(times).to.be.below(20)
        await eventually(
          async () => expect(await shownThere()).to.deep.equal([['Planning', at('09:00'), at('10:00')]]),
          WAIT_MS,
        )
        const [entry] = await listEntries()
        const content = {
          title: `Room ${times}`,
          text: '',
          from: at('09:00'),
          to: at('10:00'),
          isPrivate: false,
          attendees: [],
        }
        await calendar.provider
          .changeEntry(calendar.calendar, entry?.id ?? '', entry?.version ?? '', content)
          .catch(() => undefined)
        const before = (await find()).restores
        await eventually(async () => expect((await find()).restores).to.be.greaterThan(before), WAIT_MS)
      }
      expect((await find()).restores).to.equal(6)
      expect(await shownHere()).to.deep.equal([['Planning', at('09:00'), at('10:00')]])
      const before = writes()
      await calendar.addMeeting({ title: 'Other', from: at('15:00'), to: at('16:00') })
      await eventually(async () => expect(await eventsHere()).to.have.length(2), WAIT_MS)
      expect(writes()).to.equal(before)
      const moved = await client.put(`events/${id}`, {
        name: 'Plan B',
        organizer_user_id,
        from_time: at('09:00'),
        to_time: at('10:00'),
        attendees: [{ type: 'bookable', id: String(room) }],
      })
      expect(moved.status, moved.text).to.equal(200)
      await both(['Plan B', '09:00', '10:00'], ['Other', '15:00', '16:00'])
      await eventually(async () => expect(await find()).to.include({ fault: null }), WAIT_MS)
    })

    if (name === 'CalDAV')
      it('keeps a meeting of Berth whose entry somebody makes repeat every week', async () => {
        const { id } = await createEvent('Planning', '09:00', '10:00')
        await both(['Planning', '09:00', '10:00'])
        await rest()
        const [entry] = await listEntries()
        const { server } = calendar as Awaited<ReturnType<typeof OPEN_WORLDS.caldav>>
        const text = await server.request('GET', entry?.id ?? '')
        await server.put(
          entry?.id ?? '',
          text.replace('END:VEVENT', 'RRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VEVENT'),
        )
        await eventually(async () => expect(await eventsHere()).to.have.length(3), WAIT_MS)
        await rest()
        expect((await eventsHere()).map((event) => event.id)).to.include(id)
        expect(await world.database('cancelled_bookings').where({ event_id: id })).to.deep.equal([])
      })

    it('declines a meeting whose time is taken, and holds it where it cannot be declined once the time is free', async () => {
      const { id } = await createEvent('Planning', '09:00', '10:00')
      await both(['Planning', '09:00', '10:00'])
      await meet('Late', '09:30', '10:30')
      await eventually(async () => {
        const [row] = await world.database('calendar_entries').whereNotNull('decline')
        expect(row).to.deep.include({ key: null, event_id: null })
        expect(row.decline).to.equal(calendar.provider.name === 'caldav' ? 'impossible' : 'declined')
      }, WAIT_MS)
      expect(await shownHere()).to.deep.equal([['Planning', at('09:00'), at('10:00')]])
      await client.delete(`events/${id}`)
      if (calendar.provider.name === 'caldav') await both(['Late', '09:30', '10:30'])
      else await both()
    })

    it('keeps a series, with an occurrence that moves and one that is cancelled', async () => {
      const local = `${date}T09:00`
      const series = await calendar.addSeries('Weekly', local, 3)
      const here = () =>
        world.database('events').where({ status: 1, name: 'Weekly' }).orderByRaw('lower(during)')
      await eventually(async () => expect(await here()).to.have.length(3), WAIT_MS)
      const [first, second, third] = await here()
      expect(new Set([first, second, third].map((each) => each.series_id))).to.have.property('size', 1)
      await calendar.cancelOccurrence(series, 2)
      await calendar.moveOccurrence(series, 0, at('15:00'), at('16:00'))
      await eventually(async () => expect(await here()).to.have.length(2), WAIT_MS)
      await rest()
      const before = writes()
      await rest()
      expect(writes()).to.equal(before)
    })
  })
}

describeBothWays('Microsoft 365', OPEN_WORLDS.microsoft)
describeBothWays('Google Workspace', OPEN_WORLDS.google)
describeWithRadicale("a room's calendar and Berth", () => describeBothWays('CalDAV', OPEN_WORLDS.caldav))
