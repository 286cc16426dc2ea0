// The query for the map of a location at a given time, in one statement: where each bookable is, who has it
// and until when, who has it next, and the requested booking.
import type pg from 'pg'
import { claimsAtSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import type { PlanShape } from '../../../../shared/locations/plan-shapes.ts'
import { closingAtSql } from '../../../../shared/rules/rules-shape.ts'
import {
  flag,
  json,
  jsonOrNull,
  listJson,
  number,
  objectJson,
  selectJson,
  text,
  timestamp,
} from '../../../../shared/schemas/json.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { FLOOR_PLAN_HASH_SQL, type FloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { BOOKABLE_SHAPE_SQL, type BookableShape } from '../../../reads/map/map-layouts.ts'

/**
 * A location or a booking to show on the map. The day and time are local to the building, and default to the current
 * day and time.
 */
export type MapQuery = {
  location?: number | undefined
  booking?: number | undefined
  date?: string | undefined
  time?: string | undefined
}

const SHOWN_HOLDERS_MAX = 3

const booking = objectJson({
  locationId: number('booked.location_id'),
  bookableId: number('booked.bookable_id'),
  bookable: text('booked.bookable'),
  who: text('booked.who'),
  from: timestamp('lower(booked.during)'),
  to: timestamp<string | null>('upper(booked.during)'),
})
export type MapBooking = (typeof booking)['built']

const floorPlanJson = objectJson<FloorPlanFacts>({
  hash: text(FLOOR_PLAN_HASH_SQL),
  width: number('locations.floor_plan_width'),
  height: number('locations.floor_plan_height'),
  orientation: number('locations.floor_plan_orientation'),
  cellWidth: text<number | null>('locations.cell_width'),
  shapes: json<PlanShape[] | null>('locations.plan_shapes'),
})

const holderJson = objectJson({
  bookingId: number('present.id'),
  /** The holder's id. For an event, this is the organizer's id. */
  userId: number<number | null>('coalesce(present.user_id, organizers.id, requesters.id)'),
  requestId: number<number | null>('present.hold_id'),
  eventId: number<number | null>('present.event_id'),
  who: text("coalesce(users.name, organizers.name, requesters.name, '')"),
  guest: text<string | null>('coalesce(present.guest_name, present.guest_email)'),
  event: text<string | null>('events.name'),
  to: timestamp<string | null>('upper(present.during)'),
  /** Whether check-in is open and nobody has checked in. */
  awaitsCheckIn: flag(
    'coalesce(present.user_id IS NOT NULL AND present.check_in_from <= asked.now AND present.checked_in_at IS NULL, false)',
  ),
})
export type MapHolder = (typeof holderJson)['built']

const HOLDERS_JOIN = `
  SELECT count(*)::int AS claims, ${listJson(holderJson, 'present.id', `ordinal <= ${SHOWN_HOLDERS_MAX}`)} AS holders
  FROM (SELECT claims.*, row_number() OVER (ORDER BY claims.id) AS ordinal FROM (${claimsAtSql('shown.at')}) AS claims) AS present
  LEFT JOIN users ON users.id = present.user_id AND ordinal <= ${SHOWN_HOLDERS_MAX}
  LEFT JOIN events ON events.id = present.event_id
  LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
  LEFT JOIN holds ON holds.id = present.hold_id
  LEFT JOIN users AS requesters ON requesters.id = holds.user_id`

// The value is joined instead of selected, because `timestamp` writes its expression up to three times.
const NEXT_CLAIM_JOIN = `
  SELECT lower(bookings.during) AS starts FROM bookings
  WHERE bookings.bookable_id = bookables.id AND lower(bookings.during) > shown.at
    AND lower(bookings.during) < shown.at + interval '1 day'
  ORDER BY lower(bookings.during) LIMIT 1`

const assigneeNamesSql = selectJson(
  listJson(text('users.name'), 'lower(users.name), users.id'),
  `FROM bookable_assignees JOIN users ON users.id = bookable_assignees.user_id
   WHERE bookable_assignees.bookable_id = bookables.id`,
)
/** Set only for assigned bookables, because the map names no other bookable’s assignees. */
const assignees = json<string[]>(
  `CASE WHEN bookables.status = ${BOOKABLE_STATUSES.assigned} THEN ${assigneeNamesSql} ELSE '[]' END`,
)

const bookableJson = objectJson({
  id: number('bookables.id'),
  name: text('bookables.name'),
  type: number('bookables.type'),
  /** The status. A bookable that is closed at the time of the map counts as blocked. */
  status: number(
    `CASE WHEN closing.closed IS NULL THEN bookables.status ELSE ${BOOKABLE_STATUSES.blocked} END`,
  ),
  closed: json<{ to: string; reason: string } | null>('closing.closed'),
  lentUntil: text<string | null>(lentUntilSql('shown.at')),
  x: text<number | null>('bookables.position_x'),
  y: text<number | null>('bookables.position_y'),
  shape: json<BookableShape | null>(BOOKABLE_SHAPE_SQL),
  occupied: flag('held.claims > 0'),
  isDeleted: flag('bookables.deleted_at IS NOT NULL'),
  /** The number of users who hold the bookable; only a home office can have more than one. */
  claims: number('held.claims'),
  /** The first few holders of the bookable. */
  holders: json<MapHolder[]>('held.holders'),
  /** The start of the next booking or closed time, if that is within a day. */
  next: timestamp<string | null>('ahead.starts'),
  assignees,
})
export type MapBookable = (typeof bookableJson)['built']

// Leaves out deleted bookables, except the bookable of the requested past booking.
const bookables = selectJson(
  listJson(bookableJson, `${naturalSql('bookables.name')}, bookables.id`),
  `FROM bookables CROSS JOIN LATERAL (${HOLDERS_JOIN}) AS held LEFT JOIN LATERAL (${NEXT_CLAIM_JOIN}) AS following ON true
   CROSS JOIN LATERAL (${closingAtSql('shown.at')}) AS closing
   CROSS JOIN LATERAL (SELECT least(following.starts,
     CASE WHEN closing.closes < shown.at + interval '1 day' THEN closing.closes END) AS starts) AS ahead
   WHERE bookables.location_id = locations.id AND (bookables.deleted_at IS NULL OR bookables.id = booked.bookable_id)`,
)

const floors = selectJson(
  listJson(objectJson({ id: number('floors.id'), name: text('floors.name') }), 'floors.id'),
  'FROM locations AS floors WHERE floors.building_id = buildings.id',
)

const moment = objectJson({
  id: number('locations.id'),
  name: text('locations.name'),
  code: text('locations.code'),
  buildingId: number('buildings.id'),
  building: text('buildings.name'),
  timezone: text('timezone'),
  /** The time of the map, and its local day and time at the location. */
  at: timestamp('shown.at'),
  date: text("to_char(shown.at AT TIME ZONE timezone, 'YYYY-MM-DD')"),
  time: text("to_char(shown.at AT TIME ZONE timezone, 'HH24:MI')"),
  isNow: flag('NOT asked.other AND shown.at = asked.now'),
})
export type MapMoment = (typeof moment)['built']

const mapJson = objectJson({
  moment,
  booking: jsonOrNull('booked.bookable_id IS NOT NULL', booking),
  floorPlan: jsonOrNull('locations.floor_plan_sha256 IS NOT NULL', floorPlanJson),
  floors,
  bookables,
})
export type MapFacts = (typeof mapJson)['built']

// Selects the map. A booking is shown at its start, or at the current time if it has begun and is not over.
const FIND_MAP = {
  name: 'find-map',
  text: `
    SELECT ${mapJson} AS map
    FROM (
      SELECT $1::bigint AS location_id, $2::bigint AS booking_id, $3::timestamptz AS now, $4::date AS date,
        $5::time AS time, $4::date IS NOT NULL OR $5::time IS NOT NULL AS other
    ) AS asked
    LEFT JOIN LATERAL (
      SELECT bookings.during, bookables.id AS bookable_id, bookables.location_id, bookables.name AS bookable,
        coalesce(users.name, events.name) AS who
      FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
      LEFT JOIN users ON users.id = bookings.user_id
      LEFT JOIN events ON events.id = bookings.event_id
      WHERE bookings.id = asked.booking_id AND bookings.hold_id IS NULL
    ) AS booked ON true
    JOIN locations
      ON locations.id = CASE WHEN asked.booking_id IS NULL THEN asked.location_id ELSE booked.location_id END
    JOIN buildings ON buildings.id = locations.building_id
    CROSS JOIN LATERAL (SELECT asked.now AT TIME ZONE timezone AS clock) AS local
    CROSS JOIN LATERAL (
      SELECT CASE
        WHEN asked.other
          THEN (coalesce(asked.date, clock::date) + coalesce(asked.time, clock::time)) AT TIME ZONE timezone
        WHEN booked.during IS NULL OR booked.during @> asked.now THEN asked.now
        ELSE lower(booked.during)
      END AS at
    ) AS shown`,
}

/** Finds the map. Returns undefined if the location or the requested booking does not exist. */
export async function findMap(
  reads: pg.Pool,
  now: string,
  { location, booking, date, time }: MapQuery,
): Promise<MapFacts | undefined> {
  const values = [location ?? null, booking ?? null, now, date ?? null, time ?? null]
  const { rows } = await reads.query<{ map: string }>({ ...FIND_MAP, values })
  return rows[0] && (JSON.parse(rows[0].map) as MapFacts)
}
