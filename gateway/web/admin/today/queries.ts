// Queries for the Today page: what is free now, who is in, and the meetings. Each building has its own time
// zone, and so its own local day; the page shows the day of the time zone that most buildings are in.
import type pg from 'pg'
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { EVENT_STATUSES } from '../../../../shared/events/events.ts'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { findStartOfDay, formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import { NO_TOKEN_OWNER } from '../../../overload/admission.ts'
import { localDaysSql } from '../../../reads/people/local-days.ts'
import type { Services } from '../../../server/services/services.ts'
import { createCacheFor } from '../../pages/page/ttl-cache.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { chooseCommonZone } from '../../pages/time/zones.ts'
import type { FreeShare } from '../../pages/ui/free-share.ts'
import { type EventRow, searchEvents } from '../events/queries.ts'
import { findPresentPeople, type PeopleOfBuilding } from '../people/present-people.ts'

export type LocationToday = { id: number; name: string; desks: FreeShare; spots: FreeShare; rooms: FreeShare }
export type BuildingToday = {
  id: number
  name: string
  timezone: string
  locations: LocationToday[]
  meetings: number
  people: PeopleOfBuilding
}
/** The meetings of today. `left` counts meetings that are not over, and `next` lists the first of them. */
type MeetingsToday = { today: number; now: number; left: number; next: EventRow[] }
export type TodayFigures = { date: string; zone: string; buildings: BuildingToday[]; meetings: MeetingsToday }

const NOW_CACHE_MS = 2_000
const NAMED_MEETINGS_MAX = 6

const { desk, parkingSpot, meetingRoom, homeOffice } = BOOKABLE_TYPES
/** The condition for a bookable that can be booked. */
export const IS_BOOKABLE_SQL = `bookables.deleted_at IS NULL AND bookables.status <> ${BOOKABLE_STATUSES.blocked}`
const freeShareJson = (type: number) => `json_build_object(
  'free', count(bookables.id) FILTER (WHERE bookables.type = ${type} AND claims.taken IS NULL
    AND (bookables.status = ${BOOKABLE_STATUSES.flexible} OR ${lentUntilSql('$1')} IS NOT NULL)),
  'total', count(bookables.id) FILTER (WHERE bookables.type = ${type}))`

// SQL for the last exclusive claim that began before a given time. Exclusive claims of one bookable never
// overlap, so only this claim can be current. The index of starts finds it in a tenth of the time that the
// constraint's index takes.
export const latestClaimSql = (moment: string) => `
    SELECT bookings.during FROM bookings
    WHERE bookings.bookable_id = bookables.id AND bookings.exclusive AND lower(bookings.during) <= ${moment}
    ORDER BY lower(bookings.during) DESC LIMIT 1`

const SELECT_LOCATIONS = `
  SELECT buildings.id, buildings.name, buildings.timezone, locations.id AS "locationId", locations.name AS "locationName",
    ${freeShareJson(desk)} AS desks, ${freeShareJson(parkingSpot)} AS spots, ${freeShareJson(meetingRoom)} AS rooms
  FROM buildings
  LEFT JOIN locations ON locations.building_id = buildings.id
  LEFT JOIN bookables ON bookables.location_id = locations.id AND bookables.type <> ${homeOffice} AND ${IS_BOOKABLE_SQL}
  LEFT JOIN LATERAL (${latestClaimSql('$1::timestamptz')}) AS last ON true
  LEFT JOIN LATERAL (SELECT true AS taken WHERE last.during @> $1::timestamptz) AS claims ON true
  GROUP BY buildings.id, locations.id
  ORDER BY ${naturalSql('buildings.name')}, buildings.id, locations.id`

const MEETING_CLAIMS_SQL = claimsBetweenSql(
  '(SELECT min(starts) FROM days)',
  '(SELECT max(ends) FROM days)',
  'bookings.event_id IS NOT NULL',
).join(' UNION ALL ')

// Finds the meetings with a room in each building, on the building's local date.
const SELECT_MEETINGS_BY_BUILDING = `
  WITH ${localDaysSql()}
  SELECT days.id, count(DISTINCT held.event_id)::int AS number
  FROM (${MEETING_CLAIMS_SQL}) AS held
  JOIN bookables ON bookables.id = held.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN days ON days.id = locations.building_id AND held.during && tstzrange(days.starts, days.ends)
  GROUP BY days.id`

const SELECT_MEETINGS = `
  SELECT count(*)::int AS today, (count(*) FILTER (WHERE during @> $1::timestamptz))::int AS now
  FROM events WHERE during && tstzrange($2, $3) AND status = ${EVENT_STATUSES.confirmed}`

type NowRow = Omit<BuildingToday, 'locations' | 'meetings' | 'people'> &
  Omit<LocationToday, 'id' | 'name'> & { locationId: number | null; locationName: string }

export const findToday = createCacheFor(NOW_CACHE_MS, ({ reads, now }: Services) =>
  reads.read(NO_TOKEN_OWNER, undefined, async ({ pool }): Promise<TodayFigures> => {
    const instant = formatInstant(now())
    const buildings = await findBuildings(pool, instant)
    const zone = chooseCommonZone(buildings.map(({ id, timezone }) => ({ id, zone: timezone })))
    const date = formatLocalDate(instant, zone)
    return { date, zone, buildings, meetings: await findMeetings(pool, instant, date, zone) }
  }),
)

async function findBuildings(pool: pg.Pool, instant: string): Promise<BuildingToday[]> {
  const [places, meetings, peopleOf] = await Promise.all([
    pool.query<NowRow>({ name: 'today-locations', text: SELECT_LOCATIONS, values: [instant] }),
    pool.query<{ id: number; number: number }>({
      name: 'today-meetings',
      text: SELECT_MEETINGS_BY_BUILDING,
      values: [instant],
    }),
    findPresentPeople(pool, instant),
  ])
  const numbers = new Map(meetings.rows.map(({ id, number }) => [id, number]))
  const buildings = new Map<number, BuildingToday>()
  for (const { id, name, timezone, locationId, locationName, ...shares } of places.rows) {
    const people = peopleOf(id)
    const building = buildings.get(id) ?? {
      id,
      name,
      timezone,
      people,
      locations: [],
      meetings: numbers.get(id) ?? 0,
    }
    if (locationId !== null) building.locations.push({ id: locationId, name: locationName, ...shares })
    buildings.set(id, building)
  }
  return [...buildings.values()]
}

async function findMeetings(
  pool: pg.Pool,
  instant: string,
  date: string,
  zone: string,
): Promise<MeetingsToday> {
  const [from, to] = [findStartOfDay(date, zone), findStartOfDay(addDaysToDate(date, 1), zone)]
  const left = { from: instant, to, status: EVENT_STATUSES.confirmed }
  const [counted, next] = await Promise.all([
    pool.query<Pick<MeetingsToday, 'today' | 'now'>>(SELECT_MEETINGS, [instant, from, to]),
    searchEvents(pool, left, { offset: 0, limit: NAMED_MEETINGS_MAX }),
  ])
  return { ...getOnlyRow(counted.rows), left: next.total, next: next.rows }
}
