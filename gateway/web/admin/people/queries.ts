// Queries for users in the dashboard.
import type pg from 'pg'
import { mapTextFields, OPTIONAL_TEXTS } from '../../../../shared/imports/user-columns.ts'
import { message } from '../../../../shared/messages/message.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { isPersonSql } from '../../../../shared/users/unknown-organizer.ts'
import { toLikePattern } from '../../../reads/rows/like-patterns.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  column,
  instantColumn,
  listColumn,
  nullableColumn,
  numberColumn,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { type RowsWithTotal, type Slice, toRowsWithTotal, totalSql } from '../../../reads/rows/slices.ts'
import { findUserCandidates } from '../../../reads/rows/user-texts.ts'
import { type Order, orderSql } from '../../pages/ui/sorting.ts'

export const missingUser = message`This person does not exist or has been erased.`

const USER_COLUMNS = {
  id: numberColumn('users.id'),
  name: textColumn('users.name'),
  email: textColumn('users.email'),
  ...mapTextFields(OPTIONAL_TEXTS, (name) => nullableColumn(textColumn(`users.${name}`))),
  deactivatedAt: nullableColumn(instantColumn('users.deactivated_at')),
  groups: column<string[]>(`ARRAY(SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id
    WHERE group_members.user_id = users.id ORDER BY ${naturalSql('groups.name')})`),
  plates: column<string[]>(`ARRAY(SELECT license_plate FROM vehicles
    WHERE vehicles.user_id = users.id ORDER BY ${naturalSql('license_plate')})`),
}
export type UserRow = rows.RowOf<typeof USER_COLUMNS>

const USER_DETAIL_COLUMNS = {
  ...USER_COLUMNS,
  attributes: column<Record<string, string>>('users.extension_attributes'),
  createdAt: instantColumn('users.created_at'),
  updatedAt: instantColumn('users.updated_at'),
  version: textColumn(versionSql('users')),
  vehicles: listColumn(
    { id: numberColumn('vehicles.id'), license_plate: textColumn('license_plate') },
    'vehicles WHERE vehicles.user_id = users.id',
    naturalSql('license_plate'),
  ),
}
export type UserDetails = rows.RowOf<typeof USER_DETAIL_COLUMNS>

export const findUser = (reads: pg.Pool, id: number): Promise<UserDetails | undefined> =>
  rows.selectRow(reads, USER_DETAIL_COLUMNS, `users WHERE users.id = $1 AND ${isPersonSql()}`, [id])

type UserSearch = {
  search: string | undefined
  state: 'active' | 'deactivated' | 'all'
  group: number | undefined
}

const STATE_CONDITIONS = {
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
): Promise<RowsWithTotal<UserRow>> {
  const conditions = new rows.SqlConditions()
  conditions.add(`${isPersonSql()} AND ${STATE_CONDITIONS[state]}`)
  if (group !== undefined) conditions.add(isMemberSql(`groups.id = ${conditions.bind(group)}`))
  if (search !== undefined) conditions.add(await addSearchCondition(reads, search, conditions))
  // A search first finds the users, and then counts and orders them. With the index of names, Postgres would
  // read all users to find a few. Without a search, that index makes the query fast.
  const fence = search !== undefined || group !== undefined ? 'MATERIALIZED' : 'NOT MATERIALIZED'
  const bySorted = { key: 'sorted', isDescending } as const
  const found = await reads.query<UserRow & { total: number }>(
    `WITH found AS ${fence} (
       SELECT users.id, ${USER_ORDERS[key]} AS sorted FROM users WHERE ${conditions.sql}
     )
     SELECT ${rows.columnsSql(USER_COLUMNS)}, ${totalSql('found')} AS total
     FROM (
       SELECT id, sorted FROM found
       ORDER BY ${orderSql({ sorted: 'sorted' }, bySorted, 'id')} LIMIT ${limit} OFFSET ${offset}
     ) AS shown
     JOIN users ON users.id = shown.id
     ORDER BY ${orderSql({ sorted: 'shown.sorted' }, bySorted, 'shown.id')}`,
    conditions.values,
  )
  return toRowsWithTotal(found.rows)
}

// Adds a condition that matches if the name, the e-mail or the UPN contains all words, or if a plate or a group's name
// contains the whole search.
async function addSearchCondition(
  reads: pg.Pool,
  search: string,
  conditions: rows.SqlConditions,
): Promise<string> {
  const lower = search.toLowerCase()
  const words = rows.splitSearchWords(lower)
  const plate = lower.replace(/\s+/g, '')
  const found = await findUserCandidates(reads, words, [plate])
  const group = `lower(groups.name) LIKE ${conditions.bind(toLikePattern(lower))}`
  const ids = found === undefined ? undefined : `${conditions.bind(found)}::bigint[]`
  const vehicles = ids ? `vehicles WHERE user_id = ANY (${ids}) AND` : 'vehicles WHERE'
  const all = `(
    lower(users.name || ' ' || users.email || ' ' || coalesce(users.upn, '')) LIKE ALL (${conditions.bind(words.map(toLikePattern))}::text[])
    OR users.id IN (SELECT user_id FROM ${vehicles} lower(replace(license_plate, ' ', '')) LIKE ${conditions.bind(toLikePattern(plate))})
    OR ${isMemberSql(group)})`
  return ids ? `users.id = ANY (${ids} || ARRAY(${selectMembers(group)})) AND ${all}` : all
}

const selectMembers = (condition: string) =>
  `SELECT user_id FROM group_members JOIN groups ON groups.id = group_id WHERE ${condition}`

const isMemberSql = (condition: string) => `users.id IN (${selectMembers(condition)})`

/** Lists the extension attributes in use, judging by a thousand users. */
export async function listUsedAttributes(reads: pg.Pool): Promise<string[]> {
  const found = await rows.selectRows(
    reads,
    { name: textColumn('DISTINCT jsonb_object_keys(extension_attributes)') },
    '(SELECT extension_attributes FROM users WHERE deactivated_at IS NULL LIMIT 1000) AS first',
  )
  return found.map(({ name }) => name)
}
