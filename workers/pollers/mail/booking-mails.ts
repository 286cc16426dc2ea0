// What a mail about bookings has to say: how each booking is now, compared with what mail last told the person. A booking that
// is as the person knows it is left out, and so is one that came and went before.
import type { Knex } from 'knex'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { closedDuring } from '../../../shared/rules/rules-shape.ts'
import { textOf, timestampText } from '../../../shared/schemas/json.ts'
import { type CalendarEntry, calendarEntryJson } from '../../../shared/tokens/calendars-shape.ts'
import type { Placed } from './words.ts'

type Span = { from: string; to: string | null }

/** Why a place cannot be used, if that is known. */
export type PlaceReasons = {
  closedReason: string | null
  isBlocked: boolean
  isDeleted: boolean
}

export type SaidBooking = PlaceReasons &
  Placed & {
    id: number
    state: 'new' | 'moved' | 'retimed' | 'cancelled'
    entry: CalendarEntry
    before: (Span & { name: string | null }) | null
    isNoShow: boolean
    /** The person had asked for it, and somebody has approved it. */
    isApproved: boolean
    /** The person's own meeting has taken its place (workers/jobs/events/from-booking.ts). */
    isMeeting: boolean
    checkIn: Span | null
    bookableId: number
    from: string
    to: string | null
  }

type AboutBookings = {
  /** Of the person's own changes, and of new bookings. */
  isOwn: boolean
  userId: number
  bookingIds: number[]
  /** The attempt whose changes the mail is about; null if unknown. */
  attempt: string | null
}

export async function readSaidBookings(
  database: Knex,
  { isOwn, userId, bookingIds, attempt }: AboutBookings,
): Promise<SaidBooking[]> {
  const values = { user: userId, ids: bookingIds, own: isOwn, attempt }
  const { rows } = await database.raw(SAY, values).options({ name: 'read-said-bookings' })
  return rows.map(({ entry, ...row }: { entry: string }) => ({ ...row, entry: JSON.parse(entry) }))
}

/** SQL: the fields of Placed, and the tables that contain them. A person who works at home does not come to the building. */
export const PLACED = `bookables.name, buildings.timezone AS zone, CASE WHEN bookables.type <> ${BOOKABLE_TYPES.homeOffice}
      THEN concat_ws(', ', locations.name, buildings.name, nullif(buildings.address, '')) END AS place`
export const joinPlaces = (bookable: string) => `JOIN bookables ON bookables.id = ${bookable}
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id`

const entryText = textOf(calendarEntryJson)
const spanJson = (range: string, more = '') =>
  `json_build_object('from', ${timestampText(`lower(${range})`)}, 'to', ${timestampText(`upper(${range})`)}${more})`

const GUEST = 'coalesce(guest_name, guest_email)'

// A booking that somebody else has now is cancelled for the person who had it.
const NOW = `
  SELECT id, bookable_id, ${GUEST} AS guest, during, revision, created_at, updated_at, check_in_from, check_in_until,
    checked_in_at, released_at IS NOT NULL AS is_gone, released_at IS NOT NULL AS is_no_show, upper(during) <= now() AS is_over
  FROM bookings WHERE id = ANY (:ids) AND user_id = :user
  UNION ALL
  SELECT booking_id, bookable_id, NULL, during, revision, created_at, cancelled_at, NULL, NULL, NULL, true, false, false
  FROM cancelled_bookings WHERE booking_id = ANY (:ids) AND user_id = :user AND event_id IS NULL
  UNION ALL
  SELECT id, bookable_id, NULL, during, revision, created_at, updated_at, NULL, NULL, NULL, true, false, false
  FROM bookings WHERE id = ANY (:ids) AND user_id <> :user`

const STATE = `CASE
  WHEN is_over AND NOT is_gone AND (:own OR told.during IS NULL OR told.during = found.during) THEN NULL
  WHEN is_gone OR is_over THEN CASE WHEN coalesce(upper(told.during) > now(), told.during IS NOT NULL) THEN 'cancelled' END
  WHEN told.during IS NULL THEN 'new'
  WHEN told.bookable_id <> found.bookable_id THEN 'moved'
  WHEN told.during <> found.during THEN 'retimed' END`

// The place counts as the reason only if the write that cancelled the booking changed a place too.
const ofPlace = (isGone: string, condition: string) => `(${isGone} AND ${condition} AND EXISTS (
      SELECT FROM audit_log WHERE attempt = CAST(:attempt AS uuid) AND resource IN ('bookables', 'locations', 'buildings')))`

const closedReason = (isGone: string, during: string) =>
  `CASE WHEN ${ofPlace(isGone, 'true')} THEN (SELECT reason FROM (${closedDuring(during)}) AS closing) END`

