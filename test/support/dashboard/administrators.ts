// Creates administrators for tests. Password hashes are slow on purpose, so tests with a hundred sign-ins use
// fast hashes.
import { scryptSync } from 'node:crypto'
import type { Knex } from 'knex'
import type { Role } from '../../../shared/administrators/roles.ts'

/** Returns a fast password hash, which contains its own parameters. */
export function createFastHash(password: string): string {
  const salt = Buffer.alloc(16)
  const hash = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 })
  return ['scrypt', 2, 1, 1, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

export async function createAdminWithFastHash(
  database: Knex,
  { email, password, role = 'owner' }: { email: string; password: string; role?: Role },
) {
  await database('admins').insert({ email, password_hash: createFastHash(password), role })
}
