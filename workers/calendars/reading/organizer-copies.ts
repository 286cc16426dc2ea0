// If Berth writes an entry to the calendar of an organizer, the provider puts a copy into the calendar of each room. Recognizes these
// copies. A copy may lag behind its entry, so it only says that something has changed, and Berth reads the entry of the organizer.
import {
  type Calendar,
  type CalendarEntry,
  type CalendarProvider,
  type ChangePage,
  isFault,
  ProviderFault,
} from '../../../shared/room-calendars/providers/provider.ts'
import { getSeriesKey } from '../../jobs/room-calendars/entry-rows.ts'
import type { CalendarLink, CalendarTools } from '../calendar-link.ts'
import { findAnswer, noteDecline, noteUid } from '../organizers.ts'

export type Reading = {
  tools: CalendarTools
  link: CalendarLink
  provider: CalendarProvider
  /** Mailboxes that did not answer while Berth reads this page. Berth does not ask them again. */
  away?: Set<string>
}
type OrganizerEntry = {
  key: string
  mailbox: string
  uid: string | null
  entry_id: string | null
  copy_id: string | null
}

/**
 * Returns the page with the entries of organizers in place of their copies, or undefined if the round must end: the next round then
 * gets the page again. If an organizer makes a meeting repeat, its entry stands for the first date, and the others are meetings from
 * outside.
 */
export async function followOrganizers(reading: Reading, page: ChangePage): Promise<ChangePage | undefined> {
  if (reading.provider.name === 'caldav') return page
  const isEmpty = page.changed.length + page.removed.length === 0
  // Entries of an earlier page may be left to read.
  if (isEmpty && !reading.tools.settings.usesOrganizerMailboxes) return page
  await storeLostUids(reading, page)
  const uids = page.changed.flatMap(({ uid }) => [uid, getSeriesKey(uid)])
  const known = await findOrganizerEntries(reading, { uids, ids: page.removed })
  if (known.length === 0) return page
  const ids = new Set(known.flatMap(({ entry_id, copy_id }) => [entry_id, copy_id]))
  const series = new Set(page.changed.map(({ seriesId }) => seriesId))
  const removed = page.removed.filter((id) => !ids.has(id) || series.has(id))
  let { changed } = page
  const away = new Set<string>()
  for (const each of known) {
    if (reading.link.mustEnd()) return undefined
    const entry = await findEntryOfOrganizer({ ...reading, away }, each)
    const first = entry === 'unanswered' ? undefined : entry
    const isCopy = ({ uid, seriesId, from }: CalendarEntry) =>
      (uid === each.uid || getSeriesKey(uid) === each.uid) &&
      (seriesId === null || !first || Date.parse(from) === Date.parse(first.from))
    const copy = changed.find(isCopy)
    changed = changed.filter((other) => !isCopy(other))
    if (entry === 'unanswered') await readLater(reading, each.entry_id, copy?.id)
    else if (entry) changed.push({ ...entry, copyId: copy?.id ?? each.copy_id ?? entry.id })
    else if (entry === undefined && each.entry_id !== null) removed.push(each.entry_id)
  }
  return { ...page, changed, removed }
}

// A calendar that is being linked may have copies of meetings of the room to which it was linked before. The writer removes the
// calendar from these meetings. If the audit log names no room of the meeting that had this calendar, somebody added the calendar
// to the meeting in Outlook or Google, and it stays.
async function findOrganizerEntries(
  { tools, link }: Reading,
  { uids, ids }: { uids: string[]; ids: string[] },
): Promise<OrganizerEntry[]> {
  const { rows } = await tools.database.raw<{ rows: OrganizerEntry[] }>(
    `SELECT organizer_entries.key, mailbox, organizer_entries.uid, entry_id, copy_id
     FROM (
       SELECT key FROM organizer_entries WHERE uid = ANY (CAST(:uids AS text[]))
       UNION SELECT key FROM calendar_entries WHERE bookable_id = :room AND key IS NOT NULL
         AND (copy_id = ANY (CAST(:ids AS text[])) OR entry_id = ANY (CAST(:ids AS text[]))
           OR version IS NULL AND entry_id IS NOT NULL AND upper(during) > now() AND NOT coalesce(CAST(seen ->> 'isGone' AS boolean), false))
     ) AS found
     CROSS JOIN LATERAL (SELECT * FROM organizer_entries AS entry WHERE entry.key = found.key OFFSET 0) AS organizer_entries
     LEFT JOIN calendar_entries ON calendar_entries.key = found.key AND bookable_id = :room
     WHERE provider = :provider AND (CAST(:room AS bigint) = ANY (rooms) OR calendar_entries.id IS NOT NULL
       OR CAST(:isNew AS boolean) AND EXISTS (SELECT FROM unnest(rooms) AS former (id) WHERE NOT EXISTS (
         SELECT FROM room_calendars WHERE room_calendars.bookable_id = former.id AND linked_at < asked_at)
         AND EXISTS (SELECT FROM audit_log WHERE resource = 'bookables' AND resource_id = former.id
           AND action IN ('bookables.link-calendar', 'bookables.unlink-calendar')
           AND :calendar IN (before ->> 'calendar', after ->> 'calendar'))))`,
    {
      room: link.bookableId,
      calendar: link.calendar.id,
      provider: link.provider,
      isNew: link.isNew,
      uids,
      ids,
    },
  )
  return rows
}

