// Reads the changes of a calendar, page by page. Begins anew once a week, because a position keeps its period, and whenever the
// provider no longer knows or accepts the position.

import {
  type CalendarEntry,
  type CalendarProvider,
  type ChangePage,
  type ExpiredPosition,
  isFault,
  type Period,
  ProviderFault,
} from '../../../shared/room-calendars/providers/provider.ts'
import { CALENDAR_DAYS_AHEAD } from '../../../shared/room-calendars/room-calendars.ts'
import type { CalendarLink, CalendarTools } from '../calendar-link.ts'
import { findWritten, followOrganizers, type Reading } from './organizer-copies.ts'
import { toStorablePage } from './storable-page.ts'
import {
  beginReading,
  completeReading,
  findEntriesToConfirm,
  findOwnEntries,
  findUnnamedClaims,
  hasNamedOwnEntry,
  storeEntry,
  storePage,
  storeUnreadableEntry,
  type WrittenRow,
} from './store-page.ts'

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7
// A provider whose pages never end would keep the calendar busy for good. Even small pages of a full calendar are fewer.
const PAGES_MAX = 2_000
// How often one round begins from the beginning. A provider that forgets each position at once would be asked again and again
// without a pause.
const RESTARTS_MAX = 3
// If a provider fails with a position, Berth asks it without one after this number of failed rounds in a row.
const POSITION_FAILURES_MIN = 2
// The limit on entries that one round asks for at the end of a reading. The next round asks for the others.
const ENTRIES_ASKED_FOR_MAX = 100
// From this number of entries on, Berth asks an administrator before it cancels all bookings of a room.
const EMPTIED_ENTRIES_MIN = 10

/**
 * Reads until there is nothing more, or until the round must end. What is missing then is read in the next round. `failures` is the
 * number of rounds in a row that have failed.
 */
export async function readCalendar(
  tools: CalendarTools,
  link: CalendarLink,
  provider: CalendarProvider,
  failures = 0,
): Promise<void> {
  if (isReadingDue(link, tools.now())) await beginReading(tools, link, createPeriod(tools.now()))
  for (let pages = 0, restarts = 0; pages < PAGES_MAX; pages++) {
    if (link.mustEnd()) return
    const { period } = link
    if (!period) throw new Error('A reading has no period')
    const listed = await provider.listChanges(link.calendar, link.position, period).catch((error: unknown) =>
      // After a restart, the provider cannot refuse a former position, because the position is new.
      restarts === 0
        ? requireExpiredPosition({ tools, link, provider }, error, failures)
        : Promise.reject(error),
    )
    if ('isExpired' in listed) {
      if (++restarts > RESTARTS_MAX)
        throw new ProviderFault('unavailable', 'Positions expire before the calendar has been read.')
      // Also while a reading is under way: its pages may be of a state that no longer exists.
      await beginReading(tools, link, createPeriod(tools.now()))
      continue
    }
    const page = await followOrganizers({ tools, link, provider }, toStorablePage(listed))
    const confirmed = page && (await confirmRemoved(tools, link, provider, page))
    if (!confirmed) return
    await storePage(tools, link, confirmed)
    if (confirmed.hasMore) continue
    if (!link.isComplete) await endReading(tools, link, provider)
    return
  }
  throw new ProviderFault('unavailable', `The changes have more than ${PAGES_MAX} pages.`)
}

/**
 * Returns that the position has expired if the provider answers without it. Some providers refuse a position that they no longer know
 * like any other wrong request, and others fail with it for good. Throws if the provider also fails without the position, which the
 * calendar then keeps.
 */
async function requireExpiredPosition(
  { tools, link, provider }: Reading,
  error: unknown,
  failures: number,
): Promise<ExpiredPosition> {
  const isRefused = isFault(error, 'rejected', 'not_found', 'conflict')
  const isFailing = isFault(error, 'unavailable') && error.status === 500 && failures >= POSITION_FAILURES_MIN
  if (link.position === null || !(isRefused || isFailing)) throw error
  await provider.listChanges(link.calendar, null, createPeriod(tools.now()))
  return { isExpired: true }
}

const createPeriod = (nowMs: number): Period => ({
  from: new Date(nowMs - DAY_MS).toISOString(),
  to: new Date(nowMs + CALENDAR_DAYS_AHEAD * DAY_MS).toISOString(),
})

/** Whether the building of the room has another time zone now. All-day entries then begin and end at other instants. */
export const isZoneNew = ({ readZone, calendar }: Pick<CalendarLink, 'readZone' | 'calendar'>): boolean =>
  readZone !== null && readZone !== calendar.zone

type ReadLink = Pick<CalendarLink, 'bookableId' | 'period' | 'position' | 'readZone' | 'calendar'>

