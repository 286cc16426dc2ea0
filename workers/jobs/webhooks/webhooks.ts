// Webhooks: created, changed, deleted, and given a new secret. Secrets never reach the audit log.
import { randomBytes } from 'node:crypto'
import { audit } from '../../../shared/audit/audit.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { dataText, type JsonTextSql } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import { webhookJson, webhookWithSecretJson } from '../../../shared/webhooks/webhooks-shape.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { finishReply } from '../../runtime/finished-reply.ts'
import { requireWithin } from '../kit/building-limits.ts'

const ROW = "to_jsonb(webhooks) - 'secret' - 'previous_secret' AS row"
const SECRET_BYTES = 32
const NO_WEBHOOK = message`There is no webhook with this id.`
const TOKEN_WEBHOOKS_MAX = 20
const WEBHOOKS_MAX = 200
// An arbitrary number that is used nowhere else.
const CREATION_LOCK = 7_301_024

export async function createWebhook(
  trx: Transaction,
  input: InputOf<'webhooks.create'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'webhooks.create'>>> {
  const tokenId = context.actor.type === 'token' ? context.actor.id : null
  await refuseTooMany(trx, tokenId)
  const { rows } = await trx.raw(
    `INSERT INTO webhooks (url, description, types, enabled, secret, base_url, building_ids, token_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id, ${ROW}`,
    [
      input.url,
      input.description ?? '',
      input.types,
      input.enabled ?? true,
      newSecret(),
      context.baseUrl,
      context.buildingIds ?? null,
      tokenId,
    ],
  )
  const { id, row } = onlyRow<{ id: number; row: unknown }>(rows)
  await audit(trx, context, { action: 'webhooks.create', resource: 'webhooks', resourceId: id, after: row })
  return finish(trx, id, dataText(webhookWithSecretJson))
}

// Limits the number of webhooks, because each change is matched against all of them.
async function refuseTooMany(trx: Transaction, tokenId: number | null): Promise<void> {
  // So that simultaneous creations count each other.
  await trx.raw('SELECT pg_advisory_xact_lock(?)', [CREATION_LOCK])
  const { rows } = await trx.raw(
    'SELECT count(*)::int AS number, count(*) FILTER (WHERE token_id = ?)::int AS own FROM webhooks',
    [tokenId],
  )
  const { number, own } = onlyRow<{ number: number; own: number }>(rows)
  if (own >= TOKEN_WEBHOOKS_MAX) throw tooMany(message`This token has ${TOKEN_WEBHOOKS_MAX} webhooks already`)
  if (number >= WEBHOOKS_MAX) throw tooMany(message`There are ${WEBHOOKS_MAX} webhooks already`)
}

const tooMany = (which: Message) =>
  new Refusal(
    'too_many_webhooks',
    message`${which}, which is the limit. Delete one that is no longer needed.`,
  )

/** Switching it on gives it five days again. Setting `enabled` clears the reason why Berth disabled it. */
export async function updateWebhook(
  trx: Transaction,
  { id, ...fields }: InputOf<'webhooks.update'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'webhooks.update'>>> {
  const before = await lockWebhook(trx, id, context)
  const { rows } = await trx.raw(
    `UPDATE webhooks SET url = coalesce(:url, url), description = coalesce(:description, description),
       types = coalesce(CAST(:types AS text[]), types), enabled = coalesce(CAST(:enabled AS boolean), enabled),
       disabled_reason = CASE WHEN CAST(:enabled AS boolean) IS NULL THEN disabled_reason END,
       failing_since = CASE WHEN CAST(:enabled AS boolean) THEN NULL ELSE failing_since END, updated_at = now()
     WHERE id = :id RETURNING ${ROW}`,
    {
      id,
      url: fields.url ?? null,
      description: fields.description ?? null,
      types: fields.types ?? null,
      enabled: fields.enabled ?? null,
    },
  )
  const after = onlyRow<{ row: unknown }>(rows).row
  await audit(trx, context, {
    action: 'webhooks.update',
    resource: 'webhooks',
    resourceId: id,
    before,
    after,
  })
  return finish(trx, id, dataText(webhookJson))
}

export async function deleteWebhook(
  trx: Transaction,
  { id }: InputOf<'webhooks.delete'>,
  context: WorkContext,
): Promise<null> {
  const before = await lockWebhook(trx, id, context)
  await trx.raw('DELETE FROM webhooks WHERE id = ?', [id])
  await audit(trx, context, { action: 'webhooks.delete', resource: 'webhooks', resourceId: id, before })
  return null
}

/** The previous secret also signs for a day. */
export async function rotateWebhookSecret(
  trx: Transaction,
  { id }: InputOf<'webhooks.rotate-secret'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'webhooks.rotate-secret'>>> {
  await lockWebhook(trx, id, context)
  await trx.raw(
    `UPDATE webhooks SET previous_secret = secret, previous_secret_until = now() + interval '24 hours', secret = ?,
       updated_at = now() WHERE id = ?`,
    [newSecret(), id],
  )
  await audit(trx, context, { action: 'webhooks.rotate-secret', resource: 'webhooks', resourceId: id })
  return finish(trx, id, dataText(webhookWithSecretJson))
}

const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

async function lockWebhook(trx: Transaction, id: number, context: WorkContext): Promise<unknown> {
  const { rows } = await trx.raw(`SELECT ${ROW} FROM webhooks WHERE id = ? FOR UPDATE`, [id])
  const [found] = rows as Array<{ row: unknown }>
  if (!found) throw new Refusal('not_found', NO_WEBHOOK)
  await requireWithin(trx, context, 'webhooks', id, NO_WEBHOOK)
  return found.row
}

async function finish<Reply>(
  trx: Transaction,
  id: number,
  reply: JsonTextSql<Reply>,
): Promise<JsonText<Reply>> {
  const statement = (selected: string) => `SELECT ${selected} FROM webhooks WHERE webhooks.id = ?`
  return (await finishReply(trx, reply, statement, [id])).text
}
