// The API tokens, as the dashboard lists them: those that work first, the newest first among them.
import type pg from 'pg'
import type { Ability } from '../../../shared/tokens.ts'
import { type Listed, type Slice, toListed, totalSql } from '../ui/paging.ts'

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
  /** The names of those that it is limited to, and that are there; null means all. */
  buildings: string[] | null
  state: 'valid' | 'expired' | 'revoked'
}

const TOKENS = `
  SELECT id, name, abilities, rate_limit_per_minute AS "rateLimitPerMinute", created_by AS "createdBy",
    created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt", requests, addresses::text[] AS addresses,
    CASE WHEN building_ids IS NOT NULL THEN ARRAY(
      SELECT name FROM buildings WHERE buildings.id = ANY (building_ids) ORDER BY name, id) END AS buildings,
    CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= now() THEN 'expired' ELSE 'valid' END AS state
  FROM tokens`

export async function listTokens(reads: pg.Pool, { offset, limit }: Slice): Promise<Listed<TokenRow>> {
  const { rows } = await reads.query<TokenRow & { total: number }>(
    `SELECT *, ${totalSql('tokens')} AS total FROM (${TOKENS}) AS listed ORDER BY state = 'valid' DESC, id DESC LIMIT $1 OFFSET $2`,
    [limit, offset],
  )
  return toListed(rows)
}

export async function findToken(reads: pg.Pool, id: number): Promise<TokenRow | undefined> {
  const { rows } = await reads.query<TokenRow>(`${TOKENS} WHERE id = $1`, [id])
  return rows[0]
}
