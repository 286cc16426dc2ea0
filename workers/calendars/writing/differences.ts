// Compares the claims of a room with the entries of its calendar. One statement returns what differs, and nothing if both
// sides say the same.
import { claimsSql } from '../../../shared/affected-bookings/claims.ts'
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES } from '../../../shared/events/events.ts'
import type { Message } from '../../../shared/messages/message.ts'
import { isPersonShownSql, shownNameSql } from '../../../shared/people/shown-names.ts'
import { CALENDAR_DAYS_AHEAD, type WrittenEntry } from '../../../shared/room-calendars/room-calendars.ts'
import { writtenTimesSql } from '../../../shared/room-calendars/written-times.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { CalendarLink, CalendarTools } from '../calendar-link.ts'
import { INVITED_SQL, ORGANIZER_SQL } from '../organizers.ts'
import { type DeclineReason, writeEntryWords } from './texts.ts'

/**
 * What to do. `create` also resumes a creation whose answer was lost, and replaces an entry that is gone. `move` gives an
 * entry that Berth did not write the times of its event, `forget` deletes the row of an entry that is no longer there, and
 * `settle` clears the conflict of an entry whose room is free for it by now.
 */
export type DifferenceKind = 'create' | 'change' | 'move' | 'cancel' | 'forget' | 'decline' | 'settle'

export type Difference = {
  kind: DifferenceKind
  rowId: number | null
  entryId: string | null
  key: string | null
  version: string | null
  /** What the entry said when it was last read, as a digest. */
  digest: string | null
  eventId: number | null
  bookingId: number | null
  /** Whether the entry was deleted at the provider. */
  isGone: boolean
  hasFault: boolean
  /** The organizer whose calendar has the entry. Null if it is in the calendar of the room. */
  mailbox: string | null
  /** Whether that organizer has no mailbox, so that the entry was never created there. */
  isMissing: boolean
  base: WrittenEntry | null
  /** What the claim says now. Null if there is no claim. */
  content: WrittenEntry | null
  reason: DeclineReason | null
  conflict: { message: Message; free_rooms: Array<{ id: number; name: string }> } | null
  /** When to try it again, in milliseconds. Null if it has not failed. */
  nextAt: number | null
}

const { confirmed } = EVENT_STATUSES
const { private: isPrivate, confidential } = EVENT_CLASSIFICATIONS
const IS_PRIVATE_SQL = `coalesce(events.classification IN (${isPrivate}, ${confidential}), false)`
const NOW = 'CAST(:now AS timestamptz)'
const NAMES = 'CAST(:names AS text)'
// Entries and claims that ended a moment ago are compared as well, because a booking may have been ended early.
const SINCE = `(${NOW} - interval '24 hours')`

// A refusal is not sent while other entries of the calendar are pending, because applying them may free the time. The wait is limited,
// because an entry may stay pending for good. The limit is shorter than the time after which the engine counts an entry as stuck and
// no longer compares its calendar often.
const PENDING_MAX_SQL = "interval '100 seconds'"

const flagSql = (name: string) => `coalesce(CAST(seen ->> '${name}' AS boolean), false)`

const ROWS_SQL = `
  SELECT id, entry_id, key, event_id, booking_id, during, version, seen ->> 'digest' AS digest, base, conflict, decline, fault IS NOT NULL AS has_fault,
    fault IS NOT NULL AND failures = 0 AS is_contended, restores_since,
    pending_since IS NOT NULL AS is_pending, coalesce(pending_since > now() - ${PENDING_MAX_SQL}, false) AS is_fresh, next_write_at,
    coalesce(next_write_at > ${NOW}, false) AND fault IS NULL AND decline IS NULL AS is_awaited, ${flagSql('isOwn')} AS is_own, ${flagSql('isFree')} AS is_free,
    ${flagSql('isGone')} OR ${flagSql('isCancelled')} OR ${flagSql('isDeclined')} AS is_gone,
    seen ->> 'unreadable' IS NOT NULL AS is_unreadable
  FROM calendar_entries
  WHERE bookable_id = :bookable AND (
    during IS NULL OR upper(during) > ${SINCE} OR event_id IN (SELECT event_id FROM claims WHERE event_id IS NOT NULL)
    OR booking_id IN (SELECT booking_id FROM claims WHERE booking_id IS NOT NULL))`

