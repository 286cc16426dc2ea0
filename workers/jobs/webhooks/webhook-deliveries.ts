// Webhook deliveries on request: tests, and failed ones sent again. They are queued like deliveries of
// changes, and the webhook process sends them.
import { audit } from '../../../shared/audit/audit.ts'
import type { AuditAction } from '../../../shared/audit/audit-actions.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import { SENT_AGAIN_MAX, WEBHOOK_TEST } from '../../../shared/webhooks/webhook-deliveries.ts'
import { webhookDeliveryJson } from '../../../shared/webhooks/webhooks-shape.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { finishReply } from '../../runtime/finished-reply.ts'
import { requireWithin } from '../kit/building-limits.ts'

const NO_WEBHOOK = message`There is no webhook with this id.`

/** Resets a delivery as if it had never been tried: it gets all attempts again, with its webhook-id. */
const RESET_DELIVERY = `attempts = 0, next_at = now(), delivered_at = NULL, status = NULL, error = NULL, answer = NULL, took_ms = NULL`

/** A test belongs to no change, so it has no place in their order. */
export async function sendTest(
  trx: Transaction,
  { webhook_id }: InputOf<'webhook-deliveries.test'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'webhook-deliveries.test'>>> {
  await requireEnabled(trx, webhook_id, context)
  const { rows } = await trx.raw(
    `INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at)
     VALUES (?, ?, 0, 0, ?) RETURNING id`,
    [webhook_id, WEBHOOK_TEST, context.now],
  )
  const { id } = onlyRow<{ id: number }>(rows)
  await note(trx, context, { action: 'webhooks.test', resourceId: webhook_id, after: { delivery_id: id } })
  return finish(trx, id)
}

export async function sendAgain(
  trx: Transaction,
  { webhook_id, id }: InputOf<'webhook-deliveries.send-again'>,
  context: WorkContext,
): Promise<JsonText<ReplyOf<'webhook-deliveries.send-again'>>> {
  await requireEnabled(trx, webhook_id, context)
  const { rows } = await trx.raw(
    `UPDATE webhook_deliveries SET ${RESET_DELIVERY} WHERE id = ? AND webhook_id = ? RETURNING type`,
    [id, webhook_id],
  )
  const [found] = rows as Array<{ type: string }>
  if (!found) throw new Refusal('not_found', message`There is no delivery with this id.`)
  const after = { delivery_id: id, type: found.type }
  await note(trx, context, { action: 'webhooks.send-again', resourceId: webhook_id, after })
  return finish(trx, id)
}

/** Also those that wait for a retry, because the receiver has been repaired. Not tests. */
export async function sendFailed(
  trx: Transaction,
  { webhook_id, since }: InputOf<'webhook-deliveries.send-failed'>,
  context: WorkContext,
): Promise<ReplyOf<'webhook-deliveries.send-failed'>> {
  await requireEnabled(trx, webhook_id, context)
  const { rows } = await trx.raw(
    `WITH failed AS MATERIALIZED (
       SELECT id FROM webhook_deliveries
       WHERE webhook_id = :webhook_id AND delivered_at IS NULL AND took_ms IS NOT NULL AND change_at >= :since
         AND type <> '${WEBHOOK_TEST}'
       ORDER BY id LIMIT ${SENT_AGAIN_MAX} + 1 FOR UPDATE
     ), sent AS (
       UPDATE webhook_deliveries SET ${RESET_DELIVERY}
       WHERE id IN (SELECT id FROM failed ORDER BY id LIMIT ${SENT_AGAIN_MAX}) RETURNING id
     )
     SELECT count(*)::int AS deliveries, (SELECT count(*) FROM failed) > ${SENT_AGAIN_MAX} AS has_more FROM sent`,
    { webhook_id, since },
  )
  const data = onlyRow<{ deliveries: number; has_more: boolean }>(rows)
  const after = { since, deliveries: data.deliveries }
  await note(trx, context, { action: 'webhooks.send-failed', resourceId: webhook_id, after })
  return { data }
}

// FOR KEY SHARE, so that recording an attempt, which holds the delivery's lock, never waits for this lock.
async function requireEnabled(trx: Transaction, id: number, context: WorkContext): Promise<void> {
  const { rows } = await trx.raw('SELECT enabled FROM webhooks WHERE id = ? FOR KEY SHARE', [id])
  const [found] = rows as Array<{ enabled: boolean }>
  if (!found) throw new Refusal('not_found', NO_WEBHOOK)
  await requireWithin(trx, context, 'webhooks', id, NO_WEBHOOK)
  if (!found.enabled)
    throw new Refusal(
      'webhook_disabled',
      message`The webhook is switched off, so nothing is sent. Switch it on first.`,
    )
}

const note = (
  trx: Transaction,
  context: WorkContext,
  change: { action: AuditAction; resourceId: number; after: unknown },
) => audit(trx, context, { ...change, resource: 'webhooks' })

async function finish(
  trx: Transaction,
  id: number,
): Promise<JsonText<ReplyOf<'webhook-deliveries.send-again'>>> {
  const statement = (selected: string) =>
    `SELECT ${selected} FROM webhook_deliveries WHERE webhook_deliveries.id = ?`
  return (await finishReply(trx, dataText(webhookDeliveryJson), statement, [id])).text
}
