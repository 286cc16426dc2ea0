// Queries for the Today page: what is taken now, what begins today, and how full hours and weeks are. Each
// building has its own time zone, and so its own today.
import type pg from 'pg'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import { instantOf } from '../../../shared/utilities/date-times.ts'
import { OPEN } from '../../overload/admission.ts'
import type { Services } from '../../services/services.ts'
import { cacheFor } from '../kit/ttl-cache.ts'
import { daysSql, findPresentPeople, type PeopleOfBuilding } from '../people/present-people.ts'

export type Share = { taken: number; total: number }
export type LocationNow = { id: number; name: string; desks: Share; spots: Share; rooms: Share }
export type BuildingNow = {
  id: number
  name: string
  timezone: string
  locations: LocationNow[]
  bookingsToday: number
  people: PeopleOfBuilding
}
type DayRow = { day: string; number: number }
type HourRow = { hour: number; taken: number }
type Weeks = { days: DayRow[]; today: string; hours: HourRow[]; desks: number }

const NOW_CACHED_MS = 2_000
const WEEKS_CACHED_MS = 20_000

const { desk, parkingSpot, meetingRoom, homeOffice } = BOOKABLE_TYPES
const bookable = `bookables.deleted_at IS NULL AND bookables.status <> ${BOOKABLE_STATUSES.blocked}`
const shareOf = (type: number) => `json_build_object(
  'taken', count(claims.taken) FILTER (WHERE bookables.type = ${type}),
  'total', count(bookables.id) FILTER (WHERE bookables.type = ${type}))`

// Exclusive claims of one bookable never overlap: only the last one to begin can hold at a moment. The index
// of starts finds it in a tenth of the time that the constraint's index takes.
const lastBegun = (moment: string) => `
    SELECT bookings.during FROM bookings
    WHERE bookings.bookable_id = bookables.id AND bookings.exclusive AND lower(bookings.during) <= ${moment}
    ORDER BY lower(bookings.during) DESC LIMIT 1`

const LOCATIONS = `
  SELECT buildings.id, buildings.name, buildings.timezone, locations.id AS "locationId", locations.name AS "locationName",
    ${shareOf(desk)} AS desks, ${shareOf(parkingSpot)} AS spots, ${shareOf(meetingRoom)} AS rooms
  FROM buildings
  LEFT JOIN locations ON locations.building_id = buildings.id
  LEFT JOIN bookables ON bookables.location_id = locations.id AND bookables.type <> ${homeOffice} AND ${bookable}
  LEFT JOIN LATERAL (${lastBegun('$1::timestamptz')}) AS last ON true
  LEFT JOIN LATERAL (SELECT true AS taken WHERE last.during @> $1::timestamptz) AS claims ON true
  GROUP BY buildings.id, locations.id
  ORDER BY ${naturalSql('buildings.name')}, buildings.id, locations.id`

// Reads bookings once, in order of their starts: the rows of a day or two, not of years or once per building.
const BOOKINGS_TODAY = `
  WITH ${daysSql()}, begun AS MATERIALIZED (
    SELECT bookable_id, lower(during) AS starts FROM bookings
    WHERE user_id IS NOT NULL
      AND lower(during) >= (SELECT min(starts) FROM days) AND lower(during) < (SELECT max(ends) FROM days)
  )
  SELECT days.id, count(*)::int AS number
  FROM begun
  JOIN bookables ON bookables.id = begun.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN days ON days.id = locations.building_id AND begun.starts >= days.starts AND begun.starts < days.ends
  GROUP BY days.id`

// Groups by exact start first, which many bookings share, so that few instants are converted to a time zone.
const BOOKINGS_BY_DAY = `
  WITH homes AS MATERIALIZED (
    SELECT bookables.id, locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
  ), starts AS (
    SELECT homes.building_id, lower(bookings.during) AS starts, count(*) AS number
    FROM bookings JOIN homes ON homes.id = bookings.bookable_id
    WHERE bookings.user_id IS NOT NULL
      AND lower(bookings.during) >= $1::timestamptz - interval '15 days'
      AND lower(bookings.during) < $1::timestamptz + interval '16 days'
    GROUP BY 1, 2
  ), begun AS (
    SELECT (starts.starts AT TIME ZONE buildings.timezone)::date AS day, starts.number
    FROM starts JOIN buildings ON buildings.id = starts.building_id
  )
  SELECT to_char(days.day, 'YYYY-MM-DD') AS day, coalesce(sum(begun.number), 0)::int AS number
  FROM generate_series($2::date - 13, $2::date + 14, interval '1 day') AS days (day)
  LEFT JOIN begun ON begun.day = days.day::date
  GROUP BY days.day ORDER BY days.day`

