// Queries for a place's own rules, its effective rules with where each is set, and for names of groups.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import type { PlaceRules, Rules } from '../../../../shared/rules/rules.ts'
import {
  placeRulesJson,
  type RulePlace,
  ruleRows,
  rulesVersion,
} from '../../../../shared/rules/rules-shape.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'

export type RulesOfPlace = {
  name: string
  zone: string
  version: string
  building: number
  /** Words that find its bookings in the building; null: all. */
  place: string | null
  rules: PlaceRules
}

export const missingPlace = message`This place does not exist, or it has been deleted.`

const WORDS = {
  buildings: 'CAST(NULL AS text)',
  locations: 'locations.name',
  bookables: "bookables.name || ' ' || locations.name",
}

export async function requireRules(reads: pg.Pool, place: RulePlace, id: number): Promise<RulesOfPlace> {
  const present = place === 'bookables' ? 'AND bookables.deleted_at IS NULL' : ''
  const { rows } = await reads.query<RulesOfPlace>(
    `SELECT ${place}.name, buildings.timezone AS zone, ${versionSql(rulesVersion[place])} AS version,
       buildings.id AS building, ${WORDS[place]} AS place,
       CAST(${placeRulesJson(place)} AS json) AS rules
     FROM ${ruleRows(place)} WHERE ${place}.id = $1 ${present}`,
    [id],
  )
  const [found] = rows
  if (!found) throw new Refusal('not_found', missingPlace)
  return found
}

/** The names of groups and e-mails of people, by id. */
export type RuleNames = Record<'groups' | 'people', Map<number, string>>

export async function findNames(reads: pg.Pool, { group_ids, approvers }: Rules): Promise<RuleNames> {
  const find = async (table: 'groups' | 'users', ids: number[]) => {
    if (ids.length === 0) return new Map<number, string>()
    const { rows } = await reads.query<{ id: number; name: string }>(
      `SELECT id, ${table === 'users' ? 'email' : 'name'} AS name FROM ${table} WHERE id = ANY($1) ORDER BY id`,
      [ids],
    )
    return new Map(rows.map(({ id, name }) => [id, name]))
  }
  const [groups, people] = await Promise.all([
    find('groups', [...(group_ids ?? []), ...(approvers?.group_ids ?? [])]),
    find('users', approvers?.user_ids ?? []),
  ])
  return { groups, people }
}

/** By e-mail in small letters. */
export async function findUserIds(reads: pg.Pool, emails: string[]): Promise<Map<string, number>> {
  if (emails.length === 0) return new Map()
  const { rows } = await reads.query<{ id: number; email: string }>(
    'SELECT id, lower(email) AS email FROM users WHERE lower(email) = ANY($1) AND deactivated_at IS NULL',
    [emails.map((email) => email.toLowerCase())],
  )
  return new Map(rows.map(({ id, email }) => [email, id]))
}

export async function findGroupIds(reads: pg.Pool, names: string[]): Promise<Map<string, number>> {
  const { rows } = await reads.query<{ id: number; name: string }>(
    'SELECT id, name FROM groups WHERE name = ANY($1)',
    [names],
  )
  return new Map(rows.map(({ id, name }) => [name, id]))
}
