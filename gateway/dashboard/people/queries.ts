// Queries for users in the dashboard.

import type pg from 'pg'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import { likePattern } from '../../data/like-patterns.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

export const missingUser = message`This person does not exist or has been erased.`

export type UserRow = {
  id: number
  name: string
  email: string
  upn: string | null
  deactivatedAt: string | null
  groups: string[]
  plates: string[]
}

type UserSearch = {
  search: string | undefined
  state: 'active' | 'deactivated' | 'all'
  group: number | undefined
}

const COLUMNS = `
  users.id, users.name, users.email, users.upn, users.deactivated_at AS "deactivatedAt",
  ARRAY(SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id
    WHERE group_members.user_id = users.id ORDER BY ${naturalSql('groups.name')}) AS groups,
  ARRAY(SELECT license_plate FROM vehicles WHERE vehicles.user_id = users.id ORDER BY ${naturalSql('license_plate')}) AS plates`

const WORDS_MAX = 8

const STATES = {
  active: 'users.deactivated_at IS NULL',
  deactivated: 'users.deactivated_at IS NOT NULL',
  all: 'true',
}

type UserOrder = 'name' | 'email'

const ORDERS: Record<UserOrder, string> = { name: 'lower(users.name)', email: 'lower(users.email)' }
export const USER_ORDERS = Object.keys(ORDERS) as UserOrder[]

export async function listUsers(
  reads: pg.Pool,
  { search, state, group }: UserSearch,
  { offset, limit }: Slice,
  order: Order<UserOrder>,
): Promise<Listed<UserRow>> {
  const values: unknown[] = [limit, offset]
  const bind = (value: unknown) => `$${values.push(value)}`
  const conditions = ['NOT users.is_anonymous', STATES[state]]
  if (group !== undefined) conditions.push(isMember(`groups.id = ${bind(group)}`))
  if (search !== undefined) conditions.push(matches(search, bind))
  // A search first finds the users, then counts and orders them: with the index of names, Postgres would walk
  // through all users to find a few. Without a search, that index is what makes it fast.
  const fence = search !== undefined || group !== undefined ? 'MATERIALIZED' : 'NOT MATERIALIZED'
  const bySorted = { key: 'sorted', isDescending: order.isDescending } as const
  const { rows } = await reads.query<UserRow & { total: number }>(
    `WITH found AS ${fence} (
       SELECT users.id, ${ORDERS[order.key]} AS sorted FROM users WHERE ${conditions.join(' AND ')}
     )
     SELECT ${COLUMNS}, ${totalSql('found')} AS total
     FROM (
       SELECT id, sorted FROM found ORDER BY ${orderSql({ sorted: 'sorted' }, bySorted, 'id')} LIMIT $1 OFFSET $2
     ) AS shown
     JOIN users ON users.id = shown.id
     ORDER BY ${orderSql({ sorted: 'shown.sorted' }, bySorted, 'shown.id')}`,
    values,
  )
  return toListed(rows)
}

// Matches if all words are in the name, the e-mail or the UPN, or if the whole search is in a plate or a
// group's name. It always reads all users: 130 ms for 200,000. A union of IDs takes 80 ms for few matches,
// but seconds for many.
function matches(search: string, bind: (value: unknown) => string): string {
  const lower = search.toLowerCase()
  const words = lower
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORDS_MAX)
  const whole = bind(likePattern(lower))
  const plate = bind(likePattern(lower.replace(/\s+/g, '')))
  return `(
    lower(users.name || ' ' || users.email || ' ' || coalesce(users.upn, '')) LIKE ALL (${bind(words.map(likePattern))}::text[])
    OR users.id IN (SELECT user_id FROM vehicles WHERE lower(replace(license_plate, ' ', '')) LIKE ${plate})
    OR ${isMember(`lower(groups.name) LIKE ${whole}`)})`
}

const isMember = (condition: string) =>
  `users.id IN (SELECT user_id FROM group_members JOIN groups ON groups.id = group_id WHERE ${condition})`

export type User = Omit<UserRow, 'plates'> & {
  attributes: Record<string, string>
  vehicles: Array<{ id: number; license_plate: string }>
  createdAt: string
  updatedAt: string
  version: string
}

async function findUser(reads: pg.Pool, id: number): Promise<User | undefined> {
  const { rows } = await reads.query<User>(
    `SELECT ${COLUMNS}, users.extension_attributes AS attributes, users.created_at AS "createdAt",
       users.updated_at AS "updatedAt", ${versionSql('users')} AS version,
       coalesce((SELECT json_agg(json_build_object('id', vehicles.id, 'license_plate', license_plate)
           ORDER BY ${naturalSql('license_plate')})
         FROM vehicles WHERE vehicles.user_id = users.id), '[]') AS vehicles
     FROM users WHERE users.id = $1 AND NOT users.is_anonymous`,
    [id],
  )
  return rows[0]
}

export async function requireUser(reads: pg.Pool, id: number): Promise<User> {
  const user = await findUser(reads, id)
  if (!user) throw new Refusal('not_found', missingUser)
  return user
}

/** The extension attributes in use, judged by a thousand users. */
export async function listAttributes(reads: pg.Pool): Promise<string[]> {
  const { rows } = await reads.query<{ name: string }>(
    `SELECT DISTINCT jsonb_object_keys(extension_attributes) AS name
     FROM (SELECT extension_attributes FROM users WHERE deactivated_at IS NULL LIMIT 1000) AS first`,
  )
  return rows.map(({ name }) => name)
}
