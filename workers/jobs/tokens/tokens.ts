// Creates, rotates and revokes API tokens. The audit log contains neither their secrets nor the hashes.
import { fieldName, message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import { PERSONAL_DAYS_MAX } from '../../../shared/tokens/token-store.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { createIdReply } from '../rows/rows.ts'

export type TokenRow = { id: number; row: unknown }

export const TOKEN_COLUMNS = "id, to_jsonb(tokens) - '{hash,previous_hash}'::text[] AS row"

export const tokenHandlers: Handlers<`tokens.${string}`> = {
  async 'tokens.create'(write, input) {
    if (input.expires_at !== null && input.expires_at <= write.now) {
      throw invalidFields({ expires_at: [message`${fieldName('expires_at')} must be in the future.`] })
    }
    await refuseUnknownBuildings(write, input.building_ids ?? [])
    if (input.user_id != null) await refuseInvalidPersonalToken(write, input.user_id, input.expires_at)
    const { id, row } = await write.only<TokenRow>(
      `INSERT INTO tokens (name, abilities, hash, expires_at, rate_limit_per_minute, created_by, addresses, building_ids,
         user_id)
       VALUES (?, ?, decode(?, 'hex'), ?, ?, ?,
         (SELECT array_agg(network(address::inet)::cidr) FROM unnest(?::text[]) AS address), ?::bigint[], ?)
       RETURNING ${TOKEN_COLUMNS}`,
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
    return createIdReply(id)
  },

  /** Sets a new secret for a token. The previous secret stays valid for `overlap_seconds`. */
  async 'tokens.rotate'(write, { id, hash, overlap_seconds: overlapSeconds }) {
    await write.requireRow(
      `UPDATE tokens SET previous_hash = hash, previous_until = now() + make_interval(secs => ?), hash = decode(?, 'hex')
       WHERE id = ? AND revoked_at IS NULL RETURNING id`,
      [overlapSeconds, hash, id],
      message`There is no token with this id, or it is revoked.`,
    )
    await write.audit({ action: 'tokens.rotate', id, after: { overlapSeconds } })
    return createIdReply(id)
  },

  /** Revokes a token. A token that is already revoked stays unchanged. */
  async 'tokens.revoke'(write, { id }) {
    const { row: before, revoked_at } = await write.requireRow<TokenRow & { revoked_at: string | null }>(
      `SELECT ${TOKEN_COLUMNS}, revoked_at FROM tokens WHERE id = ? FOR NO KEY UPDATE`,
      [id],
      message`There is no token with this id.`,
    )
    if (revoked_at !== null) return createIdReply(id)
    const revoke = `UPDATE tokens SET revoked_at = now() WHERE id = ? RETURNING ${TOKEN_COLUMNS}`
    const { row: after } = await write.only<TokenRow>(revoke, [id])
    await write.audit({ action: 'tokens.revoke', id, before, after })
    return createIdReply(id)
  },
}

// The limit on the lifetime of a personal token. It is one day more than pages offer, because the clock of the gateway
// that computed the end may be ahead.
const PERSONAL_TOKEN_MS_MAX = (PERSONAL_DAYS_MAX + 1) * 24 * 3_600_000

async function refuseInvalidPersonalToken(
  { first, now }: Write,
  userId: number,
  expiresAt: string | null,
): Promise<void> {
  const active = 'SELECT FROM users WHERE id = ? AND deactivated_at IS NULL FOR KEY SHARE'
  if (!(await first(active, [userId])))
    throw invalidFields({ user_id: [message`There is no active person with this id.`] })
  if (expiresAt !== null && Date.parse(expiresAt) - Date.parse(now) <= PERSONAL_TOKEN_MS_MAX) return
  throw invalidFields({
    expires_at: [message`A personal token can be valid for at most ${PERSONAL_DAYS_MAX} days.`],
  })
}

async function refuseUnknownBuildings(write: Write, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const known = await write.ids('SELECT id FROM buildings WHERE id = ANY(?::bigint[])', [ids])
  const unknown = ids.filter((id) => !known.includes(id))
  if (unknown.length > 0)
    throw invalidFields({
      building_ids: unknown.map((id) => message`There is no building with the id ${id}.`),
    })
}