// Stores the UIDs of entries whose creation has no stored answer, so that their copies do not count as other meetings. The answer may
// be lost, or another process may be about to store it. Compares times instead of addresses, because a copy may name another address
// of its organizer than the one that Berth knows.
async function storeLostUids({ tools, link, provider }: Reading, { changed }: ChangePage): Promise<void> {
  const copies = changed.filter(({ key, organizer }) => key === null && organizer !== null)
  if (copies.length === 0) return
  const { rows } = await tools.database.raw<{ rows: Array<{ key: string; mailbox: string }> }>(
    `SELECT key, mailbox FROM organizer_entries WHERE provider = :provider AND uid IS NULL AND NOT is_missing
       AND CAST(:room AS bigint) = ANY (rooms) AND EXISTS (
         SELECT FROM calendar_entries, jsonb_to_recordset(CAST(:copies AS jsonb)) AS copies ("from" timestamptz, "to" timestamptz)
         WHERE calendar_entries.key = organizer_entries.key AND bookable_id = ANY (rooms)
           AND CAST(base ->> 'from' AS timestamptz) = copies."from" AND CAST(base ->> 'to' AS timestamptz) = copies."to")`,
    {
      room: link.bookableId,
      provider: link.provider,
      copies: JSON.stringify(copies.map(({ from, to }) => ({ from, to }))),
    },
  )
  for (const { key, mailbox } of rows) {
    const entry = await provider.findEntry(toCalendar(link, mailbox), key).catch(ignoreMissing)
    if (entry) await noteUid(tools.database, key, entry.uid)
  }
}

const toCalendar = ({ calendar }: CalendarLink, mailbox: string): Calendar => ({
  id: mailbox,
  zone: calendar.zone,
  isPersonal: true,
})

/** Returns null if there is no such calendar, or Berth may not read it. */
function ignoreMissing(error: unknown): null {
  if (isFault(error, 'not_found', 'forbidden')) return null
  // Berth does not pause a provider that throttles only the mailbox of one person.
  if (isFault(error, 'throttled') && !error.isOfProvider)
    throw new ProviderFault('unavailable', error.message)
  throw error
}

/** What Berth finds out about the entry of an organizer. Undefined if it is gone, and null if there is no such mailbox. */
type Found = CalendarEntry | 'unanswered' | null | undefined

/**
 * Returns the entry of an organizer, or undefined if it no longer invites the room. A room that has declined keeps its booking. If its
 * row has no entry yet, the writer invites the room again.
 */
async function findEntryOfOrganizer(
  { tools, link, provider, away }: Reading,
  { key, mailbox, entry_id }: Pick<OrganizerEntry, 'key' | 'mailbox' | 'entry_id'>,
): Promise<Found> {
  if (away?.has(mailbox)) return 'unanswered'
  const entry = await provider.findEntry(toCalendar(link, mailbox), key).catch((error: unknown) => {
    if (isFault(error, 'not_found')) return null
    // Only refused credentials concern all calendars.
    if (!(error instanceof ProviderFault) || error.kind === 'credentials_refused') throw error
    if (isFault(error, 'unavailable', 'throttled')) away?.add(mailbox)
    return 'unanswered' as const
  })
  if (!entry || entry === 'unanswered') return entry
  const answer = findAnswer(entry, link.calendar.id)
  if (answer === undefined || entry.isCancelled) return undefined
  if (answer !== 'declined') return entry
  await noteDecline(tools.database, link, key)
  return entry_id === null ? undefined : entry
}

// Leaves an entry as it is stored, and reads the calendar again soon. An entry without a version is then asked for, even if its copy
// has not changed again.
async function readLater(
  { tools, link: { bookableId, lease, reading } }: Reading,
  entryId: string | null,
  copyId?: string,
): Promise<void> {
  await tools.database.raw(
    `WITH due AS (
       UPDATE room_calendars SET next_read_at = least(next_read_at, now() + interval '1 minute')
       WHERE bookable_id = :bookableId AND lease = CAST(:lease AS uuid) AND NOT is_ending RETURNING bookable_id)
     UPDATE calendar_entries SET version = NULL, reading = :reading, copy_id = coalesce(:copyId, copy_id)
     FROM due WHERE calendar_entries.bookable_id = due.bookable_id AND entry_id = :entryId`,
    { bookableId, lease, reading, entryId, copyId: copyId ?? null },
  )
}

/** Returns an entry that Berth wrote as it is now. If the calendar of its organizer does not answer, it stays as it is stored. */
export async function findWritten(
  reading: Reading,
  { id, key }: { id: string; key: string | null },
): Promise<Found> {
  const { tools, link, provider } = reading
  const organizer =
    key === null
      ? undefined
      : await tools.database('organizer_entries').where({ key }).first('key', 'mailbox')
  if (!organizer) return provider.getEntry(link.calendar, id)
  const found = await findEntryOfOrganizer(reading, { ...organizer, entry_id: id })
  if (found === 'unanswered') await readLater(reading, id)
  return found
}