const DESKS_BY_HOUR = `
  WITH ${daysSql()}, claims AS MATERIALIZED (
    SELECT bookables.id,
      extract(hour FROM greatest(lower(found.during), days.starts) AT TIME ZONE days.timezone)::int AS first,
      extract(hour FROM (least(coalesce(upper(found.during), 'infinity'), days.ends) - interval '1 microsecond')
        AT TIME ZONE days.timezone)::int AS last
    FROM bookables
    JOIN locations ON locations.id = bookables.location_id
    JOIN days ON days.id = locations.building_id
    JOIN LATERAL (
      (${lastBegun('days.starts')})
      UNION ALL
      SELECT bookings.during FROM bookings
      WHERE bookings.bookable_id = bookables.id AND bookings.exclusive
        AND lower(bookings.during) > days.starts AND lower(bookings.during) < days.ends
    ) AS found ON found.during && tstzrange(days.starts, days.ends)
    WHERE ${bookable} AND bookables.type = ${desk}
  )
  SELECT hour, count(DISTINCT claims.id)::int AS taken
  FROM generate_series(0, 23) AS hour
  LEFT JOIN claims ON hour >= claims.first AND hour <= claims.last
  GROUP BY hour ORDER BY hour`

// The chart's days are those of the time zone that most bookables are in.
const MAIN_DAY = `
  SELECT to_char($1::timestamptz AT TIME ZONE coalesce((
    SELECT timezone FROM buildings
    JOIN locations ON locations.building_id = buildings.id
    JOIN bookables ON bookables.location_id = locations.id
    GROUP BY timezone ORDER BY count(*) DESC, timezone LIMIT 1), 'UTC'), 'YYYY-MM-DD') AS today,
  (SELECT count(*)::int FROM bookables WHERE ${bookable} AND type = ${desk}) AS desks`

type NowRow = Omit<BuildingNow, 'locations' | 'bookingsToday' | 'people'> &
  Omit<LocationNow, 'id' | 'name'> & { locationId: number | null; locationName: string }

export const findNow = cacheFor(NOW_CACHED_MS, ({ reads, now }: Services) =>
  reads.read(OPEN, undefined, ({ pool }) => findBuildings(pool, instantOf(now()))),
)

async function findBuildings(pool: pg.Pool, instant: string): Promise<BuildingNow[]> {
  const [places, today, peopleOf] = await Promise.all([
    pool.query<NowRow>({ name: 'today-locations', text: LOCATIONS, values: [instant] }),
    pool.query<{ id: number; number: number }>({
      name: 'today-bookings',
      text: BOOKINGS_TODAY,
      values: [instant],
    }),
    findPresentPeople(pool, instant),
  ])
  const numbers = new Map(today.rows.map(({ id, number }) => [id, number]))
  const buildings = new Map<number, BuildingNow>()
  for (const { id, name, timezone, locationId, locationName, ...shares } of places.rows) {
    const bookingsToday = numbers.get(id) ?? 0
    const people = peopleOf(id)
    const building = buildings.get(id) ?? { id, name, timezone, locations: [], bookingsToday, people }
    if (locationId !== null) building.locations.push({ id: locationId, name: locationName, ...shares })
    buildings.set(id, building)
  }
  return [...buildings.values()]
}

/** Two weeks back and two ahead, and the hours of today. */
export const findWeeks = cacheFor(WEEKS_CACHED_MS, ({ reads, now }: Services) =>
  reads.read(OPEN, undefined, ({ pool }) => findCharts(pool, instantOf(now()))),
)

async function findCharts(pool: pg.Pool, instant: string): Promise<Weeks> {
  const main = await pool.query<{ today: string; desks: number }>(MAIN_DAY, [instant])
  const { today, desks } = onlyRow(main.rows)
  const [days, hours] = await Promise.all([
    pool.query<DayRow>(BOOKINGS_BY_DAY, [instant, today]),
    pool.query<HourRow>(DESKS_BY_HOUR, [instant]),
  ])
  return { days: days.rows, today, hours: hours.rows, desks }
}
