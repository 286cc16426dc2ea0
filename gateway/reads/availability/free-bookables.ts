// What is free for a user at a time, as SQL: the places asked for, who may book, and the rules of each place.
import { isTaken } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { WITH_BUILDINGS } from '../../../shared/locations/locations.ts'
import type { RuleName } from '../../../shared/rules/rules.ts'
import { rulesAllow } from '../../../shared/rules/rules-shape.ts'
import { parameters } from '../rows/parameters.ts'

/** The search values for free bookables, in the order of the parameters. Statements append their own values. */
export const FREE_SEARCH = ['building', 'location', 'user', 'from', 'to', 'type', 'tags', 'capacity'] as const
export const { sql: FREE_PARAMETERS, values: freeValues } = parameters(...FREE_SEARCH)

const { flexible, blocked } = BOOKABLE_STATUSES
const { building, location, user, from, to, type, tags, capacity } = FREE_PARAMETERS

export const whereGiven = (value: string, condition: string) => `(${value} IS NULL OR ${condition})`

const IN_PLACES = `bookables.location_id = ANY (ARRAY(
  SELECT id FROM locations
  WHERE ${whereGiven(`${building}::bigint`, `locations.building_id = ${building}`)}
    AND ${whereGiven(`${location}::bigint`, `locations.id = ${location}`)}))`

const IS_FOR_USER = `
  (bookables.status = ${flexible} OR EXISTS (
    SELECT FROM bookable_assignees
    WHERE bookable_assignees.bookable_id = bookables.id AND bookable_assignees.user_id = ${user}))`

const HAS_VEHICLE = `
  (NOT bookables.requires_vehicle OR EXISTS (SELECT FROM vehicles WHERE vehicles.user_id = ${user}))`

type Query = {
  columns: string
  /** The bookables, and what is joined to them. */
  among: string
  order: string
  /** This rule is not applied. */
  except?: RuleName
  /** The user enters a vehicle while booking, so they need none before. */
  addsVehicle?: boolean
}

// In the order of the answer (OFFSET 0), so that a page is complete before the rest is checked for claims.
const candidates = ({ columns, among, order, addsVehicle }: Query) => `
  SELECT ${columns} FROM ${among}
  WHERE ${IN_PLACES}
    AND bookables.deleted_at IS NULL
    AND bookables.status <> ${blocked}
    AND ${whereGiven(`${type}::int`, `bookables.type = ${type}`)}
    AND ${whereGiven(`${tags}::text[]`, `bookables.tags @> ${tags}`)}
    AND ${whereGiven(`${capacity}::int`, `bookables.capacity >= ${capacity}`)}
    AND ${whereGiven(`${user}::bigint`, addsVehicle ? IS_FOR_USER : `${IS_FOR_USER} AND ${HAS_VEHICLE}`)}
  ORDER BY ${order} OFFSET 0`

// Most bookables of a place share their rules with others, so each distinct set of rules is evaluated once,
// not once for each of 5,000 bookables. Inside CASE this stays a set, built when it is first needed, and does
// not become a join.
const allowed = (
  except?: RuleName,
) => `CASE WHEN bookables.rules IS NULL AND locations.rules IS NULL AND buildings.rules IS NULL THEN true
  ELSE (bookables.location_id, bookables.type, coalesce(bookables.rules::text, '')) IN (
    SELECT bookables.location_id, bookables.type, coalesce(bookables.rules::text, '')
    FROM (
      SELECT location_id, type, nullif(own, '')::json AS rules
      FROM (
        SELECT DISTINCT location_id, type, coalesce(rules::text, '') AS own FROM bookables
        WHERE ${IN_PLACES} AND deleted_at IS NULL
      ) AS different
    ) AS bookables
    ${WITH_BUILDINGS}
    WHERE ${rulesAllow({ user, from, to, now: 'now()' }, except)}
  ) END`

/** What follows FROM in a statement that finds what is free. Its parameters are FREE_SEARCH, null if not given. */
export const freeBookablesSql = (query: Query) => `
  (${candidates(query)}) AS bookables
  ${WITH_BUILDINGS}
  WHERE ${allowed(query.except)} AND NOT ${isTaken(from, to)}`
