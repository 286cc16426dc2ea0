// The visitors of a day: attendees of events with only an e-mail, guests of bookings, and walk-ins; with their arrival, and where the
// host sits.
import type pg from 'pg'
import { claimsBetween } from '../../../../shared/affected-bookings/claims.ts'
import { EVENT_STATUSES } from '../../../../shared/events/events.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { findSeats, type Seat } from '../../pages/search/seats.ts'

const VISITS_MAX = 300

type Mail = { sentAt: string | null; isGivenUp: boolean }

const ZONE = 'coalesce(buildings.timezone, visits.zone)'

const VISIT = {
  /** `a7` is an attendee, `b7` a booking, `w7` the arrival of a walk-in. */
  key: rows.text("coalesce('a' || visits.attendee_id, 'b' || visits.booking_id, 'w' || visits.arrival_id)"),
  visitor: rows.text('visits.visitor'),
  hostId: rows.number('hosts.id'),
  host: rows.text('hosts.name'),
  hostEmail: rows.text('hosts.email'),
  eventId: rows.orNull(rows.number('visits.event_id')),
  event: rows.orNull(rows.text('visits.event')),
  bookingId: rows.orNull(rows.number('visits.booking_id')),
  from: rows.instant('lower(visits.during)'),
  bookableId: rows.orNull(rows.number('bookables.id')),
  bookables: rows.orNull(rows.text('coalesce(visits.rooms, bookables.name)')),
  locationId: rows.orNull(rows.number('locations.id')),
  location: rows.orNull(rows.text('locations.name')),
  buildingId: rows.orNull(rows.number('buildings.id')),
  building: rows.orNull(rows.text('buildings.name')),
  zone: rows.text(ZONE),
  arrivedAt: rows.orNull(rows.instant('arrivals.arrived_at')),
  toldAt: rows.orNull(rows.instant('arrivals.host_told_at')),
  toldBy: rows.orNull(rows.text('tellers.email')),
  mail: rows.column<Mail | null>(`CASE WHEN mails.id IS NOT NULL THEN json_build_object(
    'sentAt', ${rows.instant('mails.sent_at')}, 'isGivenUp', mails.sent_at IS NULL AND mails.next_at IS NULL) END`),
}
export type Visit = rows.RowOf<typeof VISIT> & { seat: Seat | undefined }

const GUESTS = claimsBetween(
  '$1',
  '$2',
  'bookings.user_id IS NOT NULL AND coalesce(bookings.guest_name, bookings.guest_email) IS NOT NULL',
).join(' UNION ALL ')

const VISITS = `(
    SELECT attendees.id AS attendee_id, NULL::bigint AS booking_id, NULL::bigint AS arrival_id, attendees.email AS visitor,
      events.organizer_user_id AS host_id, events.id AS event_id, events.name AS event, events.during,
      events.from_timezone AS zone, taken.bookable_id, taken.rooms,
      NULL::bigint AS building_id
    FROM events JOIN event_attendees AS attendees ON attendees.event_id = events.id
    CROSS JOIN LATERAL (
      SELECT min(bookings.bookable_id) AS bookable_id, string_agg(bookables.name, ', ' ORDER BY bookables.id) AS rooms
      FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id WHERE bookings.event_id = events.id
    ) AS taken
    WHERE events.during && tstzrange($1, $2) AND events.status = ${EVENT_STATUSES.confirmed}
      AND attendees.email IS NOT NULL
    UNION ALL
    SELECT NULL, id, NULL, coalesce(guest_name, guest_email), user_id, NULL, NULL, during, NULL, bookable_id, NULL, NULL
    FROM (${GUESTS}) AS guests
    UNION ALL
    SELECT NULL, NULL, id, visitor_name, host_id, NULL, NULL, tstzrange(arrived_at, arrived_at, '[]'), NULL, NULL, NULL,
      building_id
    FROM arrivals WHERE building_id IS NOT NULL AND arrived_at >= $1 AND arrived_at < $2
  ) AS visits
  JOIN users AS hosts ON hosts.id = visits.host_id
  LEFT JOIN arrivals ON arrivals.attendee_id = visits.attendee_id OR arrivals.booking_id = visits.booking_id
    OR arrivals.id = visits.arrival_id
  LEFT JOIN admins AS tellers ON tellers.id = arrivals.host_told_by
  LEFT JOIN mails ON mails.arrival_id = arrivals.id
  LEFT JOIN bookables ON bookables.id = visits.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = coalesce(locations.building_id, visits.building_id)`

type VisitSearch = {
  /** Covers the day in every time zone that a building may have. */
  from: string
  to: string
  /** Defaults to the current day. */
  date: string | undefined
  at: string
  search: string | undefined
  building: number | undefined
}

/** Uses the local date of each building. A meeting without a room counts for the building where its host sits. */
export async function findVisits(
  reads: pg.Pool,
  { from, to, date, at, search, building }: VisitSearch,
): Promise<Visit[]> {
  const conditions = new rows.SqlConditions()
  conditions.bind(from)
  conditions.bind(to)
  const day =
    date === undefined
      ? `date_trunc('day', ${conditions.bind(at)}::timestamptz AT TIME ZONE ${ZONE})`
      : `${conditions.bind(date)}::timestamp`
  conditions.add(
    `visits.during && tstzrange(${day} AT TIME ZONE ${ZONE}, (${day} + interval '1 day') AT TIME ZONE ${ZONE})`,
  )
  conditions.addSearch(search, ['visits.visitor', 'hosts.name', 'hosts.email', 'visits.event'])
  const found = await rows.selectRows(
    reads,
    VISIT,
    `${VISITS} WHERE ${conditions.sql}
     ORDER BY ${naturalSql('buildings.name')}, lower(visits.during), visits.visitor, 1 LIMIT ${VISITS_MAX}`,
    conditions.values,
  )
  const seats = await findSeats(reads, [...new Set(found.map(({ hostId }) => hostId))], at)
  return found
    .map((visit) => withBuilding({ ...visit, seat: seats.get(visit.hostId) }))
    .filter(({ buildingId }) => building === undefined || buildingId === building)
}

type Arriving = { attendee_id?: number | undefined; booking_id?: number | undefined }

export async function findVisitor(reads: pg.Pool, visit: Arriving): Promise<string | undefined> {
  const column = { visitor: rows.text('visitor') }
  const found = await rows.selectRow(
    reads,
    column,
    `(SELECT email AS visitor FROM event_attendees WHERE id = $1
      UNION ALL SELECT coalesce(guest_name, guest_email) FROM bookings WHERE id = $2) AS visits`,
    [visit.attendee_id, visit.booking_id],
  )
  return found?.visitor
}

function withBuilding(visit: Visit): Visit {
  const { seat } = visit
  if (visit.buildingId !== null || !seat) return visit
  return { ...visit, buildingId: seat.buildingId, building: seat.building, zone: seat.zone }
}
