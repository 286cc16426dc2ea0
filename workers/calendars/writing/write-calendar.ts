// Writes what people booked in Berth to the calendar of a room, and declines what Berth refused.

import { describeFault } from '../../../shared/room-calendars/providers/faults.ts'
import { type FaultKind, isFault, ProviderFault } from '../../../shared/room-calendars/providers/provider.ts'
import { type CalendarLink, type CalendarTools, requireLease } from '../calendar-link.ts'
import { noteRefusal } from '../organizers.ts'
import { declineEntry } from './decline.ts'
import { type Difference, type DifferenceKind, findDifferences } from './differences.ts'
import { clearFaults, deleteRow, settleConflict, storeFault, storeOutage } from './entry-rows.ts'
import { cancelEntry, changeEntry, createEntry, moveEntry } from './write-entries.ts'
import type { Writing } from './writing.ts'

/** When to compare the calendar again, in milliseconds. */
export type WriteResult = { moreAt: number }

// Calendars are compared this often even if nothing has changed. This finds missed changes, and moves the end of bookings
// without an end to the next day.
const COMPARE_EVERY_MS = 3_600_000
const CALLS_MAX = 100
// The next comparison finds what the last one made possible: after Berth has declined an entry, it writes one of its own.
const COMPARISONS_MAX = 4
const PAUSE_MS = 5_000
// If the calendars of this many organizers do not answer in one round, the provider itself may be away.
const AWAY_MAILBOXES_MAX = 3

/**
 * Compares the claims of the room with the entries of its calendar, and makes at most 100 calls to the provider, one after
 * the other. The engine has set `next_write_at` to null before, so that a change that comes meanwhile sets it again. A fault
 * that is thrown makes the engine call this again. A row that is stored here gets the `reading` of the link: a reading that is
 * under way then does not count it as gone.
 */
export async function writeCalendar(tools: CalendarTools, link: CalendarLink): Promise<WriteResult> {
  const provider = tools.getProvider(link.provider)
  // Before the first reading is complete, nobody knows what the calendar has.
  if (!provider || !link.isComplete) return { moreAt: tools.now() + COMPARE_EVERY_MS }
  const identity: string = await tools
    .database('identity')
    .first('id')
    .then((row) => row.id)
  const writing: Writing = { tools, link, provider, identity }
  const away = new Set<string>()
  for (let calls = 0, comparisons = 0; ; comparisons++) {
    const limit = CALLS_MAX - calls + 1
    const found = await findDifferences(tools, link, limit)
    const due = found.filter(({ nextAt }) => nextAt === null)
    if (due.length === 0) {
      const ids = found.flatMap(({ rowId }) => rowId ?? [])
      if (found.length < limit) await clearFaults(tools.database, link, ids)
      return findNext(found, tools.now())
    }
    if (comparisons === COMPARISONS_MAX) return { moreAt: tools.now() + PAUSE_MS }
    for (const difference of due) {
      if (calls >= CALLS_MAX || link.mustEnd()) return { moreAt: tools.now() }
      // Once somebody has unlinked the room, Berth must not change its calendar any more.
      await requireLease(tools.database, link)
      if (await writeOne(writing, difference, away)) calls++
    }
  }
}

const findNext = (found: Difference[], nowMs: number): WriteResult => ({
  moreAt: Math.min(nowMs + COMPARE_EVERY_MS, ...found.flatMap(({ nextAt }) => nextAt ?? [])),
})

const WRITERS: Record<DifferenceKind, (writing: Writing, difference: Difference) => Promise<void>> = {
  create: createEntry,
  change: changeEntry,
  move: moveEntry,
  cancel: cancelEntry,
  decline: declineEntry,
  forget: ({ tools, link }, { rowId }) => deleteRow(tools.database, link, rowId ?? 0),
  settle: ({ tools, link }, { rowId }) => settleConflict(tools.database, link, rowId ?? 0),
}

/** Returns whether the provider was called. A fault of a single entry ends nothing: the entry is tried again later. */
async function writeOne(writing: Writing, difference: Difference, away: Set<string>): Promise<boolean> {
  const { kind } = difference
  try {
    await WRITERS[kind](writing, difference)
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error
    await storeFailure(writing, difference, error)
    const mailbox = difference.mailbox ?? difference.content?.organizer?.address
    if (mailbox && isFault(error, 'unavailable', 'throttled')) away.add(mailbox)
    if (isOfCalendar(error.kind, difference) || away.size >= AWAY_MAILBOXES_MAX) throw error
  }
  return kind !== 'forget' && kind !== 'settle'
}

/**
 * Whether a fault concerns all entries of the calendar, and not only this one. What the calendar of an organizer answers concerns
 * this one only.
 */
function isOfCalendar(fault: FaultKind, difference: Difference): boolean {
  const { kind, key, mailbox, content } = difference
  if (fault === 'credentials_refused') return true
  if (mailbox !== null || content?.organizer) return false
  if (fault === 'throttled' || fault === 'unavailable') return true
  // Somebody else's entry may be closed to Berth. A calendar where Berth may create nothing lacks a permission.
  if (fault === 'forbidden') return kind === 'create' || key !== null
  // If an entry to change is not found, Berth reads it again, which fails with this fault only if the calendar itself is not found.
  return fault === 'not_found' && kind !== 'decline'
}

async function storeFailure({ tools, link }: Writing, difference: Difference, error: ProviderFault) {
  const { rowId, kind } = difference
  if (rowId === null) return
  const now = tools.now()
  // The provider may fail because of this entry, so after some failures the others come first.
  if (error.kind === 'unavailable') return storeOutage(tools.database, link, rowId, now)
  if (isOfCalendar(error.kind, difference)) return
  await storeFault(tools.database, link, rowId, { fault: describeFault(link.provider, error), now })
  if (difference.mailbox !== null || difference.content?.organizer) await noteRefusal(tools.database, rowId)
  const told = { bookableId: link.bookableId, entry: rowId, kind, fault: error.kind }
  tools.log.warn(told, 'an entry could not be written to the calendar of a room')
}
