// Reads the content of a mail about bookings: how each booking differs from what earlier mails said. Leaves out
// bookings that have not changed since the last mail, and bookings that were created and cancelled since then.
import type { Knex } from 'knex'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { isHiddenFromSql } from '../../../shared/people/visibility.ts'
import { closedDuringSql } from '../../../shared/rules/rules-shape.ts'
import { jsonAsText, timestampText } from '../../../shared/schemas/json.ts'
import { type CalendarEntry, calendarEntryJson } from '../../../shared/tokens/calendars-shape.ts'
import { type Channel, MAIL_CHANNEL } from './channels.ts'
import type { BookedPlace } from './words.ts'

type Span = { from: string; to: string | null }

/** The reason why a place can no longer be used, if it is known. */
export type PlaceReasons = {
  closedReason: string | null
  isBlocked: boolean
  isDeleted: boolean
}

export type BookingInMail = PlaceReasons &
  BookedPlace & {
    id: number
    state: 'new' | 'moved' | 'retimed' | 'cancelled'
    entry: CalendarEntry
    before: (Span & { name: string | null }) | null
    isNoShow: boolean
    /** Whether the booking is a request of the person that somebody approved. */
    isApproved: boolean
    /** The name of a colleague who booked for the reader. Null if there is none or if they hide from the reader. */
    bookedBy: string | null
    /** Whether a meeting of the person has replaced the booking (workers/jobs/events/from-booking.ts). */
    isMeeting: boolean
    checkIn: Span | null
    bookableId: number
    from: string
    to: string | null
  }

type BookingsInMailQuery = {
  /** Whether the mail is about new bookings, or about changes that the person made. */
  isOwn: boolean
  userId: number
  bookingIds: number[]
  /** The attempt whose changes the mail is about, or null if it is unknown. */
  attempt: string | null
  told?: Channel['told']
}

export async function readBookingsInMail(
  database: Knex,
  { isOwn, userId, bookingIds, attempt, told = MAIL_CHANNEL.told }: BookingsInMailQuery,
): Promise<BookingInMail[]> {
  const values = { user: userId, ids: bookingIds, own: isOwn, attempt }
  const { rows } = await database
    .raw(readBookingsSql(told), values)
    .options({ name: `read-bookings-of-${told}` })
  return rows.map(({ entry, ...row }: { entry: string }) => ({ ...row, entry: JSON.parse(entry) }))
}

/**
 * SQL for the fields of BookedPlace and the tables that contain them. A home office has no place, because a person who
 * works at home does not come to the building.
 */
export const PLACE_SQL = `bookables.name, buildings.timezone AS zone, CASE WHEN bookables.type <> ${BOOKABLE_TYPES.homeOffice}
      THEN concat_ws(', ', locations.name, buildings.name, nullif(buildings.address, '')) END AS place`
export const joinPlacesSql = (bookable: string) => `JOIN bookables ON bookables.id = ${bookable}
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`

const ENTRY_TEXT_SQL = jsonAsText(calendarEntryJson)
const spanJsonSql = (range: string, more = '') =>
  `json_build_object('from', ${timestampText(`lower(${range})`)}, 'to', ${timestampText(`upper(${range})`)}${more})`

const GUEST_SQL = 'coalesce(guest_name, guest_email)'

// SQL for how a booking is now. A booking that now belongs to somebody else counts as cancelled for the person who had
// it before.
const CURRENT_BOOKINGS_SQL = `
  SELECT id, bookable_id, ${GUEST_SQL} AS guest, during, revision, created_at, updated_at, check_in_from, check_in_until,
    checked_in_at, released_at IS NOT NULL AS is_gone, released_at IS NOT NULL AS is_no_show, upper(during) <= now() AS is_over
  FROM bookings WHERE id = ANY (:ids) AND user_id = :user
  UNION ALL
  SELECT booking_id, bookable_id, NULL, during, revision, created_at, cancelled_at, NULL, NULL, NULL, true, false, false
  FROM cancelled_bookings WHERE booking_id = ANY (:ids) AND user_id = :user AND event_id IS NULL
  UNION ALL
  SELECT id, bookable_id, NULL, during, revision, created_at, updated_at, NULL, NULL, NULL, true, false, false
  FROM bookings WHERE id = ANY (:ids) AND user_id <> :user`

const STATE_SQL = `CASE
  WHEN is_over AND NOT is_gone AND (:own OR told.during IS NULL OR told.during = found.during) THEN NULL
  WHEN is_gone OR is_over THEN CASE WHEN coalesce(upper(told.during) > now(), told.during IS NOT NULL) THEN 'cancelled' END
  WHEN told.during IS NULL THEN 'new'
  WHEN told.bookable_id <> found.bookable_id THEN 'moved'
  WHEN told.during <> found.during THEN 'retimed' END`

// SQL for a reason that has to do with the place. The place counts as the reason only if the write that cancelled the
// booking also changed a place.
const placeReasonSql = (isGone: string, condition: string) => `(${isGone} AND ${condition} AND EXISTS (
      SELECT FROM audit_log WHERE attempt = CAST(:attempt AS uuid) AND resource IN ('bookables', 'locations', 'buildings')))`

const closedReasonSql = (isGone: string, during: string) =>
  `CASE WHEN ${placeReasonSql(isGone, 'true')} THEN (SELECT reason FROM (${closedDuringSql(during)}) AS closing) END`

