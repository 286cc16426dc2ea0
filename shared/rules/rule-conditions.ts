// SQL: whether the rules of its places let a user book a bookable for a time. It never allows a booking that
// these rules would refuse (workers/jobs/rules/broken-rules.ts); it does not check rules that count a
// user's other bookings.
import type { Rules } from './rules.ts'
import { isClosedBy } from './rules-shape.ts'

/** SQL each; `to` may be null for no end, and `user` for any user. */
type Requested = { user: string; from: string; to: string; now: string }

// A null of a nearer place also hides the outer ones; as a number it stays null.
const rule = (name: keyof Rules) =>
  `coalesce(bookables.rules -> '${name}', locations.rules -> '${name}', buildings.rules -> '${name}')`
const figure = (name: keyof Rules) => `(${rule(name)} #>> '{}')::int`
const local = (moment: string) => `timezone(buildings.timezone, ${moment})`

/**
 * For rows of bookables joined with locations and buildings. Most have no rules, and then nothing is checked.
 */
export function rulesAllow(requested: Requested): string {
  const conditions = [
    isOpenToUser(requested),
    ...lengthConditions(requested),
    isNear(requested),
    isNotClosed(requested),
    isInOpeningHours(requested),
  ]
  return `CASE WHEN bookables.rules IS NULL AND locations.rules IS NULL AND buildings.rules IS NULL THEN true
    ELSE ${conditions.join(' AND ')} END`
}

function isOpenToUser({ user }: Requested): string {
  return `CASE WHEN ${user}::bigint IS NOT NULL AND json_typeof(${rule('group_ids')}) = 'array' THEN EXISTS (
      SELECT FROM json_array_elements_text(${rule('group_ids')}) AS groups (id)
      JOIN group_members ON group_members.group_id = groups.id::bigint AND group_members.user_id = ${user}
    ) ELSE true END`
}

function lengthConditions({ from, to }: Requested): string[] {
  const minutes = `extract(epoch FROM ${to}::timestamptz - ${from}::timestamptz) / 60`
  return [
    `CASE WHEN ${figure('minutes_min')} IS NULL OR ${to}::timestamptz IS NULL THEN true
      ELSE ${minutes} >= ${figure('minutes_min')} END`,
    `CASE WHEN ${figure('minutes_max')} IS NULL THEN true
      ELSE ${to}::timestamptz IS NOT NULL AND ${minutes} <= ${figure('minutes_max')} END`,
  ]
}

function isNear({ to, now }: Requested): string {
  const lastMoment = `date_trunc('milliseconds', ${to}::timestamptz) - interval '1 millisecond'`
  return `CASE WHEN ${figure('days_ahead_max')} IS NULL THEN true ELSE ${to}::timestamptz IS NOT NULL
    AND ${local(`(${lastMoment})`)}::date <= ${local(`${now}::timestamptz`)}::date + ${figure('days_ahead_max')} END`
}

function isNotClosed({ from, to }: Requested): string {
  const places = ['bookables', 'locations', 'buildings'] as const
  const times = places.map(
    (place) => `SELECT json_array_elements(${place}.rules -> 'closed') AS closed WHERE ${isClosedBy(place)}`,
  )
  return `NOT EXISTS (
    SELECT FROM (${times.join(' UNION ALL ')}) AS times
    WHERE tstzrange((closed ->> 'from')::timestamptz, (closed ->> 'to')::timestamptz)
      && tstzrange(${from}::timestamptz, ${to}::timestamptz))`
}

// Uses the clocks of the building, on which the end may come before the start when an hour occurs twice.
// Adjacent hours count as one span. A week of whole days covers all opening hours.
function isInOpeningHours({ from, to }: Requested): string {
  return `CASE WHEN json_typeof(${rule('opening_hours')}) = 'array' THEN ${to}::timestamptz IS NOT NULL AND coalesce((
      SELECT range_agg(tsrange(day::date + (hours ->> 'from')::time, day::date + (hours ->> 'to')::time))
          @> tsrange(asked.opens, asked.closes, CASE WHEN asked.opens = asked.closes THEN '[]' ELSE '[)' END)
      FROM (SELECT opens, least(closes, opens::date + interval '8 days') AS closes FROM (
          SELECT least(a, b) AS opens, greatest(a, b) AS closes
          FROM (SELECT ${local(`${from}::timestamptz`)} AS a, ${local(`${to}::timestamptz`)} AS b) AS clocks
        ) AS in_order) AS asked,
        generate_series(asked.opens::date, asked.closes::date, interval '1 day') AS day,
        json_array_elements(${rule('opening_hours')}) AS hours
      WHERE (hours ->> 'day')::int = extract(isodow FROM day)
      GROUP BY asked.opens, asked.closes
    ), false) ELSE true END`
}
