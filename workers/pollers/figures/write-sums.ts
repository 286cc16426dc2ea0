// Adds up the figures of each year so far, up to the end of each half month: each is that of the half month before and the
// days since then. Where that is due, triggers have noted since when (migrations/0059-years-so-far.ts).
import { onlyRow } from '../../../shared/database/database.ts'
import { hourColumns, PERIODS } from '../../../shared/reports/figures.ts'
import { addDays, halfMonthAround } from '../../../shared/reports/periods.ts'
import type { Transaction } from '../../runtime/write.ts'

const LOCATIONS_AT_ONCE = 50
const HALF_MONTHS_AT_ONCE = 12

// A bookable may have brought its past from another floor: what is due since ever is so since the first year of all.
const FIRST_DAY = ['location_figures', 'bookable_figures']
  .map((table) => `(SELECT min(first_day) FROM ${table} WHERE period = ${PERIODS.day})`)
  .join(', ')
const LOCK_UNSUMMED = `
  WITH unsummed AS (
    SELECT location_id, unsummed_since, last_day FROM figured_locations
    WHERE unsummed_since IS NOT NULL AND (CAST(:ids AS bigint[]) IS NULL OR location_id = ANY(:ids))
    ORDER BY unsummed_since, location_id LIMIT ${LOCATIONS_AT_ONCE}
    FOR UPDATE SKIP LOCKED
  )
  SELECT array_agg(location_id) AS ids, max(last_day)::text AS last,
    greatest(min(unsummed_since), date_trunc('year', least(max(last_day), ${FIRST_DAY}))::date)::text AS first
  FROM unsummed`

const NOTE_SUMMED = `
  UPDATE figured_locations
  SET unsummed_since = CASE WHEN last_day >= CAST(:next AS date) THEN greatest(unsummed_since, :next) END
  WHERE location_id = ANY(:ids)`

/** Returns the number of locations; 0 if nothing is due. */
export async function writeSums(trx: Transaction, own: number[] | null = null): Promise<number> {
  const { rows } = await trx.raw(LOCK_UNSUMMED, { ids: own })
  const { ids, first, last } = onlyRow<{ ids: number[] | null; first: string; last: string }>(rows)
  if (ids === null) return 0
  let half = halfMonthAround(first)
  for (let number = 1; ; number++) {
    for (const statement of REPLACE_SUMS)
      await trx.raw(statement, { ids, ...half, previous: previousOf(half) })
    if (half.next > last || number === HALF_MONTHS_AT_ONCE) break
    half = halfMonthAround(half.next)
  }
  await trx.raw(NOTE_SUMMED, { ids, next: half.next })
  return ids.length
}

/** Null for the first half month of a year. */
function previousOf({ first }: { first: string }): string | null {
  return first.endsWith('-01-01') ? null : halfMonthAround(addDays(first, -1)).first
}

const IS_SUM = `figures.period = ${PERIODS.yearSoFar} AND figures.first_day = CAST(:first AS date)`
const IS_PART = `(figures.period = ${PERIODS.yearSoFar} AND figures.first_day = CAST(:previous AS date)
     OR figures.period = ${PERIODS.day} AND figures.first_day >= CAST(:first AS date) AND figures.first_day < CAST(:next AS date))`
const ALL_HOURS = [...hourColumns('booked'), ...hourColumns('available')]

const REPLACE_SUMS = [
  `DELETE FROM location_figures AS figures WHERE ${IS_SUM} AND location_id = ANY(:ids)`,
  `INSERT INTO location_figures (period, first_day, location_id, type, weekday, bookings, no_shows, ${ALL_HOURS.join(', ')})
   SELECT ${PERIODS.yearSoFar}, CAST(:first AS date), location_id, type, weekday, sum(bookings), sum(no_shows),
     ${ALL_HOURS.map((column) => `sum(${column})`).join(', ')}
   FROM location_figures AS figures WHERE ${IS_PART} AND location_id = ANY(:ids)
   GROUP BY location_id, type, weekday`,
  `DELETE FROM bookable_figures AS figures USING bookables
   WHERE ${IS_SUM} AND figures.bookable_id = bookables.id AND bookables.location_id = ANY(:ids)`,
  `INSERT INTO bookable_figures (period, first_day, bookable_id, minutes, bookings, no_shows)
   SELECT ${PERIODS.yearSoFar}, CAST(:first AS date), figures.bookable_id, sum(minutes), sum(bookings), sum(no_shows)
   FROM bookable_figures AS figures JOIN bookables ON bookables.id = figures.bookable_id
   WHERE ${IS_PART} AND bookables.location_id = ANY(:ids)
   GROUP BY figures.bookable_id
   ON CONFLICT (period, first_day, bookable_id) DO UPDATE
   SET minutes = excluded.minutes, bookings = excluded.bookings, no_shows = excluded.no_shows`,
]
