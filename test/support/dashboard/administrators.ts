// Administrators of tests. Password hashes are slow on purpose; tests that sign in a hundred times use fast ones.
import { scryptSync } from 'node:crypto'
import type { Knex } from 'knex'
import type { Role } from '../../../shared/administrators/roles.ts'

/** A hash carries its own parameters. */
export function cheapHash(password: string): string {
  const salt = Buffer.alloc(16)
  const hash = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 })
  return ['scrypt', 2, 1, 1, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

export async function createCheapAdmin(
  database: Knex,
  { email, password, role = 'owner' }: { email: string; password: string; role?: Role },
) {
  await database('admins').insert({ email, password_hash: cheapHash(password), role })
}
