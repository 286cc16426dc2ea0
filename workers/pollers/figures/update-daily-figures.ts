// Updates the daily figures: computes those of days that are over, and recomputes past days that have changed. Sums up
// the figures in the same transaction or, if years of figures are due, later. Works in batches whose transactions lock
// their locations, so that several workers can share the work.
import type { Knex } from 'knex'
import { FINAL_AFTER_DAYS } from '../../../shared/reports/figures.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import type { Transaction } from '../../runtime/write.ts'
import { type DueReportDays, writeDailyFigures } from './write-days.ts'
import { writeSummedFigures } from './write-sums.ts'

// The limit on one run. Upkeep has other work, so the rest is done a minute later.
const RUN_MS_MAX = 20_000
const LOCATIONS_AT_ONCE = 50
const DAYS_AT_ONCE = 31
const CHANGES_AT_ONCE = 1_000

type FigureOptions = {
  /** The time to use instead of the current time. */
  now?: string | undefined
  runMsMax?: number
}

export async function updateDailyFigures(
  database: Knex,
  log: Log,
  options: FigureOptions = {},
): Promise<void> {
  const { now, runMsMax = RUN_MS_MAX } = options
  const endMs = Date.now() + runMsMax
  await deleteFiguresOfDeletedLocations(database)
  await database.raw(BEGIN_LOCATIONS_SQL, { now: now ?? null })
  /** Runs the step at least once, and repeats it until nothing is left to do or the time limit is reached. */
  const repeat = async (step: (trx: Transaction, now: string | null) => Promise<number>) => {
    let total = 0
    let number = 0
    do {
      number = await database.transaction((trx) => step(trx, now ?? null))
      total += number
    } while (number > 0 && Date.now() < endMs)
    return total
  }
  const changes = await repeat(recomputeChangedDays)
  const days = await repeat(computeFirstFigures)
  if (changes + days > 0) log.info({ changes, days }, 'daily figures updated')
  const locations = await repeat((trx) => writeSummedFigures(trx))
  if (locations > 0) log.info({ locations }, 'yearly sums updated')
}

// Deletes the figures of locations that were deleted. Such a location had no bookings.
async function deleteFiguresOfDeletedLocations(database: Knex): Promise<void> {
  const { rows } = await database.raw(
    `DELETE FROM figured_locations WHERE NOT EXISTS (SELECT FROM locations WHERE locations.id = location_id)
     RETURNING location_id AS id`,
  )
  if (rows.length === 0) return
  const ids = rows.map(({ id }: { id: number }) => id)
  await database.raw('DELETE FROM location_figures WHERE location_id = ANY(?::bigint[])', [ids])
}

const NOW_SQL = 'coalesce(CAST(:now AS timestamptz), now())'
// SQL for the day in progress. The figures of a day are computed an hour after its end. By then, all writes
// from that day have committed, and later writes record what they change (migrations/0041-figures.ts).
const todaySql = (timezone: string) => `((${NOW_SQL} - interval '1 hour') AT TIME ZONE ${timezone})::date`
const firstOpenDaySql = (timezone: string) => `(${todaySql(timezone)} - ${FINAL_AFTER_DAYS})`

const firstClaimSql = (location: string) => `
  SELECT min(starts) AS first_claim
  FROM bookables CROSS JOIN LATERAL (
    SELECT lower(bookings.during) AS starts FROM bookings
    WHERE bookings.bookable_id = bookables.id ORDER BY lower(bookings.during) LIMIT 1
  ) AS first
  WHERE bookables.location_id = ${location}`

// SQL that prepares new locations. Their figures start at the first booking or at the first day that may still change,
// whichever is earlier, so that no booking is older than the first figures.
const BEGIN_LOCATIONS_SQL = `
  INSERT INTO figured_locations (location_id, timezone, last_day)
  SELECT locations.id, timezone, least(${firstOpenDaySql('timezone')}, (first_claim AT TIME ZONE timezone)::date) - 1
  FROM locations JOIN buildings ON buildings.id = locations.building_id
  CROSS JOIN LATERAL (${firstClaimSql('locations.id')}) AS firsts
  WHERE NOT EXISTS (SELECT FROM figured_locations WHERE location_id = locations.id)
  ON CONFLICT DO NOTHING`

