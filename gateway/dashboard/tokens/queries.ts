// Reads the API tokens that the dashboard lists, valid ones first.

import type pg from 'pg'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import type { Ability } from '../../../shared/tokens/token-store.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'
import { type Order, orderSql } from '../ui/sorting.ts'

export type TokenRow = {
  id: number
  name: string
  abilities: Ability[]
  rateLimitPerMinute: number | null
  createdBy: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  requests: number
  addresses: string[] | null
  /** The names of the existing buildings that the token is limited to; null means all buildings. */
  buildings: string[] | null
  state: 'valid' | 'expired' | 'revoked'
}

type TokenOrder = 'created' | 'name' | 'creator' | 'expires' | 'used' | 'requests'

// Tokens that no longer work come last in every order.
const ORDERS: Record<TokenOrder, string> = {
  created: '"createdAt"',
  name: 'lower(name)',
  creator: 'lower("createdBy")',
  expires: `coalesce("expiresAt", 'infinity')`,
  used: `coalesce("lastUsedAt", '-infinity')`,
  requests: 'requests',
}
export const TOKEN_ORDERS = Object.keys(ORDERS) as TokenOrder[]

const TOKENS = `
  SELECT id, name, abilities, rate_limit_per_minute AS "rateLimitPerMinute", created_by AS "createdBy",
    created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", requests, addresses::text[] AS addresses,
    CASE WHEN building_ids IS NOT NULL THEN ARRAY(
      SELECT name FROM buildings WHERE buildings.id = ANY (building_ids) ORDER BY ${naturalSql('name')}, id) END AS buildings,
    CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' ELSE 'valid' END AS state
  FROM tokens`

export async function listTokens(
  reads: pg.Pool,
  { offset, limit }: Slice,
  order: Order<TokenOrder>,
): Promise<Listed<TokenRow>> {
  const { rows } = await reads.query<TokenRow & { total: number }>(
    `SELECT *, ${totalSql('tokens')} AS total FROM (${TOKENS}) AS listed
     ORDER BY state = 'valid' DESC, ${orderSql(ORDERS, order, 'id')} LIMIT $1 OFFSET $2`,
    [limit, offset],
  )
  return toListed(rows)
}

export async function findToken(reads: pg.Pool, id: number): Promise<TokenRow | undefined> {
  const { rows } = await reads.query<TokenRow>(`${TOKENS} WHERE id = $1`, [id])
  return rows[0]
}
