// Stores what is written to a calendar: before each call what Berth intends, and after it what the provider answered. Each
// statement names the lease, so that a process that was suspended for long stores nothing.
import type { Knex } from 'knex'
import { type Message, message } from '../../../shared/messages/message.ts'
import type { CalendarEntry } from '../../../shared/room-calendars/providers/provider.ts'
import type { SeenEntry, WrittenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import { type CalendarLink, IS_LEASED_SQL } from '../calendar-link.ts'
import { IS_WITHDRAWN_SQL } from '../organizers.ts'
import { toSeenEntry } from '../reading/seen-entries.ts'
import { toStorableJson } from '../storable-json.ts'

type Leased = Pick<CalendarLink, 'bookableId' | 'lease'>

const READING_SQL = '(SELECT reading FROM room_calendars WHERE bookable_id = :bookableId)'
// A row that is pending belongs to the job that applies it.
const IS_WRITABLE_SQL = `bookable_id = :bookableId AND id = :id AND pending_since IS NULL AND ${IS_LEASED_SQL}`

// Stores no agreed content for an entry that another room is removing, because its removal must not cancel a booking.
const BASE_SQL = `CASE WHEN NOT ${IS_WITHDRAWN_SQL} THEN CAST(:base AS jsonb) END`

const toValues = ({ bookableId, lease }: Leased) => ({ bookableId, lease })

export type BegunEntry = { id: number; base: WrittenEntry }
type Creation = {
  key: string
  eventId: number | null
  bookingId: number | null
  content: WrittenEntry
}

// The entry of a meeting gets the people of the new content, because Berth may have mailed some of the earlier ones since, and others may
// have left the meeting.
const RESUMED_SQL = `coalesce(known.base || CASE WHEN excluded.base -> 'invited' IS NULL THEN '{}'
  ELSE jsonb_build_object('invited', excluded.base -> 'invited') END, excluded.base)`

const INSERT_SQL = `
  INSERT INTO calendar_entries AS known (bookable_id, key, event_id, booking_id, base, reading)
  SELECT :bookableId, :key, :eventId, :bookingId, CAST(:content AS jsonb), ${READING_SQL} WHERE ${IS_LEASED_SQL}
  ON CONFLICT (bookable_id, key) WHERE key IS NOT NULL DO UPDATE
  SET base = CASE WHEN known.fault IS NULL THEN ${RESUMED_SQL} ELSE excluded.base END, fault = NULL,
    event_id = excluded.event_id, booking_id = excluded.booking_id
  WHERE known.entry_id IS NULL AND known.pending_since IS NULL
  RETURNING id, base`

/**
 * Stores that an entry is to be created. If an earlier creation has no answer yet, returns its content, because the entry may exist
 * with it, but with the rooms and people that a meeting has now. After a refusal, returns the new content. The entry of a meeting may
 * exist even after a refusal, if the provider created it and refused a later call: the same key finds it. Returns undefined if the
 * entry exists by now.
 */
export async function beginCreation(
  database: Knex,
  link: Leased,
  { content, ...creation }: Creation,
): Promise<BegunEntry | undefined> {
  const { rows } = await database.raw<{ rows: BegunEntry[] }>(INSERT_SQL, {
    ...toValues(link),
    ...creation,
    content: JSON.stringify(content),
  })
  return rows[0]
}

// If this room has already read the new entry, another row has its key. Deletes that row, and keeps the id of the copy from it.
const REPLACE_SQL = `
  WITH other AS (
    DELETE FROM calendar_entries WHERE bookable_id = :bookableId AND key = :key AND id <> :id
      AND EXISTS (SELECT FROM calendar_entries WHERE ${IS_WRITABLE_SQL}) RETURNING copy_id)
  UPDATE calendar_entries SET key = :key, entry_id = NULL, copy_id = coalesce((SELECT copy_id FROM other), copy_id), series = NULL, uid = NULL, version = NULL, seen = NULL, during = NULL,
    base = CAST(:content AS jsonb), reading = ${READING_SQL}, fault = NULL, conflict = NULL, conflict_since = NULL
  WHERE ${IS_WRITABLE_SQL} RETURNING id, base`

/** Stores that another entry is to be created in place of one that is gone. */
export async function beginReplacement(
  database: Knex,
  link: Leased,
  id: number,
  { key, content }: { key: string; content: WrittenEntry },
): Promise<BegunEntry | undefined> {
  const { rows } = await database.raw<{ rows: BegunEntry[] }>(REPLACE_SQL, {
    ...toValues(link),
    id,
    key,
    content: JSON.stringify(content),
  })
  return rows[0]
}

/** The keys of all entries that Berth has written for a claim. */
export async function listKeys(
  database: Knex,
  { bookableId }: Leased,
  { eventId, bookingId }: { eventId: number | null; bookingId: number | null },
): Promise<string[]> {
  const claim = eventId === null ? { booking_id: bookingId } : { event_id: eventId }
  return database('calendar_entries')
    .where({ bookable_id: bookableId, ...claim })
    .whereNotNull('key')
    .pluck('key')
}

/**
 * Sets what both sides last agreed on. Null says that a change is under way: if its answer is lost, nobody knows what the
 * calendar has, so Berth writes it again. Returns false if the row may not be written any more.
 */
export async function setBase(
  database: Knex,
  link: Leased,
  id: number,
  base: WrittenEntry | null,
): Promise<boolean> {
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `UPDATE calendar_entries SET base = ${BASE_SQL} WHERE ${IS_WRITABLE_SQL}`,
    { ...toValues(link), id, base: base && JSON.stringify(base) },
  )
  return rowCount > 0
}

