// Writes the figures of some days of some locations, and the sums of their months, replacing what
// was there. The caller's transaction holds the locks of these locations.
import { hourColumns, PERIODS } from '../../../shared/reports/figures.ts'
import type { Transaction } from '../../runtime/context.ts'
import { DUE, INSERT_BOOKABLE_DAYS, INSERT_LOCATION_DAYS } from './daily-sql.ts'

/** Days of one location, first and last included, in local time of this zone. */
export type DueDays = { location_id: number; timezone: string; first_day: string; last_day: string }

export async function writeDays(trx: Transaction, days: DueDays[]): Promise<void> {
  const due = JSON.stringify(days)
  for (const statement of [...REPLACE_DAYS, ...REPLACE_MONTHS]) await trx.raw(statement, { due })
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

const MONTHS = `WITH ${DUE}, months AS MATERIALIZED (
    SELECT DISTINCT location_id, date_trunc('month', day)::date AS month,
      (date_trunc('month', day) + interval '1 month')::date AS next_month
    FROM due, generate_series(first_day::timestamp, last_day::timestamp, '1 day') AS day
  )`
const DAYS_OF_MONTH = `figures.period = ${PERIODS.day} AND figures.first_day >= month AND figures.first_day < next_month`
const HOURS = [...hourColumns('booked'), ...hourColumns('available')]

const REPLACE_MONTHS = [
  `${MONTHS} DELETE FROM location_figures AS figures USING months
   WHERE figures.period = ${PERIODS.month} AND figures.first_day = month AND figures.location_id = months.location_id`,
  `${MONTHS}
   INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${HOURS.join(', ')})
   SELECT ${PERIODS.month}, month, figures.location_id, type, weekday, sum(bookings), sum(no_shows),
     ${HOURS.map((column) => `sum(${column})`).join(', ')}
   FROM months JOIN location_figures AS figures ON ${DAYS_OF_MONTH} AND figures.location_id = months.location_id
   GROUP BY month, figures.location_id, type, weekday`,
  `${MONTHS} DELETE FROM bookable_figures AS figures USING months, bookables
   WHERE bookables.location_id = months.location_id
     AND figures.period = ${PERIODS.month} AND figures.first_day = month AND figures.bookable_id = bookables.id`,
  `${MONTHS}
   INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
   SELECT ${PERIODS.month}, month, figures.bookable_id, sum(minutes), sum(bookings), sum(no_shows)
   FROM months JOIN bookables ON bookables.location_id = months.location_id
   JOIN bookable_figures AS figures ON ${DAYS_OF_MONTH} AND figures.bookable_id = bookables.id
   GROUP BY month, figures.bookable_id
   ON CONFLICT (period, first_day, bookable_id) DO UPDATE
   SET minutes = excluded.minutes, bookings = excluded.bookings, no_shows = excluded.no_shows`,
]
