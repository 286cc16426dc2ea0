// A room of Berth that is linked to the calendar of a provider, for tests of writing to each provider.
import type { Knex } from 'knex'
import type { CalendarEntry } from '../../../../shared/room-calendars/providers/provider.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import type { CalendarLink, CalendarTools } from '../../../../workers/calendars/calendar-link.ts'
import { readCalendar } from '../../../../workers/calendars/reading/reading.ts'
import { writeCalendar } from '../../../../workers/calendars/writing/write-calendar.ts'
import { describeWithRadicale } from '../../../support/calendars/caldav-servers.ts'
import type { TestRequest } from '../../../support/calendars/http.ts'
import { openCalDav, openGoogle, openMicrosoft, type ProviderWorld } from '../provider-worlds.ts'
import { createRoom, NOW_MS, type TestRoom } from './room-of-test.ts'

export type WritingWorld = ProviderWorld &
  TestRoom & {
    tools: CalendarTools
    logged: string[]
    setNow(ms: number): void
    write(): ReturnType<typeof writeCalendar>
    /** Reads the calendar into the database, as the engine does before it writes. */
    read(): Promise<void>
    /** The entries that the provider has, in the order of their starts. */
    list(): Promise<CalendarEntry[]>
    /** The requests that change something, each as its method. */
    writes(): TestRequest[]
    rows(): Promise<Array<Record<string, unknown> & { id: number }>>
    /** How many rows say something new that is still to be applied. */
    countPending(): Promise<number>
  }

const PERIOD = { from: '2030-11-01T00:00:00Z', to: '2031-12-01T00:00:00Z' }

export async function openWriting(database: Knex, open: () => Promise<ProviderWorld>): Promise<WritingWorld> {
  const world = await open()
  const { provider, calendar, proxy } = world
  const room = await createRoom(database, { provider: provider.name, calendarId: calendar.id })
  const logged: string[] = []
  let nowMs = NOW_MS
  const tools: CalendarTools = {
    database,
    log: createLog('hooks', 'trace', { write: (line: string) => logged.push(line) }),
    settings: {
      microsoft: undefined,
      google: undefined,
      caldav: undefined,
      allowPrivate: [],
      pollSeconds: 300,
      appliesRules: false,
      usesOrganizerMailboxes: false,
    },
    getProvider: () => provider,
    publicUrl: undefined,
    peopleUrl: undefined,
    now: () => nowMs,
  }
  const link: CalendarLink = room.link
  return {
    ...world,
    ...room,
    async close() {
      await world.close()
      await database('room_calendars').where({ bookable_id: room.bookableId }).delete()
    },
    tools,
    logged,
    setNow: (ms) => (nowMs = ms),
    write: () => writeCalendar(tools, link),
    read: () => readCalendar(tools, link, provider),
    async list() {
      const entries: CalendarEntry[] = []
      for (let position: string | null = null, hasMore = true; hasMore; ) {
        const page = await provider.listChanges(calendar, position, PERIOD)
        if ('isExpired' in page) throw new Error('The position has expired')
        entries.push(...page.changed)
        position = page.position
        hasMore = page.hasMore
      }
      return entries
        .filter(({ isCancelled }) => !isCancelled)
        .sort((one, other) => one.from.localeCompare(other.from))
    },
    writes: () =>
      proxy.requests.filter(
        ({ method, url }) =>
          ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) && !url.pathname.endsWith('/token'),
      ),
    rows: () => database('calendar_entries').where({ bookable_id: room.bookableId }).orderBy('id'),
    async countPending() {
      const rows = await database('calendar_entries')
        .where({ bookable_id: room.bookableId })
        .whereNotNull('pending_since')
      return rows.length
    },
  }
}

/** Declares a suite for each provider. */
export function describeWriting(title: string, suite: (open: () => Promise<ProviderWorld>) => void) {
  describe(`${title}: Microsoft 365`, () => suite(openMicrosoft))
  describe(`${title}: Google Workspace`, () => suite(openGoogle))
  describeWithRadicale(`${title}: CalDAV`, () => describe(`${title}: CalDAV`, () => suite(openCalDav)))
}
