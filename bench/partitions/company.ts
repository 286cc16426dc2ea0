// The company whose bookings are partitioned: every bookable is booked on every working day of five years, some of them for
// a whole week, across the ends of months too.
import type { Knex } from 'knex'
import { seedCompany } from '../../commands/seed/company.ts'

const WEEKS = 5 * 52
const WEEKS_AHEAD = 13
const WORKING_DAYS = 5
const BOOKABLES_PER_LOCATION = 100
const LOCATIONS_PER_BUILDING = 10

export type Size = {
  bookables: number
  users: number
  weeks: number
  weeksBefore: number
}

export function sizeOf(bookings: number): Size {
  const bookables = Math.ceil(bookings / (WEEKS * WORKING_DAYS))
  return { bookables, users: 2 * bookables, weeks: WEEKS, weeksBefore: WEEKS - WEEKS_AHEAD }
}

/** Without bookings. Ids begin with 1 and have no gaps, so that they are numbers to count with. */
export async function createCompany(database: Knex, { bookables, users }: Size): Promise<void> {
  const locations = Math.ceil(bookables / BOOKABLES_PER_LOCATION)
  const buildings = Math.ceil(locations / LOCATIONS_PER_BUILDING)
  await seedCompany(
    database,
    {
      buildings,
      locations,
      bookables,
      users,
      bookings: 0,
      events: 0,
      seed: 1,
      weeksBefore: 1,
      weeksAhead: 1,
    },
    () => undefined,
  )
}

export const FIRST_MONDAY = ({ weeksBefore }: Size) =>
  `(date_trunc('week', now() AT TIME ZONE 'UTC') - interval '${weeksBefore} weeks') AT TIME ZONE 'UTC'`

/** SQL: all bookings, in the order of their days. Every five-hundredth bookable is booked for whole weeks. */
export const allBookings = (size: Size) => `
  SELECT bookables.id AS bookable_id, 1 + (2 * bookables.id + day) % ${size.users} AS user_id,
    tstzrange(starts_at, starts_at + CASE WHEN bookables.id % 500 = 0 THEN interval '105 hours' ELSE interval '9 hours' END) AS during,
    bookables.type <> 3 AS exclusive
  FROM generate_series(0, ${size.weeks * WORKING_DAYS} - 1) AS day
  CROSS JOIN LATERAL (
    SELECT ${FIRST_MONDAY(size)} + make_interval(days => day / 5 * 7 + day % 5, hours => 8) AS starts_at OFFSET 0
  ) AS days
  CROSS JOIN bookables
  WHERE bookables.id % 500 <> 0 OR day % 5 = 0`
