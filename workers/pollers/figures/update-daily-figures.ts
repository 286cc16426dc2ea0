// Updates the daily figures: creates those of days that are over, and recomputes past days that have changed.
// Adds them up in the same transaction, or, if years of them are due, later. Works in pieces, whose transactions lock their locations, so that several workers can share the work.
import type { Knex } from 'knex'
import { FINAL_AFTER_DAYS } from '../../../shared/reports/figures.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import type { Transaction } from '../../runtime/write.ts'
import { type DueDays, writeDays } from './write-days.ts'
import { writeSums } from './write-sums.ts'

// Upkeep has other work: the rest is done a minute later.
const RUN_MS_MAX = 20_000
const LOCATIONS_AT_ONCE = 50
const DAYS_AT_ONCE = 31
const CHANGES_AT_ONCE = 1_000

type Options = {
  /** Overrides the current time. */
  now?: string | undefined
  runMsMax?: number
}

export async function updateDailyFigures(database: Knex, log: Log, options: Options = {}): Promise<void> {
  const { now, runMsMax = RUN_MS_MAX } = options
  const endMs = Date.now() + runMsMax
  await forgetLocations(database)
  await database.raw(BEGIN_LOCATIONS, { now: now ?? null })
  /** Runs at least once, and until nothing is left to do or time is up. */
  const repeat = async (step: (trx: Transaction, now: string | null) => Promise<number>) => {
    let total = 0
    let number = 0
    do {
      number = await database.transaction((trx) => step(trx, now ?? null))
      total += number
    } while (number > 0 && Date.now() < endMs)
    return total
  }
  const changes = await repeat(recompute)
  const days = await repeat(computeFirst)
  if (changes + days > 0) log.info({ changes, days }, 'daily figures made')
  const locations = await repeat((trx) => writeSums(trx))
  if (locations > 0) log.info({ locations }, 'figures of years added up')
}

// Figures whose location was deleted; such a location had no bookings.
async function forgetLocations(database: Knex): Promise<void> {
  const { rows } = await database.raw(
    `DELETE FROM figured_locations WHERE NOT EXISTS (SELECT FROM locations WHERE locations.id = location_id)
     RETURNING location_id AS id`,
  )
  if (rows.length === 0) return
  const ids = rows.map(({ id }: { id: number }) => id)
  await database.raw('DELETE FROM location_figures WHERE location_id = ANY(?::bigint[])', [ids])
}

const NOW = 'coalesce(CAST(:now AS timestamptz), now())'
// A day's figures are made an hour after it ends: writes from within the day have committed by then, and
// later writes record what they change (migrations/0041-figures.ts).
const today = (timezone: string) => `((${NOW} - interval '1 hour') AT TIME ZONE ${timezone})::date`
const firstOpenDay = (timezone: string) => `(${today(timezone)} - ${FINAL_AFTER_DAYS})`

const firstClaimOf = (location: string) => `
  SELECT min(starts) AS first_claim
  FROM bookables CROSS JOIN LATERAL (
    SELECT lower(bookings.during) AS starts FROM bookings
    WHERE bookings.bookable_id = bookables.id ORDER BY lower(bookings.during) LIMIT 1
  ) AS first
  WHERE bookables.location_id = ${location}`

// Begins at the first booking or the first day that may still change, whichever is earlier, so that no
// booking lies before the first figures.
const BEGIN_LOCATIONS = `
  INSERT INTO figured_locations (location_id, timezone, last_day)
  SELECT locations.id, timezone, least(${firstOpenDay('timezone')}, (first_claim AT TIME ZONE timezone)::date) - 1
  FROM locations JOIN buildings ON buildings.id = locations.building_id
  CROSS JOIN LATERAL (${firstClaimOf('locations.id')}) AS firsts
  WHERE NOT EXISTS (SELECT FROM figured_locations WHERE location_id = locations.id)
  ON CONFLICT DO NOTHING`

// If the time zone has changed, the days that may still change are recomputed in the new one.
const LOCK_DUE = `
  WITH due AS (
    SELECT figured.location_id, buildings.timezone,
      least(last_day + 1, CASE WHEN figured.timezone <> buildings.timezone
        THEN ${firstOpenDay('buildings.timezone')} END) AS first_day,
      ${today('buildings.timezone')} - 1 AS last_over
    FROM figured_locations AS figured
    JOIN locations ON locations.id = figured.location_id
    JOIN buildings ON buildings.id = locations.building_id
    WHERE last_day < ${today('buildings.timezone')} - 1 OR figured.timezone <> buildings.timezone
    ORDER BY last_day, figured.location_id LIMIT ${LOCATIONS_AT_ONCE}
    FOR UPDATE OF figured SKIP LOCKED
  )
  SELECT location_id, timezone, first_day::text, least(first_day + ${DAYS_AT_ONCE - 1}, last_over)::text AS last_day
  FROM due WHERE first_day <= last_over`

/** Returns the number of location days; 0 if nothing is due. */
async function computeFirst(trx: Transaction, now: string | null): Promise<number> {
  const { rows } = await trx.raw(LOCK_DUE, { now })
  const due: DueDays[] = rows
  if (due.length === 0) return 0
  await writeDays(trx, due)
  await trx.raw(
    `UPDATE figured_locations SET timezone = due.timezone, last_day = due.last_day
     FROM json_to_recordset(?::json) AS due (location_id bigint, timezone text, last_day date)
     WHERE figured_locations.location_id = due.location_id`,
    [JSON.stringify(due)],
  )
  await writeSums(trx, locationsOf(due))
  return sumDays(due)
}

// Changes of locations that another worker holds now are left for the next run.
const TAKE_CHANGES = `
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

const CHANGED_DAYS = `
  SELECT DISTINCT figured.location_id, figured.timezone, day::date::text AS first_day, day::date::text AS last_day
  FROM json_to_recordset(CAST(:changes AS json)) AS changed (location_id bigint, "from" timestamptz, "to" timestamptz)
  JOIN figured_locations AS figured ON figured.location_id = changed.location_id
  CROSS JOIN LATERAL generate_series(
    greatest(("from" AT TIME ZONE timezone)::date, ${firstOpenDay('timezone')})::timestamp,
    least((least(coalesce("to", 'infinity'), ${NOW}) AT TIME ZONE timezone)::date, last_day)::timestamp,
    '1 day') AS day`

/** Returns the number of changes processed; 0 if none are left. */
async function recompute(trx: Transaction, now: string | null): Promise<number> {
  const { rows: changes } = await trx.raw(TAKE_CHANGES)
  if (changes.length === 0) return 0
  const { rows } = await trx.raw(CHANGED_DAYS, { now, changes: JSON.stringify(changes) })
  const due: DueDays[] = rows
  if (due.length > 0) await writeDays(trx, due)
  await writeSums(trx, locationsOf(changes))
  return changes.length
}

const locationsOf = (rows: Array<{ location_id: number }>) => [...new Set(rows.map((row) => row.location_id))]

function sumDays(due: DueDays[]): number {
  const days = ({ first_day, last_day }: DueDays) =>
    (Date.parse(last_day) - Date.parse(first_day)) / 86_400_000 + 1
  return due.reduce((sum, each) => sum + days(each), 0)
}
