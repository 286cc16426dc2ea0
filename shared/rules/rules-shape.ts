// The rules of a place as the API shows them: the rules set at the place, the rules in force there, and the place that
// each rule in force comes from.

import type * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { type JsonSql, json, number, objectJson, text } from '../schemas/json.ts'
import { BOOKING_RULES, CLOSED_TIMES_RULE } from './booking-rules.ts'
import { HOME_OFFICE_TYPE } from './closed-times.ts'
import type { OpeningHours } from './opening-hours.ts'
import { type PlaceRules, RULE_NAMES, type RuleName, type RuleSource } from './rules.ts'

const PLACE_TYPES = { bookables: 'bookable', locations: 'location', buildings: 'building' }
export type RulePlace = keyof typeof PLACE_TYPES

/** The places around each kind of place, nearest first and including the place itself, with SQL for the rows
 * to read them from. */
const PLACES_BY_TABLE: Record<RulePlace, { nearest: RulePlace[]; rows: string }> = {
  bookables: {
    nearest: ['bookables', 'locations', 'buildings'],
    rows: `bookables JOIN locations ON locations.id = bookables.location_id
      JOIN buildings ON buildings.id = locations.building_id`,
  },
  locations: {
    nearest: ['locations', 'buildings'],
    rows: 'locations JOIN buildings ON buildings.id = locations.building_id',
  },
  buildings: { nearest: ['buildings'], rows: 'buildings' },
}

/** SQL condition that the bookable is closed when this place is closed. Home offices stay open, because
 * people who work at home do not need the building. */
export const isClosedBySql = (place: RulePlace) =>
  place === 'bookables' ? 'true' : `bookables.type <> ${HOME_OFFICE_TYPE}`

/** The version of the rules from which a form was filled. */
export const rulesVersionFields = {
  buildings: 'building-rules',
  locations: 'location-rules',
  bookables: 'bookable-rules',
} as const

export const ruleRowsSql = (place: RulePlace) => PLACES_BY_TABLE[place].rows

/** SQL for the row of the place with the id $1, joined with the places around that place. */
export const placeWithIdSql = (place: RulePlace) =>
  `${ruleRowsSql(place)} WHERE ${place}.id = $1 ${place === 'bookables' ? 'AND bookables.deleted_at IS NULL' : ''}`

export function placeRulesJson(place: RulePlace): JsonSql<PlaceRules> {
  const { nearest } = PLACES_BY_TABLE[place]
  const effective = RULE_NAMES.map((name) => [name, effectiveJson(nearest, name)])
  return objectJson<PlaceRules>({
    own: json(`coalesce(${place}.rules, '{}')`),
    effective: objectJson<PlaceRules['effective']>(Object.fromEntries(effective)),
    closed: closedJson(nearest),
  })
}

const valueInForceSql = (nearest: RulePlace[], name: RuleName) =>
  `coalesce(${nearest.map((row) => `${row}.rules -> '${name}'`).join(', ')})`

/** SQL for the JSON of a rule that is in force at a place, or null if there is none. */
export const ruleInForceSql = (place: RulePlace, name: RuleName) =>
  valueInForceSql(PLACES_BY_TABLE[place].nearest, name)

/** The fields about times that the API shows for a single building, location or bookable. */
export const placeTimeFields = {
  timezone: answer.text('The IANA time zone name of the building.'),
  opening_hours: BOOKING_RULES.opening_hours.answer.nullable().meta({
    description: 'The opening hours in force here, including inherited ones; null if there are none.',
  }) as yup.Schema<OpeningHours | null>,
}

export const placeTimesJson = (place: RulePlace) => ({
  timezone: 'buildings.timezone',
  opening_hours: json<OpeningHours | null>(ruleInForceSql(place, 'opening_hours')),
})

function effectiveJson(nearest: RulePlace[], name: RuleName) {
  const sources = nearest.map((row) => `WHEN ${row}.rules -> '${name}' IS NOT NULL THEN ${sourceJson(row)}`)
  return objectJson<PlaceRules['effective'][RuleName]>({
    value: json(valueInForceSql(nearest, name)),
    source: json(`CASE ${sources.join(' ')} END`),
  })
}

