// Queries for users. They do not find deactivated ones.

import { selectData } from '../../../shared/schemas/json.ts'
import { userJson, vehicleJson } from '../../../shared/users/users-shape.ts'
import { likePattern } from '../../data/like-patterns.ts'
import { prepareListing } from '../../http/listing.ts'

const ACTIVE = 'users WHERE users.deactivated_at IS NULL AND'

export const userById = {
  name: 'find-user',
  text: selectData(userJson('users'), `${ACTIVE} users.id = $1`),
}

export const userByEmail = {
  name: 'find-user-by-email',
  text: selectData(userJson('users'), `${ACTIVE} lower(users.email) = lower($1)`),
}

const MEMBERS = 'SELECT user_id FROM group_members WHERE group_id = $1'

/** $1: a group, $2: the patterns of a search; each null if not given. */
export const activeUsers = prepareListing({
  name: 'users',
  item: userJson('users'),
  rows: `users WHERE users.deactivated_at IS NULL
    AND ($2::text[] IS NULL OR lower(users.name || ' ' || users.email) LIKE ALL ($2))
    AND ($1::bigint IS NULL OR users.id IN (${MEMBERS}))`,
  order: [{ by: 'users.id', type: 'bigint' }],
  parent: '$1::bigint IS NULL OR EXISTS (SELECT FROM groups WHERE id = $1)',
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
  parent: 'EXISTS (SELECT FROM users WHERE id = $1 AND deactivated_at IS NULL)',
})
