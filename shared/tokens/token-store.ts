// Stores API tokens. A token is berth_, 30 random characters, and 6 characters of a checksum over them, so that
// scanners can recognize a real token and Berth can refuse a typing error without a look-up. Berth stores only the
// SHA-256 of a token. Personal tokens begin with berth_personal_, so that releases that do not know personal tokens
// refuse them (docs/decisions/0052-personal-tokens.md).
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Knex } from 'knex'
import { getOnlyRow } from '../database/database.ts'

export const ABILITIES = ['read', 'user-write', 'object-write', 'booking-write', 'webhook-write'] as const
export type Ability = (typeof ABILITIES)[number]

/** The abilities of a personal token, unless its owner chooses others. */
export const PERSONAL_ABILITIES = ['read', 'booking-write'] as const satisfies Ability[]

/** The limit on buildings that a token may be limited to. */
export const TOKEN_BUILDINGS_MAX = 100

/** The limit on the lifetime of a personal token, and its default lifetime. */
export const PERSONAL_DAYS_MAX = 365
export const PERSONAL_DAYS_DEFAULT = 90

/** The limit on how long the previous secret keeps working after a rotation. */
export const OVERLAP_SECONDS_MAX = 30 * 86_400

export type NewToken = {
  name: string
  abilities: readonly Ability[]
  expiresAt?: string | undefined
  rateLimitPerMinute?: number | undefined
  /** The networks (CIDR) or addresses from which the token works. If absent, the token works from anywhere. */
  addresses?: readonly string[] | undefined
  /** The buildings that the token is limited to. If absent, the token has access to all buildings. */
  buildingIds?: readonly number[] | undefined
  /** The owner of a personal token. A token with an owner must expire. */
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

const TOKEN_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_PATTERN = /^(?:berth|berth_personal|calendar|screen)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** The prefixes of secrets: those of tokens, of personal tokens, of calendar URLs and of screen URLs. */
type SecretPrefix = 'berth' | 'berth_personal' | 'calendar' | 'screen'

export const getTokenPrefix = (userId: number | null | undefined): SecretPrefix =>
  userId == null ? 'berth' : 'berth_personal'

export async function createToken(database: Knex, token: NewToken): Promise<{ id: number; token: string }> {
  const secret = generateToken(getTokenPrefix(token.userId))
  const rows = await database('tokens')
    .insert({
      name: token.name,
      hash: hashToken(secret),
      abilities: [...new Set(token.abilities)],
      expires_at: token.expiresAt ?? null,
      rate_limit_per_minute: token.rateLimitPerMinute ?? null,
      addresses: token.addresses ? toNetworks(database, token.addresses) : null,
      building_ids: token.buildingIds ? [...new Set(token.buildingIds)] : null,
      user_id: token.userId ?? null,
      created_by: token.createdBy,
    })
    .returning<{ id: number }[]>('id')
  return { id: getOnlyRow(rows).id, token: secret }
}

// Converts addresses to networks. Clears the host bits, because a cidr column does not accept them.
const toNetworks = (database: Knex, addresses: readonly string[]) =>
  database.raw('(SELECT array_agg(network(address::inet)::cidr) FROM unnest(?::text[]) AS address)', [
    [...addresses],
  ])

/**
 * Creates a new secret for a token. The current secret keeps working for `overlapSeconds`. An even older secret stops
 * working now.
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
  const secret = generateToken(getTokenPrefix(found.user_id))
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
  const [, random, checksum] = SECRET_PATTERN.exec(token) ?? []
  return random !== undefined && computeChecksum(random) === checksum
}

export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** Derives a token from a secret of at least 32 bytes. The same secret always gives the same token. */
export function deriveToken(secret: Buffer, prefix: SecretPrefix = 'berth'): string {
  const random = formatDigits(BigInt(`0x${secret.toString('hex')}`), 30)
  return `${prefix}_${random}${computeChecksum(random)}`
}

export function generateToken(prefix: SecretPrefix = 'berth'): string {
  const random = Array.from({ length: 30 }, () => TOKEN_CHARACTERS[randomInt(TOKEN_CHARACTERS.length)]).join(
    '',
  )
  return `${prefix}_${random}${computeChecksum(random)}`
}

function computeChecksum(random: string): string {
  return formatDigits(BigInt(crc32(random)), 6)
}

function formatDigits(number: bigint, length: number): string {
  const base = BigInt(TOKEN_CHARACTERS.length)
  let rest = number
  let text = ''
  for (let digit = 0; digit < length; digit++) {
    text = TOKEN_CHARACTERS[Number(rest % base)] + text
    rest /= base
  }
  return text
}
