// The rules of a place as the API shows them: those set at the place, those in force there, and where each
// comes from.

import type * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { type JsonSql, json, number, objectJson, text } from '../schemas/json.ts'
import { BOOKING_RULES, CLOSED } from './booking-rules.ts'
import { HOME_OFFICE } from './closed.ts'
import type { OpeningHours } from './opening-hours.ts'
import { type PlaceRules, RULE_NAMES, type RuleName, type RuleSource } from './rules.ts'

const TYPES = { bookables: 'bookable', locations: 'location', buildings: 'building' }
export type RulePlace = keyof typeof TYPES

/** The place and those above it, nearest first, and the rows to read them from. */
const PLACES: Record<RulePlace, { nearest: RulePlace[]; rows: string }> = {
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

/** SQL: whether a bookable is closed when this place is. Who works at home does not need the building. */
export const isClosedBy = (place: RulePlace) =>
  place === 'bookables' ? 'true' : `bookables.type <> ${HOME_OFFICE}`

/** What a form with the rules of a place was filled from. */
export const rulesVersion = {
  buildings: 'building-rules',
  locations: 'location-rules',
  bookables: 'bookable-rules',
} as const

export const ruleRows = (place: RulePlace) => PLACES[place].rows

/** SQL: the row of the place $1, with the places around it. */
export const thePlace = (place: RulePlace) =>
  `${ruleRows(place)} WHERE ${place}.id = $1 ${place === 'bookables' ? 'AND bookables.deleted_at IS NULL' : ''}`

export function placeRulesJson(place: RulePlace): JsonSql<PlaceRules> {
  const { nearest } = PLACES[place]
  const effective = RULE_NAMES.map((name) => [name, effectiveJson(nearest, name)])
  return objectJson<PlaceRules>({
    own: json(`coalesce(${place}.rules, '{}')`),
    effective: objectJson<PlaceRules['effective']>(Object.fromEntries(effective)),
    closed: closedJson(nearest),
  })
}

const valueInForce = (nearest: RulePlace[], name: RuleName) =>
  `coalesce(${nearest.map((row) => `${row}.rules -> '${name}'`).join(', ')})`

/** SQL: the JSON of a rule that is in force at a place; null if there is none. */
export const ruleInForce = (place: RulePlace, name: RuleName) => valueInForce(PLACES[place].nearest, name)

/** What a single building, location or bookable shows of its clocks. */
export const placeTimes = {
  timezone: answer.text('The IANA time zone name of the building.'),
  opening_hours: BOOKING_RULES.opening_hours.answer.nullable().meta({
    description: 'The opening hours in force here, including inherited ones; null if there are none.',
  }) as yup.Schema<OpeningHours | null>,
}

export const placeTimesJson = (place: RulePlace) => ({
  timezone: 'buildings.timezone',
  opening_hours: json<OpeningHours | null>(ruleInForce(place, 'opening_hours')),
})

function effectiveJson(nearest: RulePlace[], name: RuleName) {
  const sources = nearest.map((row) => `WHEN ${row}.rules -> '${name}' IS NOT NULL THEN ${sourceJson(row)}`)
  return objectJson<PlaceRules['effective'][RuleName]>({
    value: json(valueInForce(nearest, name)),
    source: json(`CASE ${sources.join(' ')} END`),
  })
}

// Of two entries for the same time, the one of the outer place comes first, so that answers are stable.
function closedJson(nearest: RulePlace[]) {
  const each = nearest.toReversed().map(
    (row, depth) => `SELECT closed, ${sourceJson(row)} AS source, ${depth} AS depth
      FROM json_array_elements(coalesce(${row}.rules -> 'closed', '[]')) AS closed
      WHERE ${nearest[0] === 'bookables' ? isClosedBy(row) : 'true'}`,
  )
  const members = ['from', 'to', 'reason'].map((name) => `'${name}', closed -> '${name}'`)
  return json<PlaceRules['closed']>(`(
    SELECT coalesce(json_agg(json_build_object(${members.join(', ')}, 'source', source::json)
      ORDER BY closed ->> 'from', closed ->> 'to', depth), '[]')
    FROM (${each.join(' UNION ALL ')}) AS every)`)
}

const sourceJson = (row: RulePlace) =>
  objectJson<RuleSource>({
    type: text(`'${TYPES[row]}'::text`),
    id: number(`${row}.id`),
    name: text(`${row}.name`),
  })

// A null of a nearer place also hides the outer ones.
const nearestValue = (name: string) =>
  `coalesce(bookables.rules -> '${name}', locations.rules -> '${name}', buildings.rules -> '${name}')`

const CLOSED_TIMES = (['bookables', 'locations', 'buildings'] as const)
  .map(
    (place) => `SELECT json_array_elements(${place}.rules -> 'closed') AS closed WHERE ${isClosedBy(place)}`,
  )
  .join(' UNION ALL ')

/**
 * SQL, for rows of bookables joined with locations and buildings: `closed`, until when and why one is closed at a moment
 * (null: it is not), and `closes`, when it is next. Most have no rules, and then nothing is read.
 */
export const closingAt = (moment: string) => `
  SELECT min(begins) FILTER (WHERE begins > ${moment}) AS closes,
    (array_agg(json_build_object('to', to_json(ends), 'reason', closed -> 'reason') ORDER BY ends DESC)
      FILTER (WHERE begins <= ${moment}))[1] AS closed
  FROM (
    SELECT closed, (closed ->> 'from')::timestamptz AS begins, (closed ->> 'to')::timestamptz AS ends
    FROM (${CLOSED_TIMES}) AS every
    WHERE bookables.rules IS NOT NULL OR locations.rules IS NOT NULL OR buildings.rules IS NOT NULL
  ) AS times
  WHERE ends > ${moment}`

/**
 * SQL, for rows of bookables joined with locations and buildings: why and until when (`until`) one is closed at some time of this
 * range; no row if it is not. Of several closed times it is the one that ends last.
 */
export const closedDuring = (range: string) => `
  SELECT closed ->> 'reason' AS reason, (closed ->> 'to')::timestamptz AS until
  FROM (${CLOSED_TIMES}) AS every
  WHERE tstzrange((closed ->> 'from')::timestamptz, (closed ->> 'to')::timestamptz) && ${range}
  ORDER BY until DESC LIMIT 1`

/**
 * For rows of bookables joined with locations and buildings. Most have no rules, and then nothing is checked.
 * `to` may be null for no end, and `user` for any user. The rule named `except` is not asked.
 */
export function rulesAllow(
  { user, from, to, now }: Record<'user' | 'from' | 'to' | 'now', string>,
  except?: RuleName,
): string {
  const requested = {
    user: `${user}::bigint`,
    from: `${from}::timestamptz`,
    to: `${to}::timestamptz`,
    now: `${now}::timestamptz`,
    local: (moment: string) => `timezone(buildings.timezone, ${moment})`,
  }
  const conditions = Object.entries(BOOKING_RULES).flatMap(([name, rule]) => {
    if (name === except || !('allows' in rule)) return []
    const value = nearestValue(name)
    return `CASE WHEN ${value} #>> '{}' IS NULL THEN true ELSE ${rule.allows(value, requested)} END`
  })
  return `CASE WHEN bookables.rules IS NULL AND locations.rules IS NULL AND buildings.rules IS NULL THEN true
    ELSE ${[...conditions, CLOSED.allows(CLOSED_TIMES, requested)].join(' AND ')} END`
}
