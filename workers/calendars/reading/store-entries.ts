// The statements that store what was read of entries, and decide which of them are still to be applied. An entry that Berth
// wrote and that comes back unchanged is not.
import type { Knex } from 'knex'
import { message } from '../../../shared/messages/message.ts'
import type { CalendarEntry, ChangePage } from '../../../shared/room-calendars/providers/provider.ts'
import type { SeenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import type { CalendarLink } from '../calendar-link.ts'
import { parseEntryKey } from '../entry-keys.ts'
import { toStorableJson } from '../storable-json.ts'
import { GONE_DIGEST, toSeenEntry, UNREADABLE_DIGEST } from './seen-entries.ts'

// The limit on the entries of one statement: a page of series may have thousands of occurrences.
const STATEMENT_ENTRIES_MAX = 500

type EntryRow = {
  entry_id: string
  copy_id: string | null
  series: string | null
  uid: string
  key: string | null
  event_id: number | null
  booking_id: number | null
  from: string
  to: string
  version: string
  seen: SeenEntry
}

const flagSql = (seen: string, flag: keyof SeenEntry) =>
  `coalesce(CAST(${seen} ->> '${flag}' AS boolean), false)`

/** SQL condition that an entry takes time of its room, as the function `takesTime` decides. */
export const takesTimeSql = (seen: string): string =>
  `NOT (${(['isFree', 'isCancelled', 'isDeclined', 'isGone'] as const).map((flag) => flagSql(seen, flag)).join(' OR ')}
    OR ${seen} ->> 'unreadable' IS NOT NULL)`

const RANGE_SQL = `tstzrange("from", greatest("from", "to"), CASE WHEN "to" > "from" THEN '[)' ELSE '[]' END)`

// An entry from outside is applied if it says something else than Berth last applied, unless it never concerned Berth.
const IS_OUTSIDE_PENDING_SQL = `excluded.seen ->> 'digest' IS DISTINCT FROM known.base ->> 'digest'
  AND (${takesTimeSql('excluded.seen')} OR known.base IS NOT NULL OR known.event_id IS NOT NULL OR known.conflict IS NOT NULL)`

// An entry that Berth wrote is applied if it says something else than Berth last wrote. A provider may store something else,
// such as a shorter title: the digest is that of its answer. Without `base`, Berth is about to write the entry again.
const IS_OWN_PENDING_SQL = `known.base IS NOT NULL AND excluded.seen ->> 'digest' IS DISTINCT FROM known.base ->> 'digest' AND NOT (${takesTimeSql('excluded.seen')}
  AND lower(excluded.during) = CAST(known.base ->> 'from' AS timestamptz)
  AND upper(excluded.during) = CAST(known.base ->> 'to' AS timestamptz)
  AND ${flagSql('excluded.seen', 'isPrivate')} = coalesce(CAST(known.base ->> 'isPrivate' AS boolean), false)
  AND (${flagSql('excluded.seen', 'isPrivate')} OR excluded.seen ->> 'title' = known.base ->> 'title'))`

const IS_PENDING_SQL = `CASE WHEN known.key IS NULL THEN ${IS_OUTSIDE_PENDING_SQL} ELSE ${IS_OWN_PENDING_SQL} END`

const IS_CHANGED_SQL = "known.seen ->> 'digest' IS DISTINCT FROM excluded.seen ->> 'digest'"

// An entry that has not changed stays as it is stored: once it is applied, people and titles are not kept.
// What is compared are columns of the row itself, so that a job which applies the entry at this moment is taken into account.
const STORE_CHANGED_SQL = `
  INSERT INTO calendar_entries AS known
    (bookable_id, entry_id, copy_id, series, uid, key, event_id, booking_id, during, version, seen, reading, pending_since, revision)
  SELECT :bookableId, entry_id, copy_id, series, uid, key, event_id, booking_id, ${RANGE_SQL}, version, seen, :reading,
    CASE WHEN is_new THEN now() END, CASE WHEN is_new THEN 1 ELSE 0 END
  FROM jsonb_to_recordset(CAST(:entries AS jsonb)) AS entry (entry_id text, copy_id text, series text, uid text, key text, event_id bigint,
    booking_id bigint, "from" timestamptz, "to" timestamptz, version text, seen jsonb),
    LATERAL (SELECT key IS NULL AND "to" > now() AND ${takesTimeSql('seen')} AS is_new) AS news
  ORDER BY entry_id
  ON CONFLICT (bookable_id, entry_id) DO UPDATE SET
    copy_id = coalesce(excluded.copy_id, known.copy_id), series = excluded.series, uid = excluded.uid, during = excluded.during, version = excluded.version,
    seen = CASE WHEN ${IS_CHANGED_SQL} THEN excluded.seen ELSE known.seen END, reading = excluded.reading,
    conflict = CASE WHEN known.seen ->> 'unreadable' IS NULL THEN known.conflict END,
    conflict_since = CASE WHEN known.seen ->> 'unreadable' IS NULL THEN known.conflict_since END,
    revision = known.revision + CASE WHEN ${IS_CHANGED_SQL} THEN 1 ELSE 0 END,
    queued_at = CASE WHEN ${IS_CHANGED_SQL} THEN NULL ELSE known.queued_at END,
    tries = CASE WHEN ${IS_CHANGED_SQL} THEN 0 ELSE known.tries END,
    pending_since = CASE WHEN ${IS_CHANGED_SQL} THEN CASE WHEN ${IS_PENDING_SQL} THEN now() END
      ELSE coalesce(known.pending_since, CASE WHEN ${IS_PENDING_SQL} THEN now() END) END`

/** Stores entries of a page. Of entries with the same id, the last one counts. */
export async function storeChanged(
  transaction: Knex.Transaction,
  link: CalendarLink,
  changed: CalendarEntry[],
): Promise<void> {
  const rows = new Map(changed.map((entry) => [entry.id, toRow(entry, link)]))
  await skipHandedOver(transaction, link, rows)
  await adoptOwnEntries(transaction, link, rows)
  for (const entries of splitIntoStatements([...rows.values()]))
    await transaction.raw(STORE_CHANGED_SQL, {
      bookableId: link.bookableId,
      reading: link.reading,
      entries: toStorableJson(entries),
    })
}

function toRow(entry: CalendarEntry, { calendar }: CalendarLink): EntryRow {
  const { id, seriesId, uid, key, from, to, version, copyId } = entry
  const seen = toSeenEntry(entry, calendar)
  return {
    entry_id: id,
    copy_id: copyId ?? null,
    series: seriesId,
    uid,
    key,
    event_id: null,
    booking_id: null,
    from,
    to,
    version,
    seen,
  }
}

const SKIP_HANDED_OVER_SQL = `
  UPDATE calendar_entries AS former SET copy_id = entry.copy_id
  FROM jsonb_to_recordset(CAST(:entries AS jsonb)) AS entry (key text, event_id bigint, copy_id text)
  WHERE bookable_id = :bookableId AND former.event_id = entry.event_id AND former.key <> entry.key AND NOT ${flagSql('seen', 'isGone')}
    AND NOT EXISTS (SELECT FROM calendar_entries AS own WHERE own.bookable_id = :bookableId AND own.key = entry.key)
  RETURNING entry.key`

// Another room may have moved a meeting to the calendar of another organizer, while this room still has the row of the former entry.
// If this room stored a second row, the writer would remove one of the two, and the room would leave the new entry. So the room keeps
// its row, and the writer gives it the new key.
async function skipHandedOver(
  transaction: Knex.Transaction,
  { bookableId }: CalendarLink,
  rows: Map<string, EntryRow>,
): Promise<void> {
  const entries = [...rows.values()].flatMap(({ key, copy_id }) => {
    const parsed = parseEntryKey(key ?? '')
    return parsed?.kind === 'meeting' && copy_id !== null ? { key, event_id: parsed.id, copy_id } : []
  })
  if (entries.length === 0) return
  const { rows: skipped } = await transaction.raw<{ rows: Array<{ key: string }> }>(SKIP_HANDED_OVER_SQL, {
    bookableId,
    entries: JSON.stringify(entries),
  })
  const keys = new Set(skipped.map(({ key }) => key))
  for (const [id, { key }] of rows) if (key !== null && keys.has(key)) rows.delete(id)
}

// Finds the rows of entries that Berth wrote by their keys. A row without an id waits for an answer that was lost. An entry
// whose key already has another id is a copy that somebody made of it, so it comes from outside. For a meeting, it is no copy: another
// room has created the entry again, because it was gone. While a calendar is being linked, an entry that Berth wrote for
// another room is a remainder of that room's link: it belongs to no claim, so the writer removes it. Later, such an entry counts as
// a meeting from outside, because somebody has moved it here to ask for this room.
async function adoptOwnEntries(
  transaction: Knex.Transaction,
  { bookableId, isNew }: CalendarLink,
  rows: Map<string, EntryRow>,
): Promise<void> {
  const keyed = [...rows.values()].filter(({ key }) => key !== null)
  if (keyed.length === 0) return
  // Deletes rows without a key of entries that could not be read before, so that the rows with the keys can get the ids.
  await transaction.raw(FORGET_UNREADABLE_SQL, {
    bookableId,
    removed: keyed.map(({ entry_id }) => entry_id),
    changed: [],
  })
  const identities = await transaction('identity').pluck<string[]>('id')
  const known: Array<{ key: string; entry_id: string | null }> = await transaction('calendar_entries')
    .where({ bookable_id: bookableId })
    .whereIn(
      'key',
      keyed.map(({ key }) => key),
    )
    .select('key', 'entry_id')
  const idByKey = new Map(known.map(({ key, entry_id }) => [key, entry_id]))
  const adopted: Array<{ key: string; entry_id: string }> = []
  for (const row of keyed) {
    const key = row.key ?? ''
    const parsed = parseEntryKey(key)
    const isMeeting = parsed?.kind === 'meeting'
    const isOfRoom = isMeeting
      ? row.copy_id !== null || idByKey.has(key)
      : isNew || parsed?.ownerId === bookableId
    const isOurs = parsed && identities.includes(parsed.identity) && isOfRoom
    const id = idByKey.get(key)
    if (!isOurs || (id && id !== row.entry_id && !isMeeting)) row.key = null
    else if (id !== undefined && id !== row.entry_id) adopted.push({ key, entry_id: row.entry_id })
    if (row.key === null) continue
    idByKey.set(key, row.entry_id)
    if (isMeeting || parsed?.ownerId === bookableId)
      row[parsed.kind === 'booking' ? 'booking_id' : 'event_id'] = parsed.id
  }
  if (adopted.length === 0) return
  await transaction.raw(
    `UPDATE calendar_entries SET entry_id = adopted.entry_id, failures = 0, fault = NULL, next_write_at = NULL
     FROM jsonb_to_recordset(CAST(:adopted AS jsonb)) AS adopted (key text, entry_id text)
     WHERE bookable_id = :bookableId AND calendar_entries.key = adopted.key`,
    { bookableId, adopted: JSON.stringify(adopted) },
  )
}

const GONE = { isGone: true, digest: GONE_DIGEST, title: '', organizer: null, attendees: [] }

// An entry that is over does not become pending when it ends.
const STORE_REMOVED_SQL = `
  UPDATE calendar_entries SET
    seen = coalesce(seen - 'unreadable', CAST(:unknown AS jsonb)) || CAST(:gone AS jsonb),
    conflict = CASE WHEN seen ->> 'unreadable' IS NULL THEN conflict END,
    conflict_since = CASE WHEN seen ->> 'unreadable' IS NULL THEN conflict_since END,
    revision = revision + 1, queued_at = NULL, tries = 0,
    pending_since = CASE WHEN upper(during) > now() AND (base IS NOT NULL OR key IS NULL AND
      (event_id IS NOT NULL OR conflict IS NOT NULL AND seen ->> 'unreadable' IS NULL)) THEN now() END
  WHERE id = ANY (ARRAY(
    SELECT id FROM calendar_entries
    WHERE bookable_id = :bookableId AND (entry_id = ANY (:removed) OR series = ANY (:removed))
      AND NOT coalesce(entry_id = ANY (:changed), false) AND NOT ${flagSql('seen', 'isGone')}
    ORDER BY entry_id FOR UPDATE))`

// If Berth could never read an entry, its end leaves nothing to apply.
const FORGET_UNREADABLE_SQL = `
  DELETE FROM calendar_entries
  WHERE bookable_id = :bookableId AND entry_id = ANY (:removed) AND NOT coalesce(entry_id = ANY (:changed), false)
    AND during IS NULL AND key IS NULL AND event_id IS NULL`

const UNKNOWN = {
  from: '',
  to: '',
  isFree: false,
  isCancelled: false,
  isDeclined: false,
  isPrivate: false,
  isOwn: true,
}

/** Stores that entries, or the occurrences of series, are gone, except those that have changed. */
export async function storeRemoved(
  transaction: Knex.Transaction,
  { bookableId }: CalendarLink,
  removed: string[],
  changed: CalendarEntry[],
): Promise<void> {
  if (removed.length === 0) return
  const ids = { bookableId, removed, changed: changed.map(({ id }) => id) }
  await transaction.raw(FORGET_UNREADABLE_SQL, ids)
  await transaction.raw(STORE_REMOVED_SQL, {
    ...ids,
    gone: JSON.stringify(GONE),
    unknown: JSON.stringify(UNKNOWN),
  })
}

// An entry that cannot be read takes no time in Berth, unless Berth has read it before. People see it among the conflicts.
const STORE_UNREADABLE_SQL = `
  INSERT INTO calendar_entries AS known (bookable_id, entry_id, seen, reading, conflict, conflict_since)
  SELECT :bookableId, entry_id, CAST(:unknown AS jsonb) || seen, :reading, conflict, now()
  FROM jsonb_to_recordset(CAST(:entries AS jsonb)) AS entry (entry_id text, seen jsonb, conflict jsonb)
  ORDER BY entry_id
  ON CONFLICT (bookable_id, entry_id) DO UPDATE SET
    seen = CASE WHEN known.seen IS NULL OR ${flagSql('known.seen', 'isGone')} THEN excluded.seen ELSE known.seen ||
      jsonb_build_object('unreadable', excluded.seen -> 'unreadable', 'digest', excluded.seen -> 'digest') END,
    reading = excluded.reading,
    conflict = excluded.conflict, conflict_since = coalesce(known.conflict_since, now()),
    pending_since = NULL, queued_at = NULL`

/** Stores entries or series that cannot be read. */
export async function storeUnreadable(
  transaction: Knex.Transaction,
  { bookableId, reading, period }: CalendarLink,
  unreadable: ChangePage['unreadable'],
): Promise<void> {
  if (unreadable.length === 0) return
  const rows = new Map(
    unreadable.map(({ id, reason }) => [
      id,
      {
        entry_id: id,
        seen: { unreadable: reason, digest: UNREADABLE_DIGEST },
        conflict: { message: message`The entry cannot be read: ${reason}`, free_rooms: [] },
      },
    ]),
  )
  await transaction.raw(STORE_UNREADABLE_SQL, {
    bookableId,
    reading,
    unknown: JSON.stringify({ ...UNKNOWN, isGone: false, from: period?.from ?? '', to: period?.to ?? '' }),
    entries: toStorableJson([...rows.values()]),
  })
  await transaction.raw(
    'UPDATE calendar_entries SET reading = :reading WHERE bookable_id = :bookableId AND series = ANY (:ids)',
    { bookableId, reading, ids: [...rows.keys()] },
  )
}

function splitIntoStatements<Row>(rows: Row[]): Row[][] {
  const count = Math.ceil(rows.length / STATEMENT_ENTRIES_MAX)
  return Array.from({ length: count }, (_each, index) =>
    rows.slice(index * STATEMENT_ENTRIES_MAX, (index + 1) * STATEMENT_ENTRIES_MAX),
  )
}
