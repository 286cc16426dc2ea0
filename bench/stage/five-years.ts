// Inserts daily figures of five years, as upkeep would compute them from five million bookings of 5,000 desks and rooms
// on 50 floors of 10 buildings. The database must have no buildings yet.
import type { Knex } from 'knex'
import { HOURS, hourColumn } from '../../shared/reports/figures.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../workers/pollers/figures/update-daily-figures.ts'

const FILL_MS_MAX = 600_000

const HOUR_COLUMNS = HOURS.flatMap((hour) => [hourColumn('booked', hour), hourColumn('available', hour)])

/** Inserts figures from the day `first` to the day `last`, and marks every day up to `known` as having figures. */
export async function fillFiveYears(
  database: Knex,
  { first, last, known }: { first: string; last: string; known: string },
): Promise<void> {
  await database.raw(
    "INSERT INTO buildings (name, timezone) SELECT 'Building ' || n, 'Europe/Berlin' FROM generate_series(1, 10) AS n",
  )
  await database.raw(
    "INSERT INTO locations (building_id, name) SELECT 1 + (n - 1) / 5, 'Floor ' || n FROM generate_series(1, 50) AS n",
  )
  await database.raw(
    `INSERT INTO bookables (location_id, name, type, created_at)
     SELECT 1 + (n - 1) / 100, 'Desk ' || n, CASE WHEN n % 100 < 80 THEN 0 WHEN n % 100 < 90 THEN 1 ELSE 2 END, '${first}'::timestamp - interval '1 month'
     FROM generate_series(1, 5000) AS n`,
  )
  // Filling the table without its key and the WAL takes half the time. The key is added at the end.
  await database.raw('ALTER TABLE bookable_figures SET UNLOGGED, DROP CONSTRAINT bookable_figures__key')
  // Each bookable is booked on three of every four of the 1,304 working days, which makes 4.9 million rows.
  await database.raw(
    `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
     SELECT 0, day::date, id, 480, 1, (random() < 0.05)::int
     FROM generate_series('${first}'::timestamp, '${last}', '1 day') AS day, generate_series(1, 5000) AS id
     WHERE extract(isodow FROM day) < 6 AND (id * 7 + extract(doy FROM day)::int * 13) % 4 <> 0`,
  )
  await database.raw(
    `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${HOUR_COLUMNS.join(', ')})
     SELECT 0, day::date, location, type, extract(isodow FROM day)::int, 75, 4, ${HOUR_COLUMNS.map(() => '600').join(', ')}
     FROM generate_series('${first}'::timestamp, '${last}', '1 day') AS day, generate_series(1, 50) AS location,
       generate_series(0, 2) AS type`,
  )
  await database.raw(
    'ALTER TABLE bookable_figures ADD CONSTRAINT bookable_figures__key PRIMARY KEY (period, first_day, bookable_id)',
  )
  await database.raw(
    `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
     SELECT 1, date_trunc('month', first_day::timestamp)::date, bookable_id, sum(minutes), sum(bookings), sum(no_shows)
     FROM bookable_figures WHERE period = 0 GROUP BY 1, 2, 3`,
  )
  await database.raw(
    `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${HOUR_COLUMNS.join(', ')})
     SELECT 1, date_trunc('month', first_day::timestamp)::date, location_id, type, weekday, sum(bookings), sum(no_shows),
       ${HOUR_COLUMNS.map((column) => `sum(${column})`).join(', ')}
     FROM location_figures WHERE period = 0 GROUP BY 1, 2, 3, 4, 5`,
  )
  await database.raw(
    `INSERT INTO figured_locations (location_id, timezone, last_day, unsummed_since)
     SELECT id, 'Europe/Berlin', '${known}', '-infinity' FROM locations`,
  )
  await database.raw('ANALYZE')
  const options = { now: `${known}T22:30:00Z`, runMsMax: FILL_MS_MAX }
  await updateDailyFigures(database, createLog('bench', 'silent'), options)
  await database.raw('VACUUM ANALYZE')
}
