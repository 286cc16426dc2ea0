// API tokens: berth_ + 30 random characters + 6 of a checksum over them, so that scanners recognise a real
// token and a typing error is refused without a look-up. Only a SHA-256 is stored. Those of a person begin with
// berth_personal_, which releases that do not know personal tokens refuse (docs/decisions/0052-personal-tokens.md).
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Knex } from 'knex'
import { onlyRow } from '../database/database.ts'

export const ABILITIES = ['read', 'user-write', 'object-write', 'booking-write', 'webhook-write'] as const
export type Ability = (typeof ABILITIES)[number]

/** What a personal token may do unless somebody says otherwise. */
export const PERSONAL_ABILITIES = ['read', 'booking-write'] as const satisfies Ability[]

/** How many buildings a token may be limited to. */
export const BUILDINGS_MAX = 100

/** How long a personal token works at most, and unless somebody says otherwise. */
export const PERSONAL_DAYS_MAX = 365
export const PERSONAL_DAYS = 90

/** How long the previous secret may keep working after a new one is created. */
export const OVERLAP_SECONDS_MAX = 30 * 86_400

export type NewToken = {
  name: string
  abilities: readonly Ability[]
  expiresAt?: string | undefined
  rateLimitPerMinute?: number | undefined
  /** Networks (CIDR) or addresses that the token works from; absent means anywhere. */
  addresses?: readonly string[] | undefined
  /** The only buildings that exist for the token; absent means all. */
  buildingIds?: readonly number[] | undefined
  /** The person to whom it belongs; absent means nobody. Such a token must expire. */
  userId?: number | undefined
  createdBy: string
}

export type TokenSummary = {
  id: number
  name: string
  abilities: Ability[]
  rate_limit_per_minute: number | null
  building_ids: Array<number | string> | null
  user_id: number | null
  created_by: string
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  requests: number
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORMAT = /^(?:berth|berth_personal|calendar|screen)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** What secrets begin with: those of tokens, of personal tokens, and of the addresses of calendars and screens. */
type SecretPrefix = 'berth' | 'berth_personal' | 'calendar' | 'screen'

export const prefixOf = (userId: number | null | undefined): SecretPrefix =>
  userId == null ? 'berth' : 'berth_personal'

export async function createToken(database: Knex, token: NewToken): Promise<{ id: number; token: string }> {
  const secret = generateToken(prefixOf(token.userId))
  const rows = await database('tokens')
    .insert({
      name: token.name,
      hash: hashToken(secret),
      abilities: [...new Set(token.abilities)],
      expires_at: token.expiresAt ?? null,
      rate_limit_per_minute: token.rateLimitPerMinute ?? null,
      addresses: token.addresses ? networks(database, token.addresses) : null,
      building_ids: token.buildingIds ? [...new Set(token.buildingIds)] : null,
      user_id: token.userId ?? null,
      created_by: token.createdBy,
    })
    .returning<{ id: number }[]>('id')
  return { id: onlyRow(rows).id, token: secret }
}

// Drops the host bits, which a cidr does not accept.
const networks = (database: Knex, addresses: readonly string[]) =>
  database.raw('(SELECT array_agg(network(address::inet)::cidr) FROM unnest(?::text[]) AS address)', [
    [...addresses],
  ])

/**
 * Creates a new secret; the present one works for `overlapSeconds` more. An older one that still works ends
 * now.
 */
export async function rotateToken(
  database: Knex,
  id: number,
  overlapSeconds: number,
): Promise<string | undefined> {
  const found = await database('tokens')
    .where({ id, revoked_at: null })
    .first<{ user_id: number | null }>('user_id')
  if (!found) return undefined
  const secret = generateToken(prefixOf(found.user_id))
  const changed = await database('tokens')
    .where({ id, revoked_at: null })
    .update({
      previous_hash: database.ref('hash'),
      previous_until: database.raw('now() + make_interval(secs => ?)', [overlapSeconds]),
      hash: hashToken(secret),
    })
  return changed > 0 ? secret : undefined
}

export async function revokeToken(database: Knex, id: number): Promise<boolean> {
  const unrevoked = database('tokens').where({ id, revoked_at: null })
  return (await unrevoked.update({ revoked_at: database.fn.now() })) > 0
}

export async function listTokens(database: Knex): Promise<TokenSummary[]> {
  return database('tokens')
    .orderBy('id')
    .select('id', 'name', 'abilities', 'rate_limit_per_minute', 'building_ids', 'user_id', 'requests')
    .select('created_by', 'created_at', 'expires_at', 'revoked_at', 'last_used_at')
}

export function isWellFormedToken(token: string, prefix: SecretPrefix = 'berth'): boolean {
  if (!token.startsWith(`${prefix}_`)) return false
  const [, random, checksum] = FORMAT.exec(token) ?? []
  return random !== undefined && checksumOf(random) === checksum
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Derives a token from a secret of at least 32 bytes: the same secret gives the same token. */
export function deriveToken(secret: Buffer, prefix: SecretPrefix = 'berth'): string {
  const random = digitsOf(BigInt(`0x${secret.toString('hex')}`), 30)
  return `${prefix}_${random}${checksumOf(random)}`
}

export function generateToken(prefix: SecretPrefix = 'berth'): string {
  const random = Array.from({ length: 30 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${prefix}_${random}${checksumOf(random)}`
}

function checksumOf(random: string): string {
  return digitsOf(BigInt(crc32(random)), 6)
}

function digitsOf(number: bigint, length: number): string {
  const base = BigInt(ALPHABET.length)
  let rest = number
  let text = ''
  for (let digit = 0; digit < length; digit++) {
    text = ALPHABET[Number(rest % base)] + text
    rest /= base
  }
  return text
}
