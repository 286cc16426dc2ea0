// The slots for bookings: each weekday of a bookable is cut into slots, and each booking gets one, so that no
// two overlap. All slots of home offices are the whole day, because home offices are shared.

import type { Knex } from 'knex'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { onlyRow } from '../../shared/database/database.ts'
import type { Draw } from './random.ts'
import { type DailySlots, type Period, WEEKDAYS } from './schedule.ts'

type Slot = { type: number; slot: number; opens_minute: number; closes_minute: number; quarters: number }

export const DAY_CLOSES_MINUTE = 19 * 60

/** `quarters`: the number of quarter hours from which start and end are drawn, at either end of the slot. */
function slot(type: number, number: number, opensHour: number, closesHour: number, quarters: number): Slot {
  return { type, slot: number, opens_minute: opensHour * 60, closes_minute: closesHour * 60, quarters }
}

const slots = [
  slot(0, 0, 7, 12.5, 9),
  slot(0, 1, 12.5, 19, 9),
  slot(1, 0, 7, 12.5, 5),
  slot(1, 1, 12.5, 19, 5),
  // From 13:00 to 15:00 meeting rooms are reserved for events.
  slot(2, 0, 8, 10, 4),
  slot(2, 1, 10, 12.5, 4),
  slot(2, 2, 15, 18, 4),
  ...[0, 1, 2, 3, 4, 5].map((number) => slot(3, number, 7, 18, 9)),
]

/** Stores for each bookable how many slots a day it has, and how many those before it have. */
export async function cutSlots(database: Knex): Promise<DailySlots> {
  await database.raw(
    `CREATE TEMP TABLE seed_slots (
       type int, slot bigint, opens_minute int, closes_minute int, quarters int
     ) ON COMMIT DROP`,
  )
  await database('seed_slots').insert(slots)
  await database.raw(
    `CREATE TEMP TABLE seed_shares ON COMMIT DROP AS
     SELECT number, seed_bookables.id, type, assignee_user_id, timezone, per_day,
       (sum(per_day) OVER (ORDER BY number) - per_day)::bigint AS slots_before,
       (sum(per_day) OVER (PARTITION BY type ORDER BY number) - per_day)::bigint AS of_type_before
     FROM seed_bookables JOIN seed_locations USING (location)
     JOIN (SELECT type, count(*) AS per_day FROM seed_slots GROUP BY type) AS days USING (type)`,
  )
  await database.raw('ANALYZE seed_slots, seed_shares')
  const { rows } = await database.raw<{ rows: DailySlots[] }>(
    `SELECT sum(per_day)::bigint AS "all", sum(per_day) FILTER (WHERE number = 0)::bigint AS first,
       coalesce(sum(per_day) FILTER (WHERE type = ${BOOKABLE_TYPES.parkingSpot}), 0)::bigint AS parking
     FROM seed_shares`,
  )
  return onlyRow(rows)
}

/** A SELECT of the slots that get a booking: every bookable's share of the period, in order. */
export function chooseSlots(draw: Draw, daily: DailySlots, period: Period): string {
  const { bookings, weeks, thinningOut } = period
  // The first bookable has no bookings from this week on.
  const skipped = thinningOut ? daily.first : 0
  const upTo = (slots: string) => `(${slots} - ${skipped}) * ${bookings} / ${daily.all - skipped}`
  // OFFSET 0 keeps Postgres from merging the steps, which would recompute the same numbers at every mention.
  return `
    SELECT *, ${turnedDay(draw)} AS day, chosen % per_day AS slot, number * 1000000 + chosen AS key,
      type < 2 AND chosen % per_day = 0 AND next <> chosen + 1
        AND ${draw('number * 1000000 + chosen', 'whole day', 10)} < 7 AS whole_day
    FROM (
      SELECT shares.*, ${slotOf(draw, thinningOut, 'k')} AS chosen,
        ${slotOf(draw, thinningOut, '((k + 1) % share)')} AS next
      FROM (
        SELECT *, per_day * ${weeks * WEEKDAYS} AS total,
          ${upTo('slots_before + per_day')} - ${upTo('slots_before')} AS share
        FROM seed_shares
        WHERE slots_before >= ${skipped}
      ) AS shares
      CROSS JOIN generate_series(0, share - 1) AS k
      OFFSET 0
    ) AS steps
    OFFSET 0`
}

// The first slot that the k-th booking of a bookable may get; at least one slot lies before the next edge.
const edgeEvenly = (k: string) => `total * (${k}) / share`
const edgeThinningOut = (k: string) => `total * (${k}) * (share + ${k}) / (2 * share * share)`

function slotOf(draw: Draw, thinningOut: boolean, k: string): string {
  const edge = thinningOut ? edgeThinningOut : edgeEvenly
  return `${edge(k)} + ${draw(`number * 1000000 + ${k}`, 'slot', `${edge(`${k} + 1`)} - ${edge(k)}`)}`
}

/** Each bookable begins its weeks on another day; otherwise all would be free at the same time. */
function turnedDay(draw: Draw): string {
  const day = '(chosen / per_day)'
  return `${day} - ${day} % ${WEEKDAYS} + (${day} + ${draw('number', 'turn', WEEKDAYS)}) % ${WEEKDAYS}`
}

/** An instant on weekday `day` of a span that begins in week `weekFirst`, in the building's local time. */
export function instant(weekFirst: number, day: string, minuteOfDay: string): string {
  const days = `${weekFirst * 7} + ${day} / ${WEEKDAYS} * 7 + ${day} % ${WEEKDAYS}`
  const time = `make_interval(days => (${days})::int, mins => (${minuteOfDay})::int)`
  return `(date_trunc('week', current_date::timestamp) + ${time}) AT TIME ZONE timezone`
}
