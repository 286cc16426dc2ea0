// Queries for calendars: the existing addresses, the owner of a secret, and everything that a calendar shows.
// $1 is the owner, $2 and $3 are the start and the end of the period.
import type pg from 'pg'
import { claimsBetween } from '../../../shared/affected-bookings/claims.ts'
import { CALENDAR_SUBJECTS, calendarJson } from '../../../shared/tokens/calendars.ts'
import { calendarEntryJson } from '../../../shared/tokens/calendars-shape.ts'
import { prepareListing } from '../../http/listing.ts'

type Subject = (typeof CALENDAR_SUBJECTS)[number]

export const allCalendars = prepareListing({
  name: 'calendars',
  item: calendarJson,
  rows: `calendars WHERE ${CALENDAR_SUBJECTS.map((name, index) => `($${index + 1}::bigint IS NULL OR ${name} = $${index + 1})`).join(' AND ')}`,
  order: { 'calendars.id': 'bigint' },
})

export type FoundCalendar = {
  id: number
  subject: Subject
  subjectId: number
  name: string
  database: string
}

/** The owner of the calendar; undefined if the address is revoked, or the owner deactivated or deleted. */
export async function findCalendar(database: pg.Pool, hash: Buffer): Promise<FoundCalendar | undefined> {
  const { rows } = await database.query<FoundCalendar>({
    name: 'find-calendar',
    text: `
      SELECT calendars.id, coalesce(users.id, bookables.id, locations.id) AS "subjectId",
        CASE WHEN users.id IS NOT NULL THEN 'user_id' WHEN bookables.id IS NOT NULL THEN 'bookable_id'
          ELSE 'location_id' END AS subject,
        coalesce(users.name, bookables.name, locations.name) AS name, (SELECT id FROM identity) AS database
      FROM calendars
      LEFT JOIN users ON users.id = calendars.user_id AND users.deactivated_at IS NULL
      LEFT JOIN bookables ON bookables.id = calendars.bookable_id AND bookables.deleted_at IS NULL
      LEFT JOIN locations ON locations.id = calendars.location_id
      WHERE calendars.hash = $1 AND coalesce(users.id, bookables.id, locations.id) IS NOT NULL`,
    values: [hash],
  })
  return rows[0]
}

const IN_TIME = 'during && tstzrange($2, $3)'

const COLUMNS = 'kind, id, bookable_id, user_id, guest, during, revision, created_at, updated_at, cancelled'
const BOOKING = `'booking', bookings.id, bookings.bookable_id, bookings.user_id,
  coalesce(bookings.guest_name, bookings.guest_email), bookings.during, bookings.revision, bookings.created_at,
  bookings.updated_at, false`
const CANCELLED_BOOKING = `'booking', booking_id, bookable_id, user_id, NULL, during, revision, created_at, cancelled_at, true`

const claims = (condition: string, bookables: string) =>
  `(${claimsBetween('$2', '$3', condition, bookables).join(' UNION ALL ')}) AS bookings`

/** An event is cancelled at a place once it uses none of its `bookables` (SQL that selects them) any more. */
const ofPlace = (bookables: string) => `
  SELECT ${BOOKING} FROM ${claims('bookings.user_id IS NOT NULL', bookables)}
  UNION ALL
  SELECT ${CANCELLED_BOOKING} FROM cancelled_bookings
  WHERE event_id IS NULL AND bookable_id = ANY (ARRAY(${bookables})) AND ${IN_TIME}
  UNION ALL
  SELECT 'event', events.id, held.bookable_id, NULL, NULL, events.during, events.revision, events.created_at,
    greatest(events.updated_at, held.changed_at), held.is_over
  FROM (
    SELECT event_id, min(bookable_id) AS bookable_id, max(changed_at) AS changed_at, bool_and(is_over) AS is_over
    FROM (
      SELECT event_id, bookable_id, released_at IS NOT NULL AS is_over, updated_at AS changed_at
      FROM ${claims('bookings.event_id IS NOT NULL', bookables)}
      UNION ALL
      SELECT event_id, bookable_id, true, cancelled_at FROM cancelled_bookings
      WHERE event_id IS NOT NULL AND bookable_id = ANY (ARRAY(${bookables}))
    ) AS rooms GROUP BY event_id
  ) AS held JOIN events ON events.id = held.event_id AND events.${IN_TIME}`

const ofUser = `
  SELECT ${BOOKING} FROM bookings WHERE user_id = $1 AND ${IN_TIME}
  UNION ALL
  SELECT ${CANCELLED_BOOKING} FROM cancelled_bookings WHERE user_id = $1 AND ${IN_TIME}
  UNION ALL
  SELECT 'event', events.id, (SELECT min(bookable_id) FROM bookings WHERE event_id = events.id), NULL, NULL, during, revision,
    created_at, updated_at, status = 2
  FROM events
  WHERE ${IN_TIME} AND (organizer_user_id = $1 OR id IN (SELECT event_id FROM event_attendees WHERE user_id = $1))`

const calendarOf = (name: string, entries: string) =>
  prepareListing({
    name: `calendar-of-${name}`,
    item: calendarEntryJson,
    rows: `(SELECT * FROM (${entries}) AS united (${COLUMNS})) AS entries
      LEFT JOIN bookables ON bookables.id = entries.bookable_id
      LEFT JOIN locations ON locations.id = bookables.location_id
      LEFT JOIN buildings ON buildings.id = locations.building_id
      LEFT JOIN users ON users.id = entries.user_id
      LEFT JOIN events ON entries.kind = 'event' AND events.id = entries.id
      LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
      WHERE true`,
    order: { 'entries.kind': 'text', 'entries.id': 'bigint' },
  })

export const CALENDARS = {
  user_id: calendarOf('user', ofUser),
  bookable_id: calendarOf('bookable', ofPlace('SELECT id FROM bookables WHERE id = $1')),
  location_id: calendarOf('location', ofPlace('SELECT id FROM bookables WHERE location_id = $1')),
}
