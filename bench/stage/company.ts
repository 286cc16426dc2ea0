// Seeds the company that the benchmarks query. It has the same number of bookings per week however many there are in
// total, so that only its history grows.
import type { Knex } from 'knex'
import { seedCompany } from '../../commands/seed/company.ts'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { getOnlyRow } from '../../shared/database/database.ts'
import { ABILITIES, createToken } from '../../shared/tokens/token-store.ts'
import type { Office } from '../load/bookings.ts'

const COMPANY_SIZE = { buildings: 2, locations: 10, bookables: 2_000, users: 5_000 }
// The number of bookings a week in the company, which gives each location about 1,100.
const BOOKINGS_PER_WEEK = 11_111
// The measured week is in the past, so that bookings made meanwhile do not affect it.
const WEEKS_BEFORE_MIN = 1
const WEEKS_AHEAD = 1

export type Company = {
  token: string
  users: number[]
  location: number
  /** The building that contains `location`. */
  building: number
  /** The start and end of the measured week, which is in the past. */
  from: string
  to: string
  office: Office
  /** The first booking slot that earlier measurements have not taken. */
  nextSlot: number
}

export async function createCompany(
  database: Knex,
  bookings: number,
  size = COMPANY_SIZE,
  weeks = computeWeeks(bookings),
): Promise<Company> {
  await seedCompany(database, { ...size, ...weeks, bookings, seed: 1 }, () => undefined)
  return readCompany(database)
}

const computeWeeks = (bookings: number) => ({
  weeksBefore: Math.max(WEEKS_BEFORE_MIN, Math.round(bookings / BOOKINGS_PER_WEEK - WEEKS_AHEAD / 2)),
  weeksAhead: WEEKS_AHEAD,
})

async function readCompany(database: Knex): Promise<Company> {
  const { token } = await createToken(database, {
    name: 'bench',
    abilities: ABILITIES,
    createdBy: 'bench',
    rateLimitPerMinute: 1_000_000_000,
  })
  const { rows } = await database.raw<{
    rows: Array<Omit<Company, 'token' | 'users' | 'office' | 'nextSlot'>>
  }>(
    `SELECT id AS location, building_id AS building,
       to_char(monday - interval '7 days', 'YYYY-MM-DD"T"00:00:00"Z"') AS from,
       to_char(monday, 'YYYY-MM-DD"T"00:00:00"Z"') AS to
     FROM date_trunc('week', now() AT TIME ZONE 'UTC') AS monday, locations
     ORDER BY id OFFSET (SELECT count(*) / 2 FROM locations) LIMIT 1`,
  )
  const users = await readIds(database('users').whereNull('deactivated_at'))
  const bookables: Array<{ id: number; location_id: number }> = await database('bookables')
    .select('id', 'location_id')
    .where({ status: BOOKABLE_STATUSES.flexible, requires_vehicle: false, deleted_at: null })
    .whereNot('type', BOOKABLE_TYPES.homeOffice)
    .orderBy('id')
  return {
    token,
    users,
    ...getOnlyRow(rows),
    office: { bookables: bookables.map((each) => [each.id, each.location_id]), users },
    nextSlot: 0,
  }
}

async function readIds(query: Knex.QueryBuilder): Promise<number[]> {
  const rows: Array<{ id: number }> = await query.select('id').orderBy('id')
  return rows.map(({ id }) => id)
}
