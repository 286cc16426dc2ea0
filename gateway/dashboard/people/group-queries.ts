// Groups of users, with how many are in each.
import type pg from 'pg'
import { likePattern } from '../../database/like-patterns.ts'
import type { Slice } from '../ui/paging.ts'

export type GroupRow = { id: number; name: string; members: number }

export async function listGroups(
  reads: pg.Pool,
  search: string | undefined,
  { offset, limit }: Slice,
): Promise<GroupRow[]> {
  const { rows } = await reads.query<GroupRow>(
    `SELECT groups.id, groups.name,
       (SELECT count(*)::int FROM group_members JOIN users ON users.id = user_id
         WHERE group_id = groups.id AND users.deactivated_at IS NULL) AS members
     FROM groups WHERE $1::text IS NULL OR lower(groups.name) LIKE $1
     ORDER BY lower(groups.name), groups.id LIMIT $2 OFFSET $3`,
    [search === undefined ? null : likePattern(search.toLowerCase()), limit, offset],
  )
  return rows
}

export async function findGroup(reads: pg.Pool, id: number): Promise<{ name: string } | undefined> {
  const { rows } = await reads.query<{ name: string }>('SELECT name FROM groups WHERE id = $1', [id])
  return rows[0]
}