const { from: FROM_SQL, to: TO_SQL } = writtenTimesSql('bookings.during', {
  zone: 'CAST(:zone AS text)',
  now: NOW,
})

const inFullSql = (people: string, value: string) =>
  `CASE WHEN ${NAMES} = 'full' AND ${isPersonShownSql(people)} THEN ${value} END`

// `none` hides purposes as well (shared/people/shown-names.ts), and the name of an event often names its organizer.
const TITLE_SQL = `CASE
  WHEN ${IS_PRIVATE_SQL} THEN CAST(:private AS text)
  WHEN events.id IS NOT NULL THEN CASE WHEN ${NAMES} = 'none' OR NOT (${isPersonShownSql('organizers')}) THEN CAST(:taken AS text)
    ELSE events.name END
  ELSE coalesce(${shownNameSql('users', NAMES, 'coalesce(bookings.guest_name, bookings.guest_email) IS NULL')},
    ${inFullSql('users', 'coalesce(bookings.guest_name, bookings.guest_email)')}, CAST(:taken AS text)) END`

const TEXT_SQL = `concat_ws(E'\\n', CAST(:booked AS text),
  CAST(:organizer AS text) || ' ' || ${shownNameSql('organizers', NAMES, `NOT ${IS_PRIVATE_SQL}`)},
  CAST(:url AS text) || '/my/meetings/' || events.id)`

// The claims that Berth writes to the calendar, and later claims of meetings whose entry from outside Berth has to decline or move.
const UNTIL = `(${NOW} + interval '${CALENDAR_DAYS_AHEAD} days')`
const CLAIMS_OF_ROOM_SQL = `bookings.bookable_id = :bookable AND bookings.during && tstzrange(${SINCE}, NULL)
  AND (lower(bookings.during) < ${UNTIL} OR bookings.event_id IN (
    SELECT event_id FROM calendar_entries WHERE bookable_id = :bookable AND key IS NULL AND upper(during) > ${NOW}))`

const CLAIMS_SQL = `
  SELECT row_number() OVER () AS number, bookings.event_id, CASE WHEN bookings.event_id IS NULL THEN bookings.id END AS booking_id,
    greatest(bookings.updated_at, events.updated_at) AS changed_at, tstzrange(span.from_time, span.to_time) AS during,
    jsonb_build_object('from', ${timestampText('span.from_time')}, 'to', ${timestampText('span.to_time')},
      'title', ${TITLE_SQL}, 'text', ${TEXT_SQL}, 'isPrivate', ${IS_PRIVATE_SQL})
      || CASE WHEN CAST(:mailboxes AS boolean) AND events.id IS NOT NULL THEN jsonb_build_object('organizer', mailbox.organizer) ELSE '{}' END
      || CASE WHEN mailbox.organizer IS NULL THEN '{}' ELSE jsonb_build_object('invited', ${INVITED_SQL}) END AS content
  FROM (${claimsSql(CLAIMS_OF_ROOM_SQL)}) AS bookings
  LEFT JOIN events ON events.id = bookings.event_id
  LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
  LEFT JOIN users ON users.id = bookings.user_id
  CROSS JOIN LATERAL (SELECT ${FROM_SQL} AS from_time, ${TO_SQL} AS to_time OFFSET 0) AS span
  CROSS JOIN LATERAL (SELECT CASE WHEN CAST(:mailboxes AS boolean) THEN ${ORGANIZER_SQL} END AS organizer OFFSET 0) AS mailbox
  WHERE bookings.released_at IS NULL AND bookings.hold_id IS NULL AND (events.id IS NULL OR events.status = ${confirmed})`

const pendingSql = (column: 'event_id' | 'booking_id') =>
  `SELECT ${column} FROM entries WHERE is_pending AND ${column} IS NOT NULL`
const isPendingSql = (row: string) =>
  `(coalesce(${row}.event_id IN (${pendingSql('event_id')}), false)
    OR coalesce(${row}.booking_id IN (${pendingSql('booking_id')}), false))`

