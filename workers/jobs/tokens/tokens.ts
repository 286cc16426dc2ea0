// API tokens: created, rotated and revoked. Neither their secrets nor the hashes reach the audit log.
import { field, message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { PERSONAL_DAYS_MAX } from '../../../shared/tokens/token-store.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { idReply } from '../rows/rows.ts'

export type TokenRow = { id: number; row: unknown }

export const TOKEN_ROW = "id, to_jsonb(tokens) - '{hash,previous_hash}'::text[] AS row"

export const tokenHandlers: Handlers<`tokens.${string}`> = {
  async 'tokens.create'(write, input) {
    if (input.expires_at !== null && input.expires_at <= write.now) {
      throw invalid({ expires_at: [message`${field('expires_at')} must be in the future.`] })
    }
    await refuseUnknownBuildings(write, input.building_ids ?? [])
    if (input.user_id != null) await refusePersonal(write, input.user_id, input.expires_at)
    const { id, row } = await write.only<TokenRow>(
      `INSERT INTO tokens (name, abilities, hash, expires_at, rate_limit_per_minute, created_by, addresses, building_ids,
         user_id)
       VALUES (?, ?, decode(?, 'hex'), ?, ?, ?,
         (SELECT array_agg(network(address::inet)::cidr) FROM unnest(?::text[]) AS address), ?::bigint[], ?)
       RETURNING ${TOKEN_ROW}`,
      [
        input.name,
        [...new Set(input.abilities)],
        input.hash,
        input.expires_at,
        input.rate_limit_per_minute,
        write.actor.name,
        input.addresses ?? null,
        input.building_ids ? [...new Set(input.building_ids)] : null,
        input.user_id ?? null,
      ],
    )
    await write.audit({ action: 'tokens.create', id, after: row })
    return idReply(id)
  },

  /** Sets a new secret; the previous one stays valid for `overlap_seconds`. */
  async 'tokens.rotate'(write, { id, hash, overlap_seconds: overlapSeconds }) {
    await write.requireRow(
      `UPDATE tokens SET previous_hash = hash, previous_until = now() + make_interval(secs => ?), hash = decode(?, 'hex')
       WHERE id = ? AND revoked_at IS NULL RETURNING id`,
      [overlapSeconds, hash, id],
      message`There is no token with this id, or it is revoked.`,
    )
    await write.audit({ action: 'tokens.rotate', id, after: { overlapSeconds } })
    return idReply(id)
  },

  /** A revoked token stays as it is. */
  async 'tokens.revoke'(write, { id }) {
    const { row: before, revoked_at } = await write.requireRow<TokenRow & { revoked_at: string | null }>(
      `SELECT ${TOKEN_ROW}, revoked_at FROM tokens WHERE id = ? FOR NO KEY UPDATE`,
      [id],
      message`There is no token with this id.`,
    )
    if (revoked_at !== null) return idReply(id)
    const revoke = `UPDATE tokens SET revoked_at = now() WHERE id = ? RETURNING ${TOKEN_ROW}`
    const { row: after } = await write.only<TokenRow>(revoke, [id])
    await write.audit({ action: 'tokens.revoke', id, before, after })
    return idReply(id)
  },
}

// A day more than is offered: the clock of the gateway that has computed the end may be ahead.
const PERSONAL_MS_MAX = (PERSONAL_DAYS_MAX + 1) * 24 * 3_600_000

async function refusePersonal(
  { first, now }: Write,
  userId: number,
  expiresAt: string | null,
): Promise<void> {
  const active = 'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL FOR KEY SHARE'
  if (!(await first(active, [userId])))
    throw invalid({ user_id: [message`There is no active person with this id.`] })
  if (expiresAt !== null && Date.parse(expiresAt) - Date.parse(now) <= PERSONAL_MS_MAX) return
  throw invalid({ expires_at: [message`A personal token works for ${PERSONAL_DAYS_MAX} days at most.`] })
}

async function refuseUnknownBuildings(write: Write, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const known = await write.ids('SELECT id FROM buildings WHERE id = ANY(?::bigint[])', [ids])
  const unknown = ids.filter((id) => !known.includes(id))
  if (unknown.length > 0)
    throw invalid({ building_ids: unknown.map((id) => message`There is no building with the id ${id}.`) })
}
