// What the steps of the engine of room calendars share: their tools, and the calendar that they work on.
import type { Knex } from 'knex'
import type { ShownNames } from '../../shared/people/shown-names.ts'
import type {
  Calendar,
  CalendarProvider,
  Period,
  Watch,
} from '../../shared/room-calendars/providers/provider.ts'
import type { CalendarProviderName } from '../../shared/room-calendars/room-calendars.ts'
import type { CalendarSettings } from '../../shared/settings/calendars.ts'
import type { Log } from '../../shared/utilities/log.ts'

export type CalendarTools = {
  database: Knex
  log: Log
  settings: CalendarSettings
  /** Undefined if the provider has no settings in this process. */
  getProvider(name: CalendarProviderName): CalendarProvider | undefined
  /** The base of public URLs. Undefined if notifications cannot reach Berth, because PUBLIC_URL is not set or not https. */
  publicUrl: string | undefined
  /** The base of links to people's own pages. Undefined if these are off (PEOPLE_PAGES), or PUBLIC_URL is not set. */
  peopleUrl: string | undefined
  /** The current time in milliseconds. */
  now(): number
}

/** A watch that Berth still has to end, and when to try that next. */
export type FormerWatch = Watch & { retryAt: string }

/** A room's calendar as its lease found it (`room_calendars`). No other process works on it until the lease ends. */
export type CalendarLink = {
  bookableId: number
  provider: CalendarProviderName
  /** Its zone is that of the room's building. */
  calendar: Calendar
  names: ShownNames
  position: string | null
  period: Period | null
  reading: number
  isComplete: boolean
  /** Whether the calendar has not been read to the end since it was linked. */
  isNew: boolean
  isReadDue: boolean
  isWriteDue: boolean
  isWatchDue: boolean
  isEnding: boolean
  /** Whether entries of the former link of the room are still to be deleted. */
  isClearing: boolean
  /** The time zone with which the calendar was read from the beginning. Null if it is unknown. */
  readZone: string | null
  watch: string | null
  watchSecret: string | null
  watchEndsAt: string | null
  /** Watches that another one has replaced, and that could not be ended yet. */
  formerWatches: FormerWatch[]
  /** Statements that store something name the lease, so that a process that was suspended for long stores nothing. */
  lease: string
  /**
   * Whether to end the round soon, between two calls to the provider: the process stops, somebody has unlinked the calendar,
   * or another process may have it by now. Once true, it stays true until the round has ended: steps that were cut short
   * count on that.
   */
  mustEnd(): boolean
}

type Leased = Pick<CalendarLink, 'bookableId' | 'lease'>

/** Thrown if another process has leased the calendar meanwhile, or somebody has unlinked it. Nothing was stored. */
export class LeaseLost extends Error {}

/** SQL condition that this process still has the calendar, and that nobody has unlinked it. */
export const IS_LEASED_SQL =
  'EXISTS (SELECT FROM room_calendars WHERE bookable_id = :bookableId AND lease = CAST(:lease AS uuid) AND NOT is_ending)'

/** Throws LeaseLost unless this process still has the calendar. */
export async function requireLease(database: Knex, { bookableId, lease }: Leased): Promise<void> {
  const { rows } = await database.raw<{ rows: Array<{ isLeased: boolean }> }>(
    `SELECT ${IS_LEASED_SQL} AS "isLeased"`,
    { bookableId, lease },
  )
  if (!rows[0]?.isLeased) throw new LeaseLost()
}