// A claim stands in the calendar by an entry from outside, or else by one that Berth writes. An entry from outside that
// Berth may change stands for its claim even at another time, because it is moved, and so does one that is about to be moved
// in this calendar as it was in that of another room. An entry that cannot be read stands for its claim as well, and is left
// alone. Hash joins compare thousands of claims.
const MATCHED_SQL = `
  SELECT DISTINCT ON (claims.number) claims.*, outside.id AS outside_id, outside.during AS outside_during,
    outside.is_own AS is_movable, outside.decline AS outside_decline, outside.is_unreadable, coalesce(of_event.id, of_booking.id) AS own_id,
    outside.id IS NOT NULL AND (outside.during = claims.during OR outside.is_own OR outside.is_awaited OR outside.is_unreadable)
      AS is_represented,
    ${isPendingSql('claims')} AS is_blocked
  FROM claims
  LEFT JOIN entries AS outside ON outside.event_id = claims.event_id AND outside.key IS NULL AND NOT outside.is_gone
    AND NOT outside.is_free AND outside.decline IS DISTINCT FROM 'declined'
  LEFT JOIN entries AS of_event ON of_event.event_id = claims.event_id AND of_event.key IS NOT NULL
  LEFT JOIN entries AS of_booking ON of_booking.booking_id = claims.booking_id
  ORDER BY claims.number, outside.during = claims.during DESC, outside.id,
    coalesce(of_event.is_gone, of_booking.is_gone), of_event.id, of_booking.id`

const ROW_COLUMNS = 'entries.id, entries.event_id, entries.booking_id'
const CLAIM_COLUMNS = 'claims.event_id, claims.booking_id'

const IS_LATER_SQL = `upper(claims.during) > ${NOW}`
const IS_ROW_LATER_SQL = `upper(entries.during) > ${NOW}`

const WANTED_SQL = `
  -- Entries of Berth without a claim, or whose claim has an entry from outside.
  SELECT CASE WHEN entries.is_gone THEN 'forget' ELSE 'cancel' END AS kind, ${ROW_COLUMNS}, NULL::jsonb AS content,
    NULL::timestamptz AS changed_at, NULL AS reason
  FROM entries LEFT JOIN matched AS claims ON claims.own_id = entries.id
  WHERE entries.key IS NOT NULL AND NOT entries.is_pending AND NOT entries.is_unreadable AND (entries.entry_id IS NULL OR ${IS_ROW_LATER_SQL})
    AND (claims.own_id IS NULL OR claims.is_represented) AND NOT ${isPendingSql('entries')}
  UNION ALL
  -- Entries from outside whose event no longer has the room, and those that Berth refused.
  SELECT CASE WHEN entries.conflict IS NULL AND entries.is_own THEN 'cancel' ELSE 'decline' END, ${ROW_COLUMNS}, NULL, NULL,
    CASE WHEN entries.conflict IS NOT NULL THEN 'conflict'
      WHEN EXISTS (SELECT FROM events WHERE events.id = entries.event_id AND events.status = ${confirmed}) THEN 'released'
      ELSE 'cancelled' END
  FROM entries
  WHERE entries.key IS NULL AND NOT entries.is_pending AND NOT entries.is_gone AND NOT entries.is_free AND NOT entries.is_unreadable
    AND ${IS_ROW_LATER_SQL}
    AND entries.decline IS NULL AND (entries.conflict IS NOT NULL AND NOT EXISTS (SELECT FROM entries AS others WHERE others.is_fresh)
      OR entries.conflict IS NULL AND entries.event_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM bookings JOIN events ON events.id = bookings.event_id
      WHERE bookings.event_id = entries.event_id AND bookings.bookable_id = :bookable AND bookings.released_at IS NULL
        AND events.status = ${confirmed}))
  UNION ALL
  -- Entries from outside at other times than their event.
  SELECT CASE WHEN claims.is_movable THEN 'move' ELSE 'decline' END, claims.outside_id, ${CLAIM_COLUMNS}, claims.content,
    claims.changed_at, CASE WHEN claims.is_movable THEN NULL ELSE 'moved' END
  FROM matched AS claims
  WHERE NOT claims.is_blocked AND NOT claims.is_unreadable AND claims.outside_during <> claims.during AND claims.outside_decline IS NULL
    AND (${IS_LATER_SQL} OR claims.is_movable AND upper(claims.outside_during) > ${NOW})
  UNION ALL
  SELECT 'settle', claims.outside_id, ${CLAIM_COLUMNS}, claims.content, claims.changed_at, NULL
  FROM matched AS claims
  WHERE NOT claims.is_blocked AND NOT claims.is_unreadable AND claims.outside_during = claims.during AND claims.outside_decline = 'impossible'
  UNION ALL
  SELECT CASE WHEN entries.entry_id IS NULL OR entries.is_gone THEN 'create' ELSE 'change' END, entries.id, ${CLAIM_COLUMNS},
    claims.content, claims.changed_at, NULL
  FROM matched AS claims LEFT JOIN entries ON entries.id = claims.own_id
  WHERE NOT claims.is_blocked AND NOT claims.is_represented AND entries.is_unreadable IS NOT TRUE AND (${IS_LATER_SQL}
    OR NOT entries.is_gone AND ${IS_ROW_LATER_SQL})
    AND (lower(claims.during) < ${UNTIL} OR entries.entry_id IS NOT NULL AND NOT entries.is_gone)
    AND (entries.entry_id IS NULL OR entries.is_gone OR entries.is_free
      OR NOT coalesce(entries.base @> CASE
        WHEN entries.base -> 'organizer' IS NULL THEN claims.content - 'organizer' - 'invited' ELSE claims.content END, false))`