const STORE_SQL = `
  UPDATE calendar_entries SET entry_id = :entryId, series = :series, uid = :uid, version = :version,
    during = tstzrange(CAST(:from AS timestamptz), CAST(:to AS timestamptz)), seen = CAST(:seen AS jsonb),
    base = ${BASE_SQL}, reading = ${READING_SQL}, failures = 0, fault = NULL, next_write_at = NULL
  WHERE bookable_id = :bookableId AND id = :id AND ${IS_LEASED_SQL}`

async function storeAnswer(
  database: Knex,
  link: Leased,
  id: number,
  { entry, seen, base }: { entry: CalendarEntry; seen: SeenEntry; base: object | null },
): Promise<void> {
  await database.raw(STORE_SQL, {
    ...toValues(link),
    id,
    entryId: entry.id,
    series: entry.seriesId,
    uid: entry.uid,
    version: entry.version,
    from: entry.from,
    to: entry.to,
    seen: toStorableJson(seen),
    base: base && JSON.stringify(base),
  })
}

/**
 * Stores the provider's answer to a creation or change. A provider may store something else, such as a shorter title: the
 * digest of its answer says that this is no change. If `isOlder` is set, the entry
 * has older content, and Berth still has to write it.
 */
export function storeWritten(
  database: Knex,
  link: CalendarLink,
  id: number,
  { entry, content, isOlder = false }: { entry: CalendarEntry; content: WrittenEntry; isOlder?: boolean },
): Promise<void> {
  const seen = toSeenEntry(entry, link.calendar)
  const isAsWritten = isSameTime(entry, content) && !seen.isFree
  const base = { ...content, ...(isAsWritten && { digest: seen.digest }) }
  return storeAnswer(database, link, id, { entry, seen, base: isOlder ? null : base })
}

// The answer to a repeated creation is the entry as it is now, which somebody may have moved.
const isSameTime = (one: { from: string; to: string }, other: { from: string; to: string }): boolean =>
  Date.parse(one.from) === Date.parse(other.from) && Date.parse(one.to) === Date.parse(other.to)

/** Stores the provider's answer to the move of an entry that Berth did not write. */
export function storeMoved(
  database: Knex,
  link: CalendarLink,
  id: number,
  entry: CalendarEntry,
): Promise<void> {
  const seen = { ...toSeenEntry(entry, link.calendar), title: '', organizer: null, attendees: [] }
  return storeAnswer(database, link, id, { entry, seen, base: seen })
}

export async function deleteRow(database: Knex, link: Leased, id: number): Promise<void> {
  await database.raw(`DELETE FROM calendar_entries WHERE ${IS_WRITABLE_SQL}`, { ...toValues(link), id })
}

const STORE_DECLINE_SQL = `
  UPDATE calendar_entries SET decline = :decline, failures = 0, fault = NULL, next_write_at = NULL,
    event_id = CASE WHEN :decline = 'declined' THEN NULL ELSE event_id END,
    conflict = CASE WHEN :decline = 'declined' THEN conflict ELSE coalesce(conflict, CAST(:conflict AS jsonb)) END,
    conflict_since = CASE WHEN :decline = 'declined' THEN conflict_since ELSE coalesce(conflict_since, now()) END
  WHERE ${IS_WRITABLE_SQL}`

