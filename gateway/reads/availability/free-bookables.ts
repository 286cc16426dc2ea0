// SQL that finds the bookables that a user may book at a time. The statement checks the requested places, who
// may book, and the rules of each place.
import { isTakenSql } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { isLentSql } from '../../../shared/loans/loans-shape.ts'
import { JOIN_BUILDINGS_SQL } from '../../../shared/locations/locations.ts'
import type { RuleName } from '../../../shared/rules/rules.ts'
import { rulesAllowSql } from '../../../shared/rules/rules-shape.ts'
import { nameSqlParameters } from '../rows/parameters.ts'

/** The search parameters for free bookables, in order. Statements append their own parameters. */
export const FREE_SEARCH_PARAMETERS = [
  'building',
  'location',
  'user',
  'from',
  'to',
  'type',
  'tags',
  'capacity',
] as const
export const { sql: FREE_PARAMETERS, values: freeValues } = nameSqlParameters(...FREE_SEARCH_PARAMETERS)

const { flexible, blocked } = BOOKABLE_STATUSES
const { building, location, user, from, to, type, tags, capacity } = FREE_PARAMETERS

export const optionalConditionSql = (value: string, condition: string) => `(${value} IS NULL OR ${condition})`

const IS_IN_PLACES_SQL = `bookables.location_id = ANY (ARRAY(
  SELECT id FROM locations
  WHERE ${optionalConditionSql(`${building}::bigint`, `locations.building_id = ${building}`)}
    AND ${optionalConditionSql(`${location}::bigint`, `locations.id = ${location}`)}))`

const IS_FOR_USER_SQL = `
  (bookables.status = ${flexible} OR EXISTS (
    SELECT FROM bookable_assignees
    WHERE bookable_assignees.bookable_id = bookables.id AND bookable_assignees.user_id = ${user})
    OR ${isLentSql('bookables.id', `${from}::timestamptz`, `${to}::timestamptz`)})`

const HAS_VEHICLE_SQL = `
  (NOT bookables.requires_vehicle OR EXISTS (SELECT FROM vehicles WHERE vehicles.user_id = ${user}))`

type FreeBookablesQuery = {
  columns: string
  /** SQL for the bookables to search, including the tables that are joined. */
  among: string
  order: string
  /** The name of a rule that is ignored. */
  except?: RuleName
  /** Whether the user enters a vehicle while booking, and so does not need one yet. */
  addsVehicle?: boolean
}

// Selects the candidates, sorted like the response (OFFSET 0), so that a page is complete before the remaining
// candidates are checked for claims.
const candidatesSql = ({ columns, among, order, addsVehicle }: FreeBookablesQuery) => `
  SELECT ${columns} FROM ${among}
  WHERE ${IS_IN_PLACES_SQL}
    AND bookables.deleted_at IS NULL
    AND bookables.status <> ${blocked}
    AND ${optionalConditionSql(`${type}::int`, `bookables.type = ${type}`)}
    AND ${optionalConditionSql(`${tags}::text[]`, `bookables.tags @> ${tags}`)}
    AND ${optionalConditionSql(`${capacity}::int`, `bookables.capacity >= ${capacity}`)}
    AND ${optionalConditionSql(`${user}::bigint`, addsVehicle ? IS_FOR_USER_SQL : `${IS_FOR_USER_SQL} AND ${HAS_VEHICLE_SQL}`)}
  ORDER BY ${order} OFFSET 0`

// Most bookables of a place share their rules with others, so each distinct set of rules is evaluated once, not once
// for each of 5,000 bookables. Inside CASE, the subquery remains a set that Postgres builds when it first needs it;
// otherwise it would become a join.
const allowedSql = (
  except?: RuleName,
) => `CASE WHEN bookables.rules IS NULL AND locations.rules IS NULL AND buildings.rules IS NULL THEN true
  ELSE (bookables.location_id, bookables.type, coalesce(bookables.rules::text, '')) IN (
    SELECT bookables.location_id, bookables.type, coalesce(bookables.rules::text, '')
    FROM (
      SELECT location_id, type, nullif(own, '')::json AS rules
      FROM (
        SELECT DISTINCT location_id, type, coalesce(rules::text, '') AS own FROM bookables
        WHERE ${IS_IN_PLACES_SQL} AND deleted_at IS NULL
      ) AS different
    ) AS bookables
    ${JOIN_BUILDINGS_SQL}
    WHERE ${rulesAllowSql({ user, from, to, now: 'now()' }, except)}
  ) END`

/** Returns the SQL after FROM of a statement that finds free bookables. Its parameters are
 * FREE_SEARCH_PARAMETERS, where null means not given. */
export const freeBookablesSql = (query: FreeBookablesQuery) => `
  (${candidatesSql(query)}) AS bookables
  ${JOIN_BUILDINGS_SQL}
  WHERE ${allowedSql(query.except)} AND NOT ${isTakenSql(from, to)}`
