// Finds the visitors of a day, with their arrival and the place where the host sits. Visitors are attendees
// of events who are not users, guests of bookings, and walk-ins.
import type pg from 'pg'
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { EVENT_STATUSES } from '../../../../shared/events/events.ts'
import { instantsOfDaySql } from '../../../../shared/schemas/days.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { type BookedSeat, findFirstSeats } from '../../pages/search/seats.ts'

export const VISITS_MAX = 300

type HostMail = { sentAt: string | null; isGivenUp: boolean }

const ZONE_SQL = 'coalesce(buildings.timezone, visits.zone)'

const VISIT_COLUMNS = {
  /** The key of the visitor: `a7` is an attendee, `b7` is a booking's guest, and `w7` is a walk-in. */
  key: rows.textColumn(
    "coalesce('a' || visits.attendee_id, 'b' || visits.booking_id, 'w' || visits.arrival_id)",
  ),
  visitor: rows.textColumn('visits.visitor'),
  hostId: rows.numberColumn('hosts.id'),
  host: rows.textColumn('hosts.name'),
  hostEmail: rows.textColumn('hosts.email'),
  eventId: rows.nullableColumn(rows.numberColumn('visits.event_id')),
  event: rows.nullableColumn(rows.textColumn('visits.event')),
  bookingId: rows.nullableColumn(rows.numberColumn('visits.booking_id')),
  from: rows.instantColumn('lower(visits.during)'),
  bookableId: rows.nullableColumn(rows.numberColumn('bookables.id')),
  /** The names of the rooms. Null if the meeting has lost them: the visitor is still expected in their building. */
  bookables: rows.nullableColumn(
    rows.textColumn('CASE WHEN visits.event_id IS NULL THEN bookables.name ELSE visits.rooms END'),
  ),
  locationId: rows.nullableColumn(rows.numberColumn('locations.id')),
  location: rows.nullableColumn(rows.textColumn('locations.name')),
  buildingId: rows.nullableColumn(rows.numberColumn('buildings.id')),
  building: rows.nullableColumn(rows.textColumn('buildings.name')),
  zone: rows.textColumn(ZONE_SQL),
  arrivedAt: rows.nullableColumn(rows.instantColumn('arrivals.arrived_at')),
  toldAt: rows.nullableColumn(rows.instantColumn('arrivals.host_told_at')),
  toldBy: rows.nullableColumn(rows.textColumn('tellers.email')),
  mail: rows.column<HostMail | null>(`CASE WHEN mails.id IS NOT NULL THEN json_build_object(
    'sentAt', ${rows.instantColumn('mails.sent_at')}, 'isGivenUp', mails.sent_at IS NULL AND mails.next_at IS NULL) END`),
}
export type VisitorRow = rows.RowOf<typeof VISIT_COLUMNS> & { seat: BookedSeat | undefined }

const GUESTS_SQL = claimsBetweenSql(
  '$1',
  '$2',
  'bookings.user_id IS NOT NULL AND coalesce(bookings.guest_name, bookings.guest_email) IS NOT NULL',
).join(' UNION ALL ')

const VISITS_SQL = `(
    SELECT attendees.id AS attendee_id, NULL::bigint AS booking_id, NULL::bigint AS arrival_id,
      coalesce(attendees.name, attendees.email) AS visitor, attendees.email,
      events.organizer_user_id AS host_id, events.id AS event_id, events.name AS event, events.during,
      events.from_timezone AS zone, taken.bookable_id, taken.rooms,
      NULL::bigint AS building_id
    FROM events JOIN event_attendees AS attendees ON attendees.event_id = events.id
    CROSS JOIN LATERAL (
      SELECT coalesce(min(bookings.bookable_id) FILTER (WHERE released_at IS NULL), min(bookings.bookable_id)) AS bookable_id,
        string_agg(bookables.name, ', ' ORDER BY bookables.id) FILTER (WHERE released_at IS NULL) AS rooms
      FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id WHERE bookings.event_id = events.id
    ) AS taken
    WHERE events.during && tstzrange($1, $2) AND events.status = ${EVENT_STATUSES.confirmed}
      AND attendees.email IS NOT NULL
    UNION ALL
    SELECT NULL, id, NULL, coalesce(guest_name, guest_email), guest_email, user_id, NULL, NULL, during, NULL, bookable_id, NULL, NULL
    FROM (${GUESTS_SQL}) AS guests
    UNION ALL
    SELECT NULL, NULL, id, visitor_name, NULL, host_id, NULL, NULL, tstzrange(arrived_at, arrived_at, '[]'), NULL, NULL, NULL,
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
  /** The start and end of the search. They cover the day in every time zone that a building may have. */
  from: string
  to: string
  /** The requested day. Defaults to the current day. */
  date: string | undefined
  at: string
  search: string | undefined
  building: number | undefined
}

/** Finds the first visits on the local date of each building, and whether there are more. A meeting without a room belongs
 * to the building where its host sits. */
export async function findVisits(
  reads: pg.Pool,
  { from, to, date, at, search, building }: VisitSearch,
): Promise<{ visits: VisitorRow[]; hasMore: boolean }> {
  const conditions = new rows.SqlConditions()
  conditions.bind(from)
  conditions.bind(to)
  const day =
    date === undefined
      ? `(${conditions.bind(at)}::timestamptz AT TIME ZONE ${ZONE_SQL})::date`
      : `${conditions.bind(date)}::date`
  conditions.add(`visits.during && ${instantsOfDaySql(day, ZONE_SQL)}`)
  // The building of a meeting without a room is found later, from the seat of its host.
  if (building !== undefined)
    conditions.add(`(buildings.id = ${conditions.bind(building)} OR buildings.id IS NULL)`)
  conditions.addSearch(search, [
    'visits.visitor',
    'visits.email',
    'hosts.name',
    'hosts.email',
    'visits.event',
  ])
  const found = await rows.selectRows(
    reads,
    VISIT_COLUMNS,
    `${VISITS_SQL} WHERE ${conditions.sql}
     ORDER BY ${naturalSql('buildings.name')}, lower(visits.during), visits.visitor, 1 LIMIT ${VISITS_MAX + 1}`,
    conditions.values,
  )
  const seats = await findFirstSeats(reads, [...new Set(found.map(({ hostId }) => hostId))], at)
  const visits = found
    .slice(0, VISITS_MAX)
    .map((visit) => addBuilding({ ...visit, seat: seats.get(visit.hostId) }))
    .filter(({ buildingId }) => building === undefined || buildingId === building)
  return { visits, hasMore: found.length > VISITS_MAX }
}

type VisitInput = { attendee_id?: number | undefined; booking_id?: number | undefined }

export async function findVisitor(reads: pg.Pool, visit: VisitInput): Promise<string | undefined> {
  const column = { visitor: rows.textColumn('visitor') }
  const found = await rows.selectRow(
    reads,
    column,
    `(SELECT coalesce(name, email) AS visitor FROM event_attendees WHERE id = $1
      UNION ALL SELECT coalesce(guest_name, guest_email) FROM bookings WHERE id = $2) AS visits`,
    [visit.attendee_id, visit.booking_id],
  )
  return found?.visitor
}

function addBuilding(visit: VisitorRow): VisitorRow {
  const { seat } = visit
  if (visit.buildingId !== null || !seat) return visit
  return { ...visit, buildingId: seat.buildingId, building: seat.building, zone: seat.zone }
}
