// Administrators: the accounts that may sign in to the dashboard. Passwords are stored as scrypt hashes that
// include their own parameters, so that the cost can be raised without a migration.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Knex } from 'knex'
import { getOnlyRow } from '../database/database.ts'
import type { Role } from './roles.ts'

type Admin = { email: string; password: string }
type AdminSummary = {
  id: number
  email: string
  role: Role
  created_at: string
  disabled_at: string | null
}

export const PASSWORD_LENGTH_MIN = 12

// Each hash needs 32 MiB. OWASP lists these parameters alongside N = 2^17, p = 1.
const SCRYPT_COST = { N: 2 ** 15, r: 8, p: 3 }
const HASH_BYTES = 32

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

export async function createAdmin(
  database: Knex,
  { email, password, role = 'owner' }: Admin & { role?: Role },
): Promise<{ id: number }> {
  const rows = await database('admins')
    .insert({ email, password_hash: await hashPassword(password), role })
    .returning<{ id: number }[]>('id')
  return { id: getOnlyRow(rows).id }
}

/**
 * Sets an administrator's password and ends all their sessions. Also works for administrators who signed in through a
 * provider: if the provider is gone for good, they have no other way in. Returns the id, or undefined if no
 * administrator has this e-mail.
 */
export async function setAdminPassword(database: Knex, admin: Admin): Promise<number | undefined> {
  const password_hash = await hashPassword(admin.password)
  return database.transaction(async (trx) => {
    const fields = { password_hash, updated_at: database.fn.now(), disabled_at: null }
    const id = await updateAdmin(trx, admin.email, fields)
    if (id !== undefined) await trx('admin_identities').where({ admin_id: id }).delete()
    return id
  })
}

/**
 * Disables an administrator and ends all their sessions. Returns the id, or undefined if no administrator has this
 * e-mail.
 */
export function disableAdmin(database: Knex, email: string): Promise<number | undefined> {
  return updateAdmin(database, email, { disabled_at: database.fn.now() })
}

async function updateAdmin(database: Knex, email: string, fields: object): Promise<number | undefined> {
  return database.transaction(async (trx) => {
    const [admin] = await selectAdminByEmail(trx, email).update(fields).returning<{ id: number }[]>('id')
    if (admin) await trx('sessions').where({ admin_id: admin.id }).delete()
    return admin?.id
  })
}

export async function listAdmins(database: Knex): Promise<AdminSummary[]> {
  return database('admins').orderBy('id').select('id', 'email', 'role', 'created_at', 'disabled_at')
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return formatHash(
    salt,
    await deriveKey(password, salt, HASH_BYTES, { ...SCRYPT_COST, maxmem: computeMemoryBytes(SCRYPT_COST) }),
  )
}

/** Returns a hash that takes as long to verify as a real one and that no password matches. */
export function createDummyHash(): string {
  return formatHash(randomBytes(16), randomBytes(HASH_BYTES))
}

function formatHash(salt: Buffer, hash: Buffer): string {
  return [
    'scrypt',
    SCRYPT_COST.N,
    SCRYPT_COST.r,
    SCRYPT_COST.p,
    salt.toString('base64url'),
    hash.toString('base64url'),
  ].join('$')
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = stored.split('$')
  if (!hash || !salt) return false
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const expected = Buffer.from(hash, 'base64url')
  const saltBytes = Buffer.from(salt, 'base64url')
  const actual = await deriveKey(password, saltBytes, expected.length, {
    ...cost,
    maxmem: computeMemoryBytes(cost),
  })
  return timingSafeEqual(actual, expected)
}

function selectAdminByEmail(database: Knex, email: string) {
  return database('admins').whereRaw('lower(email) = lower(?)', [email])
}

function computeMemoryBytes({ N, r, p }: typeof SCRYPT_COST): number {
  return 128 * N * r + 128 * r * p + 1024 * 1024
}