type StoredDecline = { decline: 'declined' | 'impossible'; told: Message; reason: string }

/**
 * Stores that an entry was declined, or that it stays among the conflicts. A declined entry no longer stands for an event,
 * which would otherwise end with it.
 */
export async function storeDecline(
  database: Knex,
  link: Leased,
  id: number,
  { decline, told, reason }: StoredDecline,
): Promise<void> {
  const conflict = { message: told, free_rooms: [], reason }
  await database.raw(STORE_DECLINE_SQL, {
    ...toValues(link),
    id,
    decline,
    conflict: JSON.stringify(conflict),
  })
}

/** Ends a conflict: the entry stands for its event again. */
export async function settleConflict(database: Knex, link: Leased, id: number): Promise<void> {
  await database.raw(
    `UPDATE calendar_entries SET decline = NULL, conflict = NULL, conflict_since = NULL WHERE ${IS_WRITABLE_SQL}`,
    { ...toValues(link), id },
  )
}

const STORE_FAULT_SQL = `
  UPDATE calendar_entries SET failures = failures + 1, fault = CAST(:fault AS jsonb),
    next_write_at = CAST(:now AS timestamptz)
      + (ARRAY[interval '1 minute', '5 minutes', '30 minutes', '2 hours', '6 hours'])[least(failures + 1, 5)]
  WHERE ${IS_WRITABLE_SQL}`

/** Stores that an entry could not be written. It is tried again later, and does not hold up the others. */
export async function storeFault(
  database: Knex,
  link: Leased,
  id: number,
  { fault, now }: { fault: Message; now: number },
): Promise<void> {
  await database.raw(STORE_FAULT_SQL, {
    ...toValues(link),
    id,
    fault: JSON.stringify(fault),
    now: new Date(now),
  })
}

// The provider refused to create an entry that has no id, so this clears `base`, and Berth no longer looks for the entry. While a row is
// pending, this changes nothing, because the comparison leaves out the differences of pending rows.
const CLEAR_FAULTS_SQL = `
  UPDATE calendar_entries SET failures = 0, fault = NULL, next_write_at = NULL, base = CASE WHEN entry_id IS NOT NULL THEN base END
  WHERE bookable_id = :bookableId AND fault IS NOT NULL AND NOT id = ANY (:different) AND ${IS_LEASED_SQL}
    AND NOT EXISTS (SELECT FROM calendar_entries WHERE bookable_id = :bookableId AND pending_since IS NOT NULL)`

/** Clears the faults of entries that no longer differ. `different` has the row ids of all entries that differ. */
export async function clearFaults(database: Knex, link: Leased, different: number[]): Promise<void> {
  await database.raw(CLEAR_FAULTS_SQL, { ...toValues(link), different })
}

const WAITS_FOR_OTHER_ROOM = message`Berth removes this room from the calendar entry once another room of the meeting has been added. That has not happened for some minutes: see the page of the other room.`

// An entry without an id gets no fault, because a fault would mean that the entry does not exist. It may exist, if the answer to its
// creation was lost.
const DELAY_SQL = `
  UPDATE calendar_entries SET failures = failures + 1,
    next_write_at = CAST(:now AS timestamptz) + least(failures + 1, 60) * interval '5 seconds',
    fault = CASE WHEN failures >= 15 AND entry_id IS NOT NULL THEN CAST(:waits AS jsonb) ELSE fault END
  WHERE ${IS_WRITABLE_SQL}`

/** Delays writing an entry, because another room has to write first. After about ten minutes of delays, this becomes a fault. */
export async function delayWriting(database: Knex, link: Leased, id: number, now: number): Promise<void> {
  const waits = JSON.stringify(WAITS_FOR_OTHER_ROOM)
  await database.raw(DELAY_SQL, { ...toValues(link), id, now: new Date(now), waits })
}

const STORE_OUTAGE_SQL = `
  UPDATE calendar_entries SET failures = failures + 1,
    next_write_at = CASE WHEN failures >= 2 THEN CAST(:now AS timestamptz) + least(failures, 5) * interval '1 minute' END
  WHERE ${IS_WRITABLE_SQL}`

/** Stores that the provider did not answer. The entry may have been written, so this is no fault of it. */
export async function storeOutage(database: Knex, link: Leased, id: number, now: number): Promise<void> {
  await database.raw(STORE_OUTAGE_SQL, { ...toValues(link), id, now: new Date(now) })
}
