// Queries for groups of users, with the number of members.

import type pg from 'pg'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { likePattern } from '../../data/like-patterns.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

export type GroupRow = { id: number; name: string; members: number }

type GroupOrder = 'name' | 'members'

const ORDERS: Record<GroupOrder, string> = { name: naturalSql('groups.name'), members: 'members' }
export const GROUP_ORDERS = Object.keys(ORDERS) as GroupOrder[]

export async function listGroups(
  reads: pg.Pool,
  search: string | undefined,
  { offset, limit }: Slice,
  order: Order<GroupOrder>,
): Promise<Listed<GroupRow>> {
  const found = 'groups WHERE $1::text IS NULL OR lower(groups.name) LIKE $1'
  const { rows } = await reads.query<GroupRow & { total: number }>(
    `SELECT groups.id, groups.name,
       (SELECT count(*)::int FROM group_members JOIN users ON users.id = user_id
         WHERE group_id = groups.id AND users.deactivated_at IS NULL) AS members,
       ${totalSql(found)} AS total
     FROM ${found} ORDER BY ${orderSql(ORDERS, order, 'groups.id')} LIMIT $2 OFFSET $3`,
    [search === undefined ? null : likePattern(search.toLowerCase()), limit, offset],
  )
  return toListed(rows)
}

export async function findGroup(reads: pg.Pool, id: number): Promise<{ name: string } | undefined> {
  const { rows } = await reads.query<{ name: string }>('SELECT name FROM groups WHERE id = $1', [id])
  return rows[0]
}
