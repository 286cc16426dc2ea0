// Queries for users in the dashboard.
import type pg from 'pg'
import { eachText, OPTIONAL_TEXTS } from '../../../../shared/imports/user-columns.ts'
import { message } from '../../../../shared/messages/message.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { likePattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { column, instant, list, number, orNull, text } from '../../../reads/rows/rows.ts'
import { type Listed, type Slice, toListed, totalSql } from '../../../reads/rows/slices.ts'
import { findCandidates } from '../../../reads/rows/user-texts.ts'
import { type Order, orderSql } from '../../pages/ui/sorting.ts'

export const missingUser = message`This person does not exist or has been erased.`

const USER = {
  id: number('users.id'),
  name: text('users.name'),
  email: text('users.email'),
  ...eachText(OPTIONAL_TEXTS, (name) => orNull(text(`users.${name}`))),
  deactivatedAt: orNull(instant('users.deactivated_at')),
  groups: column<string[]>(`ARRAY(SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id
    WHERE group_members.user_id = users.id ORDER BY ${naturalSql('groups.name')})`),
  plates: column<string[]>(`ARRAY(SELECT license_plate FROM vehicles
    WHERE vehicles.user_id = users.id ORDER BY ${naturalSql('license_plate')})`),
}
export type UserRow = rows.RowOf<typeof USER>

const DETAILS = {
  ...USER,
  attributes: column<Record<string, string>>('users.extension_attributes'),
  createdAt: instant('users.created_at'),
  updatedAt: instant('users.updated_at'),
  version: text(versionSql('users')),
  vehicles: list(
    { id: number('vehicles.id'), license_plate: text('license_plate') },
    'vehicles WHERE vehicles.user_id = users.id',
    naturalSql('license_plate'),
  ),
}
export type User = rows.RowOf<typeof DETAILS>

export const findUser = (reads: pg.Pool, id: number): Promise<User | undefined> =>
  rows.selectRow(reads, DETAILS, 'users WHERE users.id = $1 AND NOT users.is_anonymous', [id])

type UserSearch = {
  search: string | undefined
  state: 'active' | 'deactivated' | 'all'
  group: number | undefined
}

const STATES = {
  active: 'users.deactivated_at IS NULL',
  deactivated: 'users.deactivated_at IS NOT NULL',
  all: 'true',
}

export const USER_ORDERS = { name: 'lower(users.name)', email: 'lower(users.email)' }

export async function listUsers(
  reads: pg.Pool,
  { search, state, group }: UserSearch,
  { offset, limit }: Slice,
  { key, isDescending }: Order<keyof typeof USER_ORDERS>,
): Promise<Listed<UserRow>> {
  const conditions = new rows.SqlConditions()
  conditions.add(`NOT users.is_anonymous AND ${STATES[state]}`)
  if (group !== undefined) conditions.add(isMember(`groups.id = ${conditions.bind(group)}`))
  if (search !== undefined) conditions.add(await matches(reads, search, conditions))
  // A search first finds the users, then counts and orders them: with the index of names, Postgres would walk
  // through all users to find a few. Without a search, that index is what makes it fast.
  const fence = search !== undefined || group !== undefined ? 'MATERIALIZED' : 'NOT MATERIALIZED'
  const bySorted = { key: 'sorted', isDescending } as const
  const found = await reads.query<UserRow & { total: number }>(
    `WITH found AS ${fence} (
       SELECT users.id, ${USER_ORDERS[key]} AS sorted FROM users WHERE ${conditions.sql}
     )
     SELECT ${rows.columnsSql(USER)}, ${totalSql('found')} AS total
     FROM (
       SELECT id, sorted FROM found
       ORDER BY ${orderSql({ sorted: 'sorted' }, bySorted, 'id')} LIMIT ${limit} OFFSET ${offset}
     ) AS shown
     JOIN users ON users.id = shown.id
     ORDER BY ${orderSql({ sorted: 'shown.sorted' }, bySorted, 'shown.id')}`,
    conditions.values,
  )
  return toListed(found.rows)
}

// Matches if all words are in the name, the e-mail or the UPN, or if the whole search is in a plate or a
// group's name.
async function matches(reads: pg.Pool, search: string, conditions: rows.SqlConditions): Promise<string> {
  const lower = search.toLowerCase()
  const words = rows.wordsOf(lower)
  const plate = lower.replace(/\s+/g, '')
  const found = await findCandidates(reads, words, [plate])
  const group = `lower(groups.name) LIKE ${conditions.bind(likePattern(lower))}`
  const ids = found === undefined ? undefined : `${conditions.bind(found)}::bigint[]`
  const vehicles = ids ? `vehicles WHERE user_id = ANY (${ids}) AND` : 'vehicles WHERE'
  const all = `(
    lower(users.name || ' ' || users.email || ' ' || coalesce(users.upn, '')) LIKE ALL (${conditions.bind(words.map(likePattern))}::text[])
    OR users.id IN (SELECT user_id FROM ${vehicles} lower(replace(license_plate, ' ', '')) LIKE ${conditions.bind(likePattern(plate))})
    OR ${isMember(group)})`
  return ids ? `users.id = ANY (${ids} || ARRAY(${membersOf(group)})) AND ${all}` : all
}

const membersOf = (condition: string) =>
  `SELECT user_id FROM group_members JOIN groups ON groups.id = group_id WHERE ${condition}`

const isMember = (condition: string) => `users.id IN (${membersOf(condition)})`

/** The extension attributes in use, judged by a thousand users. */
export async function listAttributes(reads: pg.Pool): Promise<string[]> {
  const found = await rows.selectRows(
    reads,
    { name: text('DISTINCT jsonb_object_keys(extension_attributes)') },
    '(SELECT extension_attributes FROM users WHERE deactivated_at IS NULL LIMIT 1000) AS first',
  )
  return found.map(({ name }) => name)
}
