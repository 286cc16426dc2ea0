// Locks an entry of a room's calendar, and stores what Berth has made of it.
import { lockKeySql, waitForLockSql } from '../../../shared/database/locks.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import type { SeenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Write } from '../../runtime/write.ts'
import { zoneSql } from '../claims/locks.ts'

/** Why Berth does not hold the time of an entry (`calendar_entries.conflict`), and up to three rooms that are free. */
export type EntryConflict = { message: Message; free_rooms: Array<{ id: number; name: string }> }

/** What both sides last agreed on. An entry that Berth writes also has its text. */
type AgreedEntry = Partial<SeenEntry> & { text?: string }

export type LockedEntry = {
  id: number
  bookableId: number
  zone: string
  uid: string | null
  seriesId: string | null
  /** Whether Berth wrote the entry. */
  isWritten: boolean
  eventId: number | null
  bookingId: number | null
  revision: number
  seen: SeenEntry
  base: AgreedEntry | null
  /** The times of `seen` and `base`, in the format of all other instants of a write. */
  from: string
  to: string
  baseFrom: string | null
  baseTo: string | null
  conflict: EntryConflict | null
  decline: 'declined' | 'impossible' | null
  /** How often Berth had to restore or to decline the entry within a day. */
  restores: number
}

const instantSql = (column: string, name: string) =>
  `CAST(nullif(calendar_entries.${column} ->> '${name}', '') AS timestamptz)`
// An entry that is gone before it was read has no times but those that Berth wrote.
const seenSql = (name: string, bound: string) =>
  timestampText(`coalesce(${instantSql('seen', name)}, ${bound}(during), '-infinity')`)
const baseSql = (name: string) => timestampText(instantSql('base', name))

const FIND_SQL = `
  SELECT id, bookable_id AS "bookableId", ${zoneSql('bookable_id')} AS zone, uid, series AS "seriesId", key IS NOT NULL AS "isWritten",
    event_id AS "eventId", booking_id AS "bookingId", revision, seen, base, conflict, decline,
    CASE WHEN restores_since > now() - interval '1 day' THEN restores ELSE 0 END AS restores,
    ${seenSql('from', 'lower')} AS "from", ${seenSql('to', 'upper')} AS "to",
    ${baseSql('from')} AS "baseFrom", ${baseSql('to')} AS "baseTo"
  FROM calendar_entries WHERE id = ? AND pending_since IS NOT NULL AND seen IS NOT NULL`

/**
 * Locks an entry that waits to be applied. Returns undefined if there is none: it has been applied, or its calendar was
 * unlinked. The first lock is that of the meeting, because entries of several calendars may be one event. The calendar comes
 * before the entry, because deleting a calendar deletes its entries.
 */
export async function lockEntry(write: Write, id: number): Promise<LockedEntry | undefined> {
  const found = await write.first<{ bookable_id: number; uid: string | null }>(
    'SELECT bookable_id, uid FROM calendar_entries WHERE id = ?',
    [id],
  )
  if (!found) return undefined
  if (found.uid !== null)
    await write.run(`SELECT ${waitForLockSql(lockKeySql('calendarMeeting', 'CAST(? AS text)'))}`, [
      getSeriesKey(found.uid),
    ])
  const calendar = await write.first(
    'SELECT FROM room_calendars WHERE bookable_id = ? AND NOT is_ending AND NOT is_clearing FOR NO KEY UPDATE',
    [found.bookable_id],
  )
  if (!calendar) return undefined
  await write.run('SELECT FROM calendar_entries WHERE id = ? FOR UPDATE', [id])
  return write.first<LockedEntry>(FIND_SQL, [id])
}

// Microsoft 365 gives each occurrence of a recurring meeting an id of its own, which differs only in the four bytes of its
// date (MS-OXOCAL 2.2.1.27).
const DATED_UID_PATTERN = /^(040000008200E00074C5B7101A82E008)[0-9A-F]{8}/i

/** Returns an id that all occurrences of a recurring meeting share, in the calendars of all its rooms. */
export const getSeriesKey = (uid: string): string => uid.replace(DATED_UID_PATTERN, '$100000000')

