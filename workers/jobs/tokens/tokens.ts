// API tokens: created, rotated and revoked. Neither their secrets nor the hashes reach the audit log.

import { audit } from '../../../shared/audit/audit.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { idReply } from '../kit/rows.ts'

type TokenRow = { id: number; row: unknown }

const ROW = "id, to_jsonb(tokens) - '{hash,previous_hash}'::text[] AS row"

export async function createToken(
  trx: Transaction,
  input: InputOf<'tokens.create'>,
  context: WorkContext,
): Promise<ReplyOf<'tokens.create'>> {
  if (input.expires_at !== null && input.expires_at <= context.now) {
    throw invalid({ expires_at: [message`${field('expires_at')} must be in the future.`] })
  }
  await refuseUnknownBuildings(trx, input.building_ids ?? [])
  const { rows } = await trx.raw(
    `INSERT INTO tokens (name, abilities, hash, expires_at, rate_limit_per_minute, created_by, addresses, building_ids)
     VALUES (?, ?, decode(?, 'hex'), ?, ?, ?,
       (SELECT array_agg(network(address::inet)::cidr) FROM unnest(?::text[]) AS address), ?::bigint[])
     RETURNING ${ROW}`,
    [
      input.name,
      [...new Set(input.abilities)],
      input.hash,
      input.expires_at,
      input.rate_limit_per_minute,
      context.actor.name,
      input.addresses ?? null,
      input.building_ids ? [...new Set(input.building_ids)] : null,
    ],
  )
  const { id, row } = onlyRow<TokenRow>(rows)
  await audit(trx, context, { action: 'tokens.create', resource: 'tokens', resourceId: id, after: row })
  return idReply(id)
}

async function refuseUnknownBuildings(trx: Transaction, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await trx.raw('SELECT id FROM buildings WHERE id = ANY(?::bigint[])', [ids])
  const known = new Set(rows.map(({ id }: { id: number }) => id))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length > 0)
    throw invalid({ building_ids: unknown.map((id) => message`There is no building with the id ${id}.`) })
}

/** Sets a new secret; the previous one stays valid for `overlap_seconds`. */
export async function rotateToken(
  trx: Transaction,
  { id, hash, overlap_seconds: overlapSeconds }: InputOf<'tokens.rotate'>,
  context: WorkContext,
): Promise<ReplyOf<'tokens.rotate'>> {
  const { rows } = await trx.raw(
    `UPDATE tokens SET previous_hash = hash, previous_until = now() + make_interval(secs => ?), hash = decode(?, 'hex')
     WHERE id = ? AND revoked_at IS NULL RETURNING id`,
    [overlapSeconds, hash, id],
  )
  if (rows.length === 0)
    throw new Refusal('not_found', message`There is no token with this id, or it is revoked.`)
  const after = { overlapSeconds }
  await audit(trx, context, { action: 'tokens.rotate', resource: 'tokens', resourceId: id, after })
  return idReply(id)
}

/** A revoked token stays as it is. */
export async function revokeToken(
  trx: Transaction,
  { id }: InputOf<'tokens.revoke'>,
  context: WorkContext,
): Promise<ReplyOf<'tokens.revoke'>> {
  const before = await trx.raw(`SELECT ${ROW}, revoked_at FROM tokens WHERE id = ? FOR NO KEY UPDATE`, [id])
  const present: (TokenRow & { revoked_at: string | null }) | undefined = before.rows[0]
  if (!present) throw new Refusal('not_found', message`There is no token with this id.`)
  if (present.revoked_at !== null) return idReply(id)
  const { rows } = await trx.raw(`UPDATE tokens SET revoked_at = now() WHERE id = ? RETURNING ${ROW}`, [id])
  const after = onlyRow<TokenRow>(rows).row
  const change = { action: 'tokens.revoke', resource: 'tokens', resourceId: id } as const
  await audit(trx, context, { ...change, before: present.row, after })
  return idReply(id)
}
