// Queries for a place's own rules, for its effective rules with the place that sets each rule, and for names
// of groups.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { PlaceRules, Rules } from '../../../../shared/rules/rules.ts'
import {
  placeRulesJson,
  type RulePlace,
  ruleRowsSql,
  rulesVersionFields,
} from '../../../../shared/rules/rules-shape.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { numberColumn, selectRows, textColumn } from '../../../reads/rows/rows.ts'
import { findUsers, type UserChoice } from '../../pages/search/choices.ts'

export type RulesOfPlace = {
  name: string
  zone: string
  version: string
  building: number
  /** The search words that find the place's bookings in its building; null means all bookings in the building. */
  place: string | null
  rules: PlaceRules
}

export const missingPlace = message`This place does not exist, or it has been deleted.`

const SEARCH_WORD_COLUMNS = {
  buildings: 'CAST(NULL AS text)',
  locations: 'locations.name',
  bookables: "bookables.name || ' ' || locations.name",
}

export async function requireRules(reads: pg.Pool, place: RulePlace, id: number): Promise<RulesOfPlace> {
  const present = place === 'bookables' ? 'AND bookables.deleted_at IS NULL' : ''
  const { rows } = await reads.query<RulesOfPlace>(
    `SELECT ${place}.name, buildings.timezone AS zone, ${versionSql(rulesVersionFields[place])} AS version,
       buildings.id AS building, ${SEARCH_WORD_COLUMNS[place]} AS place,
       CAST(${placeRulesJson(place)} AS json) AS rules
     FROM ${ruleRowsSql(place)} WHERE ${place}.id = $1 ${present}`,
    [id],
  )
  const [found] = rows
  if (!found) throw new Refusal('not_found', missingPlace)
  return found
}

/** The names of groups, and the people, by id. */
export type RuleNames = { groups: Map<number, string>; people: Map<number, UserChoice> }

export async function findRuleNames(
  reads: pg.Pool,
  { group_ids, approvers, book_for_others }: Rules,
): Promise<RuleNames> {
  const ids = [group_ids, approvers?.group_ids, book_for_others?.group_ids].flatMap((each) => each ?? [])
  const [groups, people] = await Promise.all([
    findGroupNames(reads, ids),
    findUsers(reads, approvers?.user_ids ?? []),
  ])
  return { groups, people: new Map(people.map((each) => [each.id, each])) }
}

async function findGroupNames(reads: pg.Pool, ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const columns = { id: numberColumn('id'), name: textColumn('name') }
  const found = await selectRows(reads, columns, 'groups WHERE id = ANY($1)', [ids])
  return new Map(found.map(({ id, name }) => [id, name]))
}

export async function findGroupIds(reads: pg.Pool, names: string[]): Promise<Map<string, number>> {
  const { rows } = await reads.query<{ id: number; name: string }>(
    'SELECT id, name FROM groups WHERE name = ANY($1)',
    [names],
  )
  return new Map(rows.map(({ id, name }) => [name, id]))
}