/**
 * Whether the content of the entry is new to Berth. Of an entry that was applied without a conflict, only times and flags
 * are left.
 */
export const isContentNew = ({ seen, base, conflict }: LockedEntry): boolean =>
  base === null || conflict !== null || base.digest !== seen.digest

/** What Berth has made of an entry. */
export type AppliedEntry = {
  eventId: number | null
  /** What both sides agree on now. Null to let the writer restore what Berth says. */
  base: AgreedEntry | null
  conflict?: EntryConflict
  /** Whether there is something to write or to decline. */
  needsWrite?: boolean
  /** Whether Berth undoes what somebody else has done to the entry. */
  isRestored?: boolean
}

// The limit on restores of an entry within a day. Two programs that undo each other's changes would never stop.
const RESTORES_MAX = 5
// How long Berth leaves such an entry alone. Restores count for a day, which is longer, so Berth then restores the entry once
// before it stops again, and not five times.
const CONTENDED_HOURS = 12
const CONTENDED = message`Somebody else keeps changing or deleting this entry, and Berth has restored it several times. Berth tries again after ${CONTENDED_HOURS} hours, or once the booking changes.`

/** Returns the entry without people and title. */
export const omitContent = (seen: SeenEntry): SeenEntry => ({
  ...seen,
  title: '',
  organizer: null,
  attendees: [],
})

/**
 * Stores the result. The revision is still the one that was read, because the row is locked. Content is stored only while
 * Berth may need it: until a conflict is over.
 */
export async function saveEntry(
  write: Write,
  entry: LockedEntry,
  { eventId, base, conflict, needsWrite = conflict !== undefined, isRestored = false }: AppliedEntry,
): Promise<void> {
  const { id, bookableId, seen, decline } = entry
  const isKept = conflict !== undefined && !seen.isPrivate
  const isDeclinedAnew = mustDeclineAnew(entry)
  const isUndone = isRestored || (isDeclinedAnew && conflict !== undefined && decline === 'declined')
  const isContended = isUndone && entry.restores >= RESTORES_MAX
  await write.run(
    `UPDATE calendar_entries SET pending_since = NULL, queued_at = NULL, failures = 0,
       fault = CASE WHEN CAST(:isStopped AS boolean) THEN CAST(:contended AS jsonb) END,
       next_write_at = CASE WHEN CAST(:isStopped AS boolean) THEN now() + interval '${CONTENDED_HOURS} hours' END,
       restores = CAST(:restores AS int),
       restores_since = CASE WHEN CAST(:isCounted AS boolean) THEN now() ELSE restores_since END,
       event_id = :eventId, base = :base, seen = :seen, conflict = CAST(:conflict AS jsonb),
       conflict_since = CASE WHEN CAST(:conflict AS jsonb) IS NOT NULL THEN coalesce(conflict_since, now()) END,
       decline = CASE WHEN CAST(:isNew AS boolean) THEN CAST(:decline AS text) ELSE decline END
     WHERE id = :id`,
    {
      id,
      eventId,
      base: base && JSON.stringify(base),
      seen: JSON.stringify(isKept ? seen : omitContent(seen)),
      conflict: conflict ? JSON.stringify(conflict) : null,
      isNew: isDeclinedAnew,
      // Berth stops declining the entry, so that its organizer does not get the same answer again and again. It stays a conflict.
      decline: isContended ? 'impossible' : null,
      restores: entry.restores + (isUndone ? 1 : 0),
      isCounted: isUndone && (isContended || entry.restores === 0),
      isStopped: isContended && isRestored,
      contended: JSON.stringify(CONTENDED),
    },
  )
  if (needsWrite)
    await write.run(
      'UPDATE room_calendars SET next_write_at = now() WHERE bookable_id = ? AND (next_write_at IS NULL OR next_write_at > now())',
      [bookableId],
    )
}

// A refusal that was sent stays sent until somebody changes the entry. Organizers must not be told again whenever Berth
// tries again.
const mustDeclineAnew = ({ seen, base }: LockedEntry): boolean =>
  !seen.isDeclined && !seen.isGone && base?.digest !== seen.digest