// Closed times of the same period are sorted from the outer to the inner place, so that responses are stable.
function closedJson(nearest: RulePlace[]) {
  const each = nearest.toReversed().map(
    (row, depth) => `SELECT closed, ${sourceJson(row)} AS source, ${depth} AS depth
      FROM json_array_elements(coalesce(${row}.rules -> 'closed', '[]')) AS closed
      WHERE ${nearest[0] === 'bookables' ? isClosedBySql(row) : 'true'}`,
  )
  const members = ['from', 'to', 'reason'].map((name) => `'${name}', closed -> '${name}'`)
  return json<PlaceRules['closed']>(`(
    SELECT coalesce(json_agg(json_build_object(${members.join(', ')}, 'source', source::json)
      ORDER BY closed ->> 'from', closed ->> 'to', depth), '[]')
    FROM (${each.join(' UNION ALL ')}) AS every)`)
}

const sourceJson = (row: RulePlace) =>
  objectJson<RuleSource>({
    type: text(`'${PLACE_TYPES[row]}'::text`),
    id: number(`${row}.id`),
    name: text(`${row}.name`),
  })

// A null at a nearer place hides the values of the places around that place.
const nearestValueSql = (name: string) =>
  `coalesce(bookables.rules -> '${name}', locations.rules -> '${name}', buildings.rules -> '${name}')`

const CLOSED_TIMES_SQL = (['bookables', 'locations', 'buildings'] as const)
  .map(
    (place) =>
      `SELECT json_array_elements(${place}.rules -> 'closed') AS closed WHERE ${isClosedBySql(place)}`,
  )
  .join(' UNION ALL ')

/**
 * SQL for rows of bookables joined with locations and buildings. At the given moment, `closed` says until when and why
 * a bookable is closed (null if it is open), and `closes` says when it closes next. Most bookables have no rules, so
 * Postgres reads nothing for them.
 */
export const closingAtSql = (moment: string) => `
  SELECT min(begins) FILTER (WHERE begins > ${moment}) AS closes,
    (array_agg(json_build_object('to', to_json(ends), 'reason', closed -> 'reason') ORDER BY ends DESC)
      FILTER (WHERE begins <= ${moment}))[1] AS closed
  FROM (
    SELECT closed, (closed ->> 'from')::timestamptz AS begins, (closed ->> 'to')::timestamptz AS ends
    FROM (${CLOSED_TIMES_SQL}) AS every
    WHERE bookables.rules IS NOT NULL OR locations.rules IS NOT NULL OR buildings.rules IS NOT NULL
  ) AS times
  WHERE ends > ${moment}`

/**
 * SQL for rows of bookables joined with locations and buildings: why and until when (`until`) a bookable is closed at
 * some time in this range. Returns no row if the bookable is open throughout. If there are several closed times,
 * returns the one that ends last.
 */
export const closedDuringSql = (range: string) => `
  SELECT closed ->> 'reason' AS reason, (closed ->> 'to')::timestamptz AS until
  FROM (${CLOSED_TIMES_SQL}) AS every
  WHERE tstzrange((closed ->> 'from')::timestamptz, (closed ->> 'to')::timestamptz) && ${range}
  ORDER BY until DESC LIMIT 1`

/**
 * SQL condition for rows of bookables joined with locations and buildings: the rules allow a booking. Most bookables
 * have no rules, so Postgres checks nothing for them. `to` may be null for a booking without an end, and `user` may be
 * null for any user. Skips the rule named `except`.
 */
export function rulesAllowSql(
  { user, from, to, now }: Record<'user' | 'from' | 'to' | 'now', string>,
  except?: RuleName,
): string {
  const requested = {
    user: `${user}::bigint`,
    from: `${from}::timestamptz`,
    to: `${to}::timestamptz`,
    now: `${now}::timestamptz`,
    slots: nearestValueSql('slots'),
    local: (moment: string) => `timezone(buildings.timezone, ${moment})`,
  }
  const conditions = Object.entries(BOOKING_RULES).flatMap(([name, rule]) => {
    if (name === except || !('allows' in rule)) return []
    const value = nearestValueSql(name)
    return `CASE WHEN ${value} #>> '{}' IS NULL THEN true ELSE ${rule.allows(value, requested)} END`
  })
  return `CASE WHEN bookables.rules IS NULL AND locations.rules IS NULL AND buildings.rules IS NULL THEN true
    ELSE ${[...conditions, CLOSED_TIMES_RULE.allows(CLOSED_TIMES_SQL, requested)].join(' AND ')} END`
}
