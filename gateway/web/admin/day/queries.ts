// Queries for a day in a building or on a floor: a page of its bookables, and their claims in local time.
import type pg from 'pg'
import { claimsBetween } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import {
  flag,
  number,
  orNull,
  PLACE,
  type RowOf,
  selectRow,
  selectRows,
  text,
} from '../../../reads/rows/rows.ts'
import { type Listed, type Slice, toListed } from '../../../reads/rows/slices.ts'

type DayPlaceQuery = { building?: number | undefined; location?: number | undefined }
type Day = { date: string; from: string; to: string; zone: string }

// Without a location, the whole building.
const DAY_PLACE = { ...PLACE, locationId: orNull(PLACE.locationId), location: orNull(PLACE.location) }
export type DayPlace = RowOf<typeof DAY_PLACE>

export const findDayPlace = (
  reads: pg.Pool,
  { building, location }: DayPlaceQuery,
): Promise<DayPlace | undefined> =>
  selectRow(
    reads,
    DAY_PLACE,
    `buildings LEFT JOIN locations ON locations.building_id = buildings.id AND locations.id = $2
     WHERE ($2::bigint IS NOT NULL AND locations.id = $2)
       OR ($2::bigint IS NULL AND ($1::bigint IS NULL OR buildings.id = $1))
     ORDER BY ${naturalSql('buildings.name')}, buildings.id LIMIT 1`,
    [building, location],
  )

const ROW = {
  id: number('bookables.id'),
  name: text('bookables.name'),
  type: number('bookables.type'),
  status: number('bookables.status'),
  capacity: orNull(number('bookables.capacity')),
  location: PLACE.location,
}
export type DayRow = RowOf<typeof ROW> & { claims: DayClaim[] }

/** Lists rooms first. Leaves out home offices: they have room for everybody, so nobody needs their hours. */
export async function listDay(
  reads: pg.Pool,
  { buildingId, locationId }: DayPlace,
  type: number | undefined,
  day: Day,
  { offset, limit }: Slice,
): Promise<Listed<DayRow>> {
  const rows = await selectRows(
    reads,
    { ...ROW, total: number('count(*) OVER ()::int') },
    `bookables JOIN locations ON locations.id = bookables.location_id
     WHERE bookables.location_id = ANY (ARRAY(
         SELECT id FROM locations WHERE building_id = $1 AND ($2::bigint IS NULL OR id = $2)))
       AND bookables.deleted_at IS NULL AND bookables.type <> ${BOOKABLE_TYPES.homeOffice}
       AND ($3::int IS NULL OR bookables.type = $3)
     ORDER BY bookables.type <> ${BOOKABLE_TYPES.meetingRoom}, bookables.location_id, bookables.type,
       ${naturalSql('bookables.name')}, bookables.id
     LIMIT ${limit} OFFSET ${offset}`,
    [buildingId, locationId, type],
  )
  const ids = rows.map(({ id }) => id)
  const claims = await listClaims(reads, ids, day)
  const claimsOf = (id: number) => claims.filter(({ bookableId }) => bookableId === id)
  return toListed(rows.map((row) => ({ ...row, claims: claimsOf(row.id) })))
}

const minute = (moment: string) =>
  number(`(extract(epoch FROM (${moment} AT TIME ZONE $4) - $5::date::timestamp) / 60)::int`)

const CLAIM = {
  id: number('claims.id'),
  bookableId: number('claims.bookable_id'),
  eventId: orNull(number('claims.event_id')),
  event: orNull(text('events.name')),
  /** A requested time is not booked yet. */
  requestId: orNull(number('claims.hold_id')),
  who: text("coalesce(users.name, organizers.name, requesters.name, '')"),
  guest: orNull(text('coalesce(claims.guest_name, claims.guest_email)')),
  from: minute('greatest(lower(claims.during), $2::timestamptz)'),
  to: minute('least(upper(claims.during), $3::timestamptz)'),
  /** The claim begins or ends on another day. */
  spansOtherDays: flag('NOT claims.during <@ tstzrange($2, $3)'),
}
export type DayClaim = RowOf<typeof CLAIM>

const listClaims = (reads: pg.Pool, ids: number[], { from, to, zone, date }: Day): Promise<DayClaim[]> =>
  selectRows(
    reads,
    CLAIM,
    `(${claimsBetween('$2', '$3', 'bookings.exclusive', 'SELECT unnest($1::bigint[])').join(' UNION ALL ')}) AS claims
     LEFT JOIN users ON users.id = claims.user_id
     LEFT JOIN events ON events.id = claims.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     LEFT JOIN holds ON holds.id = claims.hold_id
     LEFT JOIN users AS requesters ON requesters.id = holds.user_id
     ORDER BY lower(claims.during)`,
    [ids, from, to, zone, date],
  )
