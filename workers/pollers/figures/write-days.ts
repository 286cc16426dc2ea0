// Writes the figures of some days of some locations, and the sums of their months and years, replacing what
// was there. The caller's transaction holds the locks of these locations.
import { hourColumns, PERIODS, type Period } from '../../../shared/reports/figures.ts'
import type { Transaction } from '../../runtime/context.ts'
import { DUE, INSERT_BOOKABLE_DAYS, INSERT_LOCATION_DAYS } from './daily-sql.ts'

/** Days of one location, first and last included, in local time of this zone. */
export type DueDays = { location_id: number; timezone: string; first_day: string; last_day: string }

export async function writeDays(trx: Transaction, days: DueDays[]): Promise<void> {
  const due = JSON.stringify(days)
  for (const statement of [...REPLACE_DAYS, ...sumStatements('month'), ...sumStatements('year')])
    await trx.raw(statement, { due })
}

const REPLACE_DAYS = [
  `WITH ${DUE} DELETE FROM location_figures AS figures USING due
   WHERE figures.period = ${PERIODS.day} AND figures.location_id = due.location_id
     AND figures.first_day >= due.first_day AND figures.first_day <= due.last_day`,
  INSERT_LOCATION_DAYS,
  `WITH ${DUE} DELETE FROM bookable_figures AS figures USING due, bookables
   WHERE bookables.location_id = due.location_id
     AND figures.period = ${PERIODS.day} AND figures.bookable_id = bookables.id
     AND figures.first_day >= due.first_day AND figures.first_day <= due.last_day`,
  INSERT_BOOKABLE_DAYS,
]

type Unit = 'month' | 'year'

// A year is the sum of its months: twelve rows instead of 365.
const PARTS: Record<Unit, Period> = { month: PERIODS.day, year: PERIODS.month }

const startOf = (unit: Unit, day: string) => `date_trunc('${unit}', ${day}::timestamp)::date`

const unitsOf = (unit: Unit) => `${DUE}, units AS MATERIALIZED (
    SELECT DISTINCT location_id, ${startOf(unit, 'day')} AS unit_day,
      (${startOf(unit, 'day')} + interval '1 ${unit}')::date AS next_day
    FROM due, generate_series(first_day::timestamp, last_day::timestamp, '1 day') AS day
  )`

function sumStatements(unit: Unit): string[] {
  const [period, parts] = [PERIODS[unit], PARTS[unit]]
  const hours = [...hourColumns('booked'), ...hourColumns('available')]
  const within = `figures.period = ${parts} AND figures.first_day >= unit_day AND figures.first_day < next_day`
  return [
    `WITH ${unitsOf(unit)} DELETE FROM location_figures AS figures USING units
     WHERE figures.period = ${period} AND figures.first_day = unit_day AND figures.location_id = units.location_id`,
    `WITH ${unitsOf(unit)}
     INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${hours.join(', ')})
     SELECT ${period}, unit_day, figures.location_id, type, weekday, sum(bookings), sum(no_shows),
       ${hours.map((column) => `sum(${column})`).join(', ')}
     FROM units JOIN location_figures AS figures ON ${within} AND figures.location_id = units.location_id
     GROUP BY unit_day, figures.location_id, type, weekday`,
    `WITH ${unitsOf(unit)} DELETE FROM bookable_figures AS figures USING units, bookables
     WHERE bookables.location_id = units.location_id
       AND figures.period = ${period} AND figures.first_day = unit_day AND figures.bookable_id = bookables.id`,
    `WITH ${unitsOf(unit)}
     INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
     SELECT ${period}, unit_day, figures.bookable_id, sum(minutes), sum(bookings), sum(no_shows)
     FROM units JOIN bookables ON bookables.location_id = units.location_id
     JOIN bookable_figures AS figures ON ${within} AND figures.bookable_id = bookables.id
     GROUP BY unit_day, figures.bookable_id
     ON CONFLICT (period, first_day, bookable_id) DO UPDATE
     SET minutes = excluded.minutes, bookings = excluded.bookings, no_shows = excluded.no_shows`,
  ]
}
