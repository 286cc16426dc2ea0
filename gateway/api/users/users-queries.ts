// Queries for users. They do not find deactivated ones.
import { dataText } from '../../../shared/schemas/json.ts'
import { userJson, vehicleJson } from '../../../shared/users/users-shape.ts'
import { likePattern } from '../../data/like-patterns.ts'
import { prepareListing } from '../../http/listing.ts'
import { type Database, findText } from '../../http/statement.ts'

const byId = {
  name: 'find-user',
  text: `
    SELECT ${dataText(userJson('users'))} AS body
    FROM users
    WHERE users.id = $1 AND users.deactivated_at IS NULL`,
}

const byEmail = {
  name: 'find-user-by-email',
  text: `
    SELECT ${dataText(userJson('users'))} AS body
    FROM users
    WHERE lower(users.email) = lower($1) AND users.deactivated_at IS NULL`,
}

export function findUser(database: Database, id: number): Promise<string | undefined> {
  return findText(database, byId, [id])
}

export function findUserByEmail(database: Database, email: string): Promise<string | undefined> {
  return findText(database, byEmail, [email])
}

const order = [{ by: 'users.id', type: 'bigint' }] as const
const MEMBERS = 'SELECT user_id FROM group_members WHERE group_id = $1'

/** $1: a group, $2: the patterns of a search; each null if not given. */
export const activeUsers = prepareListing({
  name: 'users',
  item: userJson('users'),
  rows: `users WHERE users.deactivated_at IS NULL
    AND ($2::text[] IS NULL OR lower(users.name || ' ' || users.email) LIKE ALL ($2))
    AND ($1::bigint IS NULL OR users.id IN (${MEMBERS}))`,
  order,
  parent: { exists: '$1::bigint IS NULL OR EXISTS (SELECT FROM groups WHERE id = $1)', values: 1 },
  values: 2,
})

/** One pattern per word; null if there is no search. */
export function searchPatterns(search = ''): string[] | null {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return words.length > 0 ? words.map(likePattern) : null
}

export const vehiclesOfUser = prepareListing({
  name: 'vehicles-of-user',
  item: vehicleJson('vehicles'),
  rows: 'vehicles WHERE vehicles.user_id = $1',
  order: [{ by: 'vehicles.id', type: 'bigint' }],
  parent: { exists: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)', values: 1 },
  values: 1,
})