/** SQL: the fields of PlaceReasons. `isGone` is a condition in SQL. */
export const placeReasons = (
  isGone: string,
  during: string,
) => `${closedReason(isGone, during)} AS "closedReason",
    ${ofPlace(isGone, `bookables.status = ${BOOKABLE_STATUSES.blocked}`)} AS "isBlocked",
    ${ofPlace(isGone, 'bookables.deleted_at IS NOT NULL')} AS "isDeleted"`

const SAY = `
  WITH entries AS (
    SELECT 'booking' AS kind, found.id, NULL::bigint AS user_id, guest, revision, created_at, updated_at, is_no_show,
      check_in_from, check_in_until, checked_in_at, told.bookable_id AS told_bookable_id, told.during AS told_during,
      ${STATE} AS state, is_gone, is_gone OR is_over AS cancelled,
      CASE WHEN is_gone OR is_over THEN coalesce(told.during, found.during) ELSE found.during END AS during,
      CASE WHEN is_gone OR is_over THEN coalesce(told.bookable_id, found.bookable_id) ELSE found.bookable_id END AS bookable_id
    FROM (${NOW}) AS found
    LEFT JOIN told_bookings AS told ON told.booking_id = found.id AND told.user_id = :user
  )
  SELECT entries.id, entries.state, ${entryText} AS entry, ${PLACED},
    CASE WHEN told_during IS NOT NULL THEN ${spanJson('told_during', `, 'name', (SELECT name FROM bookables AS former WHERE former.id = told_bookable_id)`)} END AS before,
    is_no_show AS "isNoShow",
    ${placeReasons('is_gone', 'entries.during')},
    EXISTS (SELECT FROM holds WHERE holds.booking_id = entries.id AND holds.kind = 'request' AND holds.user_id = :user) AS "isApproved", bookables.id AS "bookableId",
    EXISTS (SELECT FROM bookings AS rooms JOIN events ON events.id = rooms.event_id
      WHERE rooms.bookable_id = entries.bookable_id AND rooms.during = entries.during AND organizer_user_id = :user) AS "isMeeting",
    CASE WHEN check_in_until IS NOT NULL AND checked_in_at IS NULL
      THEN ${spanJson('tstzrange(check_in_from, check_in_until)')} END AS "checkIn",
    ${timestampText('lower(entries.during)')} AS "from", ${timestampText('upper(entries.during)')} AS "to"
  FROM entries ${joinPlaces('entries.bookable_id')}
  LEFT JOIN users ON users.id = entries.user_id
  LEFT JOIN events ON false
  LEFT JOIN users AS organizers ON false
  WHERE entries.state IS NOT NULL
  ORDER BY lower(entries.during), entries.id`

/** What earlier mails told a person about bookings. */
export type Told = { userId: number; ids: number[]; former: unknown[] }

/** In the transaction that notes that the mail was sent. */
export async function noteTold(trx: Knex.Transaction, userId: number, said: SaidBooking[]): Promise<Told> {
  const known = said.map(({ state, ...booking }) => ({ ...booking, isKnown: state !== 'cancelled' }))
  const ids = known.map(({ id }) => id)
  const { rows } = await trx.raw(
    `WITH noted AS (
       INSERT INTO told_bookings (user_id, booking_id, bookable_id, during)
       SELECT :user, id, CASE WHEN is_known THEN bookable_id END,
         CASE WHEN is_known THEN tstzrange(from_time, to_time) END
       FROM unnest(CAST(:ids AS bigint[]), CAST(:bookables AS bigint[]), CAST(:starts AS timestamptz[]),
         CAST(:ends AS timestamptz[]), CAST(:known AS boolean[])) AS said (id, bookable_id, from_time, to_time, is_known)
       ON CONFLICT (user_id, booking_id) DO UPDATE
         SET bookable_id = excluded.bookable_id, during = excluded.during, told_at = now()
     )
     SELECT to_jsonb(told_bookings) AS row FROM told_bookings WHERE user_id = :user AND booking_id = ANY (:ids)`,
    {
      user: userId,
      ids,
      bookables: known.map(({ bookableId }) => bookableId),
      starts: known.map(({ from }) => from),
      ends: known.map(({ to }) => to),
      known: known.map(({ isKnown }) => isKnown),
    },
  )
  return { userId, ids, former: rows.map(({ row }: { row: unknown }) => row) }
}

/** The server has refused the mail. */
export async function takeBackTold(trx: Knex.Transaction, { userId, ids, former }: Told): Promise<void> {
  await trx('told_bookings').where({ user_id: userId }).whereIn('booking_id', ids).delete()
  await trx.raw(
    'INSERT INTO told_bookings SELECT * FROM jsonb_populate_recordset(NULL::told_bookings, CAST(? AS jsonb))',
    [JSON.stringify(former)],
  )
}