/** SQL for the fields of PlaceReasons. `isGone` is an SQL condition. */
export const placeReasonsSql = (
  isGone: string,
  during: string,
) => `${closedReasonSql(isGone, during)} AS "closedReason",
    ${placeReasonSql(isGone, `bookables.status = ${BOOKABLE_STATUSES.blocked}`)} AS "isBlocked",
    ${placeReasonSql(isGone, 'bookables.deleted_at IS NOT NULL')} AS "isDeleted"`

const readBookingsSql = (toldTable: Channel['told']) => `
  WITH entries AS (
    SELECT 'booking' AS kind, found.id, NULL::bigint AS user_id, guest, revision, created_at, updated_at, is_no_show,
      check_in_from, check_in_until, checked_in_at, told.bookable_id AS told_bookable_id, told.during AS told_during,
      ${STATE_SQL} AS state, is_gone, is_gone OR is_over AS cancelled,
      CASE WHEN is_gone OR is_over THEN coalesce(told.during, found.during) ELSE found.during END AS during,
      CASE WHEN is_gone OR is_over THEN coalesce(told.bookable_id, found.bookable_id) ELSE found.bookable_id END AS bookable_id
    FROM (${CURRENT_BOOKINGS_SQL}) AS found
    LEFT JOIN ${toldTable} AS told ON told.booking_id = found.id AND told.user_id = :user
  )
  SELECT entries.id, entries.state, ${ENTRY_TEXT_SQL} AS entry, ${PLACE_SQL},
    CASE WHEN told_during IS NOT NULL THEN ${spanJsonSql('told_during', `, 'name', (SELECT name FROM bookables AS former WHERE former.id = told_bookable_id)`)} END AS before,
    is_no_show AS "isNoShow",
    ${placeReasonsSql('is_gone', 'entries.during')},
    EXISTS (SELECT FROM holds WHERE holds.booking_id = entries.id AND holds.kind = 'request' AND holds.user_id = :user) AS "isApproved", bookables.id AS "bookableId",
    (SELECT bookers.name FROM bookings AS booked JOIN users AS bookers ON bookers.id = booked.booked_by_user_id
      WHERE booked.id = entries.id AND NOT ${isHiddenFromSql('bookers.id', 'CAST(:user AS bigint)')}) AS "bookedBy",
    EXISTS (SELECT FROM bookings AS rooms JOIN events ON events.id = rooms.event_id
      WHERE rooms.bookable_id = entries.bookable_id AND rooms.during = entries.during AND organizer_user_id = :user) AS "isMeeting",
    CASE WHEN check_in_until IS NOT NULL AND checked_in_at IS NULL
      THEN ${spanJsonSql('tstzrange(check_in_from, check_in_until)')} END AS "checkIn",
    ${timestampText('lower(entries.during)')} AS "from", ${timestampText('upper(entries.during)')} AS "to"
  FROM entries ${joinPlacesSql('entries.bookable_id')}
  LEFT JOIN users ON users.id = entries.user_id
  LEFT JOIN events ON false
  LEFT JOIN users AS organizers ON false
  WHERE entries.state IS NOT NULL
  ORDER BY lower(entries.during), entries.id`

/**
 * Records what the mail says, in the transaction that records the mail as sent. Returns a function that restores the
 * former record.
 */
export async function recordMailedBookings(
  trx: Knex.Transaction,
  userId: number,
  said: BookingInMail[],
  told: Channel['told'] = MAIL_CHANNEL.told,
): Promise<(trx: Knex.Transaction) => Promise<void>> {
  const known = said.map(({ state, ...booking }) => ({ ...booking, isKnown: state !== 'cancelled' }))
  const ids = known.map(({ id }) => id)
  const { rows } = await trx.raw(
    `WITH noted AS (
       INSERT INTO ${told} (user_id, booking_id, bookable_id, during)
       SELECT :user, id, CASE WHEN is_known THEN bookable_id END,
         CASE WHEN is_known THEN tstzrange(from_time, to_time) END
       FROM unnest(CAST(:ids AS bigint[]), CAST(:bookables AS bigint[]), CAST(:starts AS timestamptz[]),
         CAST(:ends AS timestamptz[]), CAST(:known AS boolean[])) AS said (id, bookable_id, from_time, to_time, is_known)
       ON CONFLICT (user_id, booking_id) DO UPDATE
         SET bookable_id = excluded.bookable_id, during = excluded.during, told_at = now()
     )
     SELECT to_jsonb(${told}) AS row FROM ${told} WHERE user_id = :user AND booking_id = ANY (:ids)`,
    {
      user: userId,
      ids,
      bookables: known.map(({ bookableId }) => bookableId),
      starts: known.map(({ from }) => from),
      ends: known.map(({ to }) => to),
      known: known.map(({ isKnown }) => isKnown),
    },
  )
  const former = JSON.stringify(rows.map(({ row }: { row: unknown }) => row))
  return async (later) => {
    await later(told).where({ user_id: userId }).whereIn('booking_id', ids).delete()
    await later.raw(
      `INSERT INTO ${told} SELECT * FROM jsonb_populate_recordset(NULL::${told}, CAST(? AS jsonb))`,
      [former],
    )
  }
}
