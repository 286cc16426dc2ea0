// Counts a location's days in the simplest way: minute by minute of each booking, in local time. Uses the
// time zones of JavaScript rather than those of Postgres.
import type { Knex } from 'knex'
import { HOURS, hourColumn, PERIODS } from '../../../../shared/reports/figures.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'

const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS

export type DayFigures = { bookings: number; noShows: number; booked: number[]; available: number[] }
/** Keys are day and type: “2026-11-20 0”. */
export type FiguresByDay = Record<string, DayFigures>

type Bookable = { id: number; type: number; created: number | null; deleted: number | null }
type Claim = {
  bookable_id: number
  type: number
  from: number
  to: number
  exclusive: boolean
  isReleased: boolean
}

const createEmptyFigures = (): DayFigures => ({
  bookings: 0,
  noShows: 0,
  booked: HOURS.map(() => 0),
  available: HOURS.map(() => 0),
})

/** Counts the figures of a range of days in a time zone. */
export async function recount(
  database: Knex,
  location: number,
  { zone, first, last }: { zone: string; first: string; last: string },
): Promise<FiguresByDay> {
  const figured: FiguresByDay = {}
  const at = (day: string, type: number) => {
    const key = `${day} ${type}`
    figured[key] ??= createEmptyFigures()
    return figured[key]
  }
  const isWithin = (day: string) => day >= first && day <= last
  const shown = createLocalClock(zone)
  const { bookables, claims } = await findAll(database, location)
  const limit = Date.parse(last) + 3 * 24 * 60 * MINUTE_MS

  // Finds the local days from the local time at each quarter of an hour.
  const quarters = new Map<string, { starts: number; ends: number; hours: number[] }>()
  for (let ms = Date.parse(first) - 48 * 60 * MINUTE_MS; ms < limit; ms += QUARTER_MS) {
    const { day, hour } = shown(ms)
    const known = quarters.get(day) ?? { starts: ms, ends: ms, hours: HOURS.map(() => 0) }
    known.ends = ms + QUARTER_MS
    known.hours[hour] = (known.hours[hour] ?? 0) + 15
    quarters.set(day, known)
  }
  for (const { id, type, created, deleted } of bookables) {
    const own = claims.filter(({ bookable_id }) => bookable_id === id)
    for (const [day, { starts, ends, hours }] of quarters) {
      const isBooked = own.some(({ from, to }) => from < ends && to > starts)
      const isThere = (created === null || created < ends) && (deleted === null || deleted > starts)
      if (!isWithin(day) || !(isBooked || isThere)) continue
      const figures = at(day, type)
      for (const hour of HOURS)
        if (type !== 3) figures.available[hour] = (figures.available[hour] ?? 0) + (hours[hour] ?? 0)
    }
  }
  for (const { type, from, to, exclusive, isReleased } of claims) {
    const begins = shown(from).day
    if (isWithin(begins)) {
      at(begins, type).bookings++
      if (isReleased) at(begins, type).noShows++
    }
    for (let ms = from; exclusive && ms < Math.min(to, limit); ms += MINUTE_MS) {
      const { day, hour } = shown(ms)
      if (!isWithin(day)) continue
      const { booked } = at(day, type)
      booked[hour] = (booked[hour] ?? 0) + 1
    }
  }
  return figured
}

/** Returns the stored figures of a range of days. */
export async function readStoredFigures(
  database: Knex,
  location: number,
  { first, last }: { first: string; last: string },
): Promise<FiguresByDay> {
  const { rows } = await database.raw(
    `SELECT *, to_char(first_day, 'YYYY-MM-DD') AS day FROM location_figures
     WHERE period = ${PERIODS.day} AND location_id = ? AND first_day >= ? AND first_day <= ?`,
    [location, first, last],
  )
  return Object.fromEntries(
    rows.map((row: Record<string, number>) => [
      `${row['day']} ${row['type']}`,
      {
        bookings: row['bookings'],
        noShows: row['no_shows'],
        booked: HOURS.map((hour) => row[hourColumn('booked', hour)]),
        available: HOURS.map((hour) => row[hourColumn('available', hour)]),
      },
    ]),
  )
}

async function findAll(
  database: Knex,
  location: number,
): Promise<{ bookables: Bookable[]; claims: Claim[] }> {
  const epoch = (column: string) => `round(extract(epoch FROM ${column}) * 1000)::float8`
  const bookables = await database.raw(
    `SELECT id, type, ${epoch('created_at')} AS created, ${epoch('deleted_at')} AS deleted FROM bookables WHERE location_id = ?`,
    [location],
  )
  const claims = await database.raw(
    `SELECT bookable_id, type, ${epoch('lower(during)')} AS "from", coalesce(${epoch('upper(during)')}, 'infinity') AS "to",
       exclusive, released_at IS NOT NULL AS "isReleased"
     FROM bookings JOIN bookables ON bookables.id = bookable_id WHERE location_id = ?`,
    [location],
  )
  return { bookables: bookables.rows, claims: claims.rows }
}

function createLocalClock(zone: string): (ms: number) => { day: string; hour: number } {
  const known = new Map<number, { day: string; hour: number }>()
  return (ms) => {
    // Clocks change only at a quarter of an hour.
    const quarter = Math.floor(ms / QUARTER_MS)
    const found = known.get(quarter)
    if (found) return found
    const local = formatLocalDateTime(new Date(quarter * QUARTER_MS).toISOString(), zone)
    const shown = { day: local.slice(0, 10), hour: Number(local.slice(11, 13)) }
    known.set(quarter, shown)
    return shown
  }
}