// Berth stops restoring an entry that somebody else keeps changing. It still writes a change that people make in Berth, once.
const IS_CHANGED_IN_BERTH_SQL = `(entries.is_contended AND (wanted.kind IN ('cancel', 'forget')
  OR coalesce(wanted.changed_at > entries.restores_since, false)))`

// The provider may accept a creation with other content than the one that it refused.
const IS_CORRECTED_SQL = `(wanted.kind = 'create' AND entries.entry_id IS NULL AND entries.has_fault AND NOT entries.is_contended
  AND NOT coalesce(entries.base @> (wanted.content - 'organizer' - 'invited'), false))`

// What gives time free comes before what takes it, so that the calendar shows as few overlaps as possible.
const COMPARE_SQL = `
  WITH claims AS MATERIALIZED (${CLAIMS_SQL}),
    entries AS MATERIALIZED (${ROWS_SQL}),
    matched AS MATERIALIZED (${MATCHED_SQL}),
    wanted AS (${WANTED_SQL})
  SELECT wanted.kind, wanted.id AS "rowId", entries.entry_id AS "entryId", entries.key, entries.version, entries.digest,
    wanted.event_id AS "eventId", wanted.booking_id AS "bookingId", coalesce(entries.is_gone, false) AS "isGone",
    coalesce(entries.has_fault, false) AS "hasFault", organizer_entries.mailbox, coalesce(organizer_entries.is_missing, false) AS "isMissing", entries.base, wanted.content, wanted.reason, entries.conflict,
    CASE WHEN entries.next_write_at > ${NOW} AND NOT ${IS_CHANGED_IN_BERTH_SQL} AND NOT coalesce(${IS_CORRECTED_SQL}, false) THEN extract(epoch FROM entries.next_write_at)::float8 * 1000 END AS "nextAt"
  FROM wanted LEFT JOIN entries ON entries.id = wanted.id LEFT JOIN organizer_entries ON organizer_entries.key = entries.key
  ORDER BY "nextAt" NULLS FIRST, array_position(ARRAY['forget', 'settle', 'cancel', 'decline', 'move', 'change'], wanted.kind) NULLS LAST,
    wanted.changed_at NULLS FIRST, wanted.id NULLS LAST, wanted.event_id, wanted.booking_id
  LIMIT :limit`

type CompareTools = Pick<CalendarTools, 'database' | 'peopleUrl' | 'now'> & {
  settings: Pick<CalendarTools['settings'], 'usesOrganizerMailboxes'>
}
type ComparedCalendar = Pick<CalendarLink, 'bookableId' | 'names' | 'calendar' | 'provider'>

/** Returns what differs. What has failed and is to be tried later comes last. */
export async function findDifferences(
  { database, peopleUrl, now, settings }: CompareTools,
  { bookableId, names, calendar, provider }: ComparedCalendar,
  limit: number,
): Promise<Difference[]> {
  const { rows } = await database.raw<{ rows: Difference[] }>(COMPARE_SQL, {
    bookable: bookableId,
    names,
    zone: calendar.zone,
    url: peopleUrl ?? null,
    now: new Date(now()),
    provider,
    mailboxes: settings.usesOrganizerMailboxes && provider !== 'caldav',
    limit,
    ...writeEntryWords(calendar.zone),
  })
  return rows
}