/** Whether to read from the beginning. The ids of the rooms spread these readings over the week. */
export function isReadingDue(link: ReadLink, nowMs: number): boolean {
  const { bookableId, period, position } = link
  if (position === null || period === null || isZoneNew(link)) return true
  const dueDays = (bookableId * WEEK_DAYS * GOLDEN_RATIO) % WEEK_DAYS
  const weekOf = (ms: number) => Math.floor((ms / DAY_MS + dueDays) / WEEK_DAYS)
  return weekOf(nowMs) > weekOf(Date.parse(period.from) + DAY_MS)
}

// Multiples of this number lie evenly in any interval.
const GOLDEN_RATIO = 0.6180339887

/**
 * Asks for each removed entry that may still exist. Providers also report an entry as removed if it lies after the period of
 * the position, which ends days before what Berth may write. Returns the page to store, or undefined if the round must end.
 */
async function confirmRemoved(
  tools: CalendarTools,
  link: CalendarLink,
  provider: CalendarProvider,
  page: ChangePage,
): Promise<ChangePage | undefined> {
  const named = new Set([...page.changed, ...page.unreadable].map(({ id }) => id))
  const removed = page.removed.filter((id) => !named.has(id))
  const changed = [...page.changed]
  const unreadable = [...page.unreadable]
  const gone: string[] = []
  for (const row of await findEntriesToConfirm(tools.database, link, removed)) {
    if (link.mustEnd()) return undefined
    const found = await askForEntry({ tools, link, provider }, row)
    if (found === 'unanswered') continue
    if (found && 'reason' in found) unreadable.push(found)
    else if (found) changed.push(found)
    else gone.push(row.id)
  }
  await refuseEmptied(tools, link, provider, gone)
  return { ...page, changed, unreadable }
}

/**
 * Throws if the calendar has lost everything that Berth wrote, for example because somebody has cleared it. `gone` has the ids
 * of the entries of this page that no longer exist.
 */
async function refuseEmptied(
  tools: CalendarTools,
  link: CalendarLink,
  provider: CalendarProvider,
  gone: string[],
): Promise<void> {
  if (gone.length === 0) return
  const { lost, left } = await findOwnEntries(tools.database, link, gone)
  if (lost < EMPTIED_ENTRIES_MIN) return
  for (const row of left.slice(0, EMPTIED_ENTRIES_MIN))
    if (await askForEntry({ tools, link, provider }, row)) return
  throw createEmptiedFault(lost)
}

const createEmptiedFault = (lost: number) =>
  new ProviderFault('emptied', `${lost} entries that Berth wrote are gone.`)

/**
 * Returns an entry as it is now, or why it cannot be read. Returns undefined if the provider no longer has it, or only its
 * cancellation, and `unanswered` if it stays as it is stored.
 */
async function askForEntry(
  reading: Reading,
  row: WrittenRow,
): Promise<CalendarEntry | ChangePage['unreadable'][number] | 'unanswered' | undefined> {
  try {
    const found = await findWritten(reading, row)
    if (found === null) return { id: row.id, reason: 'There is no such mailbox.' }
    return found !== 'unanswered' && found?.isCancelled ? undefined : found
  } catch (error) {
    if (!isFault(error, 'rejected')) throw error
    return { id: row.id, reason: error.message }
  }
}

/**
 * Whether the calendar has lost everything that Berth wrote, as after somebody has created the mailbox anew. Nobody means to
 * cancel all bookings of a room that way.
 */
async function isEmptied(
  tools: CalendarTools,
  link: CalendarLink,
  provider: CalendarProvider,
  unnamed: WrittenRow[],
): Promise<boolean> {
  if (await hasNamedOwnEntry(tools.database, link)) return false
  for (const row of unnamed.slice(0, EMPTIED_ENTRIES_MIN))
    if (await askForEntry({ tools, link, provider }, row)) return false
  return true
}

// If a reading does not name an entry, and its removal would cancel a booking or a meeting, asks for it before it counts as gone:
// the lists of a provider may lag behind its entries.
async function endReading(
  tools: CalendarTools,
  link: CalendarLink,
  provider: CalendarProvider,
): Promise<void> {
  const unnamed = await findUnnamedClaims(tools.database, link)
  const own = unnamed.flatMap(({ id, key, isOwn }) => (isOwn ? [{ id, key }] : []))
  if (own.length >= EMPTIED_ENTRIES_MIN && (await isEmptied(tools, link, provider, own)))
    throw createEmptiedFault(own.length)
  for (const row of unnamed.slice(0, ENTRIES_ASKED_FOR_MAX)) {
    if (link.mustEnd()) return
    const found = await askForEntry({ tools, link, provider }, row)
    if (found === 'unanswered') continue
    if (found && 'reason' in found) await storeUnreadableEntry(tools, link, found)
    else await storeEntry(tools, link, row.id, found)
  }
  if (unnamed.length <= ENTRIES_ASKED_FOR_MAX) await completeReading(tools, link)
}