// SQL that locks locations with figures that are due. If the time zone has changed, the days that may still change are
// recomputed in the new zone.
const LOCK_DUE_SQL = `
  WITH due AS (
    SELECT figured.location_id, buildings.timezone,
      least(last_day + 1, CASE WHEN figured.timezone <> buildings.timezone
        THEN ${firstOpenDaySql('buildings.timezone')} END) AS first_day,
      ${todaySql('buildings.timezone')} - 1 AS last_over
    FROM figured_locations AS figured
    JOIN locations ON locations.id = figured.location_id
    JOIN buildings ON buildings.id = locations.building_id
    WHERE last_day < ${todaySql('buildings.timezone')} - 1 OR figured.timezone <> buildings.timezone
    ORDER BY last_day, figured.location_id LIMIT ${LOCATIONS_AT_ONCE}
    FOR UPDATE OF figured SKIP LOCKED
  )
  SELECT location_id, timezone, first_day::text, least(first_day + ${DAYS_AT_ONCE - 1}, last_over)::text AS last_day
  FROM due WHERE first_day <= last_over`

/**
 * Computes the figures of days for the first time. Returns the number of days, over all locations, or 0 if nothing is
 * due.
 */
async function computeFirstFigures(trx: Transaction, now: string | null): Promise<number> {
  const { rows } = await trx.raw(LOCK_DUE_SQL, { now })
  const due: DueReportDays[] = rows
  if (due.length === 0) return 0
  await writeDailyFigures(trx, due)
  await trx.raw(
    `UPDATE figured_locations SET timezone = due.timezone, last_day = due.last_day
     FROM json_to_recordset(?::json) AS due (location_id bigint, timezone text, last_day date)
     WHERE figured_locations.location_id = due.location_id`,
    [JSON.stringify(due)],
  )
  await writeSummedFigures(trx, listLocations(due))
  return countDays(due)
}

// SQL that takes recorded changes. Skips locations that another worker has locked, and the next run processes them.
const TAKE_CHANGES_SQL = `
  WITH held AS (
    SELECT location_id FROM figured_locations
    WHERE location_id IN (SELECT location_id FROM past_changes ORDER BY id LIMIT ${CHANGES_AT_ONCE})
    ORDER BY location_id FOR UPDATE SKIP LOCKED
  )
  DELETE FROM past_changes WHERE id IN (
    SELECT id FROM past_changes
    WHERE location_id IN (SELECT location_id FROM held)
      OR NOT EXISTS (SELECT FROM figured_locations WHERE figured_locations.location_id = past_changes.location_id)
    ORDER BY id LIMIT ${CHANGES_AT_ONCE}
  )
  RETURNING location_id, lower(during)::text AS "from", upper(during)::text AS "to"`

const CHANGED_DAYS_SQL = `
  SELECT DISTINCT figured.location_id, figured.timezone, day::date::text AS first_day, day::date::text AS last_day
  FROM json_to_recordset(CAST(:changes AS json)) AS changed (location_id bigint, "from" timestamptz, "to" timestamptz)
  JOIN figured_locations AS figured ON figured.location_id = changed.location_id
  CROSS JOIN LATERAL generate_series(
    greatest(("from" AT TIME ZONE timezone)::date, ${firstOpenDaySql('timezone')})::timestamp,
    least((least(coalesce("to", 'infinity'), ${NOW_SQL}) AT TIME ZONE timezone)::date, last_day)::timestamp,
    '1 day') AS day`

/** Recomputes days that have changed. Returns the number of changes, or 0 if none are left. */
async function recomputeChangedDays(trx: Transaction, now: string | null): Promise<number> {
  const { rows: changes } = await trx.raw(TAKE_CHANGES_SQL)
  if (changes.length === 0) return 0
  const { rows } = await trx.raw(CHANGED_DAYS_SQL, { now, changes: JSON.stringify(changes) })
  const due: DueReportDays[] = rows
  if (due.length > 0) await writeDailyFigures(trx, due)
  await writeSummedFigures(trx, listLocations(changes))
  return changes.length
}

const listLocations = (rows: Array<{ location_id: number }>) => [
  ...new Set(rows.map((row) => row.location_id)),
]

function countDays(due: DueReportDays[]): number {
  const days = ({ first_day, last_day }: DueReportDays) =>
    (Date.parse(last_day) - Date.parse(first_day)) / 86_400_000 + 1
  return due.reduce((sum, each) => sum + days(each), 0)
}
