// Queries for a day in a building or on a floor: one page of bookables, and their claims in local time.
import type pg from 'pg'
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import {
  flagColumn,
  nullableColumn,
  numberColumn,
  PLACE_COLUMNS,
  type RowOf,
  selectRow,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { type RowsWithTotal, type Slice, toRowsWithTotal } from '../../../reads/rows/slices.ts'

type DayPlaceQuery = { building?: number | undefined; location?: number | undefined }
type DaySpan = { date: string; from: string; to: string; zone: string }

// The place that the timeline shows. Without a location, the timeline shows the whole building.
const DAY_PLACE_COLUMNS = {
  ...PLACE_COLUMNS,
  locationId: nullableColumn(PLACE_COLUMNS.locationId),
  location: nullableColumn(PLACE_COLUMNS.location),
}
export type DayPlace = RowOf<typeof DAY_PLACE_COLUMNS>

export const findDayPlace = (
  reads: pg.Pool,
  { building, location }: DayPlaceQuery,
): Promise<DayPlace | undefined> =>
  selectRow(
    reads,
    DAY_PLACE_COLUMNS,
    `buildings LEFT JOIN locations ON locations.building_id = buildings.id AND locations.id = $2
     WHERE ($2::bigint IS NOT NULL AND locations.id = $2)
       OR ($2::bigint IS NULL AND ($1::bigint IS NULL OR buildings.id = $1))
     ORDER BY ${naturalSql('buildings.name')}, buildings.id LIMIT 1`,
    [building, location],
  )

const ROW_COLUMNS = {
  id: numberColumn('bookables.id'),
  name: textColumn('bookables.name'),
  type: numberColumn('bookables.type'),
  status: numberColumn('bookables.status'),
  capacity: nullableColumn(numberColumn('bookables.capacity')),
  location: PLACE_COLUMNS.location,
}
export type DayRow = RowOf<typeof ROW_COLUMNS> & { claims: DayClaim[] }

/** Lists the bookables of a day, with rooms first. Leaves out home offices, which have room for everybody. */
export async function listDayRows(
  reads: pg.Pool,
  { buildingId, locationId }: DayPlace,
  type: number | undefined,
  day: DaySpan,
  { offset, limit }: Slice,
): Promise<RowsWithTotal<DayRow>> {
  const rows = await selectRows(
    reads,
    { ...ROW_COLUMNS, total: numberColumn('count(*) OVER ()::int') },
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
  return toRowsWithTotal(rows.map((row) => ({ ...row, claims: claimsOf(row.id) })))
}

const minuteSql = (moment: string) =>
  numberColumn(`(extract(epoch FROM (${moment} AT TIME ZONE $4) - $5::date::timestamp) / 60)::int`)

const CLAIM_COLUMNS = {
  id: numberColumn('claims.id'),
  bookableId: numberColumn('claims.bookable_id'),
  eventId: nullableColumn(numberColumn('claims.event_id')),
  event: nullableColumn(textColumn('events.name')),
  /** The id of the request for this time; null unless the time is requested but not booked yet. */
  requestId: nullableColumn(numberColumn('claims.hold_id')),
  who: textColumn("coalesce(users.name, organizers.name, requesters.name, '')"),
  guest: nullableColumn(textColumn('coalesce(claims.guest_name, claims.guest_email)')),
  from: minuteSql('greatest(lower(claims.during), $2::timestamptz)'),
  to: minuteSql('least(upper(claims.during), $3::timestamptz)'),
  /** Whether the claim begins or ends on another day. */
  spansOtherDays: flagColumn('NOT claims.during <@ tstzrange($2, $3)'),
}
export type DayClaim = RowOf<typeof CLAIM_COLUMNS>

const listClaims = (reads: pg.Pool, ids: number[], { from, to, zone, date }: DaySpan): Promise<DayClaim[]> =>
  selectRows(
    reads,
    CLAIM_COLUMNS,
    `(${claimsBetweenSql('$2', '$3', 'bookings.exclusive', 'SELECT unnest($1::bigint[])').join(' UNION ALL ')}) AS claims
     LEFT JOIN users ON users.id = claims.user_id
     LEFT JOIN events ON events.id = claims.event_id
     LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id
     LEFT JOIN holds ON holds.id = claims.hold_id
     LEFT JOIN users AS requesters ON requesters.id = holds.user_id
     ORDER BY lower(claims.during)`,
    [ids, from, to, zone, date],
  )
