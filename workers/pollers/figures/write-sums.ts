// Computes, for each half month, the sums of its year up to its end, from the previous sum and the days since then.
// Triggers record from which day the sums are due (migrations/0059-years-so-far.ts).
import { getOnlyRow } from '../../../shared/database/database.ts'
import { hourColumns, PERIODS } from '../../../shared/reports/figures.ts'
import { addDays, findHalfMonth } from '../../../shared/reports/periods.ts'
import type { Transaction } from '../../runtime/write.ts'

const LOCATIONS_AT_ONCE = 50
const HALF_MONTHS_AT_ONCE = 12

// SQL for the first day of all figures. A bookable may have brought figures from another location, so a sum
// that is due from the beginning starts with the year of this day.
const FIRST_DAY_SQL = ['location_figures', 'bookable_figures']
  .map((table) => `(SELECT min(first_day) FROM ${table} WHERE period = ${PERIODS.day})`)
  .join(', ')
const LOCK_UNSUMMED_SQL = `
  WITH unsummed AS (
    SELECT location_id, unsummed_since, last_day FROM figured_locations
    WHERE unsummed_since IS NOT NULL AND (CAST(:ids AS bigint[]) IS NULL OR location_id = ANY(:ids))
    ORDER BY unsummed_since, location_id LIMIT ${LOCATIONS_AT_ONCE}
    FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(location_id) AS ids, max(last_day)::text AS last,
    greatest(min(unsummed_since), date_trunc('year', least(max(last_day), ${FIRST_DAY_SQL}))::date)::text AS first
  FROM unsummed`

const RECORD_SUMMED_SQL = `
  UPDATE figured_locations
  SET unsummed_since = CASE WHEN last_day >= CAST(:next AS date) THEN greatest(unsummed_since, :next) END
  WHERE location_id = ANY(:ids)`

/** Writes sums that are due. Returns the number of locations processed, or 0 if nothing is due. */
export async function writeSummedFigures(trx: Transaction, own: number[] | null = null): Promise<number> {
  const { rows } = await trx.raw(LOCK_UNSUMMED_SQL, { ids: own })
  const { ids, first, last } = getOnlyRow<{ ids: number[] | null; first: string; last: string }>(rows)
  if (ids === null) return 0
  let half = findHalfMonth(first)
  for (let number = 1; ; number++) {
    for (const statement of REPLACE_SUMS_STATEMENTS)
      await trx.raw(statement, { ids, ...half, previous: findPreviousHalfMonth(half) })
    if (half.next > last || number === HALF_MONTHS_AT_ONCE) break
    half = findHalfMonth(half.next)
  }
  await trx.raw(RECORD_SUMMED_SQL, { ids, next: half.next })
  return ids.length
}

/**
 * Returns the first day of the previous half month in the same year. Returns null for the first half month of a year.
 */
function findPreviousHalfMonth({ first }: { first: string }): string | null {
  return first.endsWith('-01-01') ? null : findHalfMonth(addDays(first, -1)).first
}

const IS_SUM_SQL = `figures.period = ${PERIODS.yearSoFar} AND figures.first_day = CAST(:first AS date)`
const IS_PART_SQL = `(figures.period = ${PERIODS.yearSoFar} AND figures.first_day = CAST(:previous AS date)
     OR figures.period = ${PERIODS.day} AND figures.first_day >= CAST(:first AS date) AND figures.first_day < CAST(:next AS date))`
const ALL_HOUR_COLUMNS = [...hourColumns('booked'), ...hourColumns('available')]

const REPLACE_SUMS_STATEMENTS = [
  `DELETE FROM location_figures AS figures WHERE ${IS_SUM_SQL} AND location_id = ANY(:ids)`,
  `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${ALL_HOUR_COLUMNS.join(', ')})
   SELECT ${PERIODS.yearSoFar}, CAST(:first AS date), location_id, type, weekday, sum(bookings), sum(no_shows),
     ${ALL_HOUR_COLUMNS.map((column) => `sum(${column})`).join(', ')}
   FROM location_figures AS figures WHERE ${IS_PART_SQL} AND location_id = ANY(:ids)
   GROUP BY location_id, type, weekday`,
  `DELETE FROM bookable_figures AS figures USING bookables
   WHERE ${IS_SUM_SQL} AND figures.bookable_id = bookables.id AND bookables.location_id = ANY(:ids)`,
  `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
   SELECT ${PERIODS.yearSoFar}, CAST(:first AS date), figures.bookable_id, sum(minutes), sum(bookings), sum(no_shows)
   FROM bookable_figures AS figures JOIN bookables ON bookables.id = figures.bookable_id
   WHERE ${IS_PART_SQL} AND bookables.location_id = ANY(:ids)
   GROUP BY figures.bookable_id
   ON CONFLICT (period, first_day, bookable_id) DO UPDATE
   SET minutes = excluded.minutes, bookings = excluded.bookings, no_shows = excluded.no_shows`,
]
