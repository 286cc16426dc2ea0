// Creates, changes and deletes webhooks, and rotates their secrets. Also creates test deliveries and repeats failed
// deliveries, which the webhook process sends. The audit log never contains secrets.

import { randomBytes } from 'node:crypto'
import { LOCKS, waitForLockSql } from '../../../shared/database/locks.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import {
  RESENT_DELIVERIES_MAX,
  WEBHOOK_TEST,
  webhookDeliveryJson,
  webhookJson,
  webhookWithSecretJson,
} from '../../../shared/webhooks/webhooks.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { requireInTokenBuildings, requireVersion } from '../rows/preconditions.ts'

const WEBHOOK_ROW_SQL = "to_jsonb(webhooks) - 'secret' - 'previous_secret' AS row"
const SECRET_BYTES = 32
const WEBHOOK_NOT_FOUND = message`There is no webhook with this id.`
const TOKEN_WEBHOOKS_MAX = 20
const WEBHOOKS_MAX = 200

const ONE_WEBHOOK_SQL = 'webhooks WHERE webhooks.id = ?'
const ONE_DELIVERY_SQL = 'webhook_deliveries WHERE webhook_deliveries.id = ?'

export const webhookHandlers: Handlers<`webhooks.${string}`> = {
  async 'webhooks.create'(write, input) {
    const tokenId = write.actor.type === 'token' ? write.actor.id : null
    await refuseTooManyWebhooks(write, tokenId)
    const { id, row } = await write.only<{ id: number; row: unknown }>(
      `INSERT INTO webhooks (url, description, types, enabled, secret, base_url, building_ids, token_id)
       VALUES (:url, :description, :types, :enabled, :secret, :baseUrl, :buildingIds, :tokenId) RETURNING id, ${WEBHOOK_ROW_SQL}`,
      {
        url: input.url,
        description: input.description ?? '',
        types: input.types,
        enabled: input.enabled ?? true,
        secret: createSecret(),
        baseUrl: write.baseUrl,
        buildingIds: write.buildingIds ?? null,
        tokenId,
      },
    )
    await write.audit({ action: 'webhooks.create', id, after: row })
    return write.reply(dataBodyText(webhookWithSecretJson), ONE_WEBHOOK_SQL, [id])
  },

  /**
   * Changes a webhook. When a webhook is enabled, the five days after which Berth disables a failing webhook start
   * again. Setting `enabled` also clears the reason why Berth disabled the webhook.
   */
  async 'webhooks.update'(
    write,
    { id, version, url = null, description = null, types = null, enabled = null },
  ) {
    const before = await lockWebhook(write, id)
    await requireVersion(write, 'webhooks', id, version)
    const { row: after } = await write.only<{ row: unknown }>(
      `UPDATE webhooks SET url = coalesce(:url, url), description = coalesce(:description, description),
         types = coalesce(CAST(:types AS text[]), types), enabled = coalesce(CAST(:enabled AS boolean), enabled),
         disabled_reason = CASE WHEN CAST(:enabled AS boolean) IS NULL THEN disabled_reason END,
         failing_since = CASE WHEN CAST(:enabled AS boolean) THEN NULL ELSE failing_since END, updated_at = now()
       WHERE id = :id RETURNING ${WEBHOOK_ROW_SQL}`,
      { id, url, description, types, enabled },
    )
    await write.audit({ action: 'webhooks.update', id, before, after })
    return write.reply(dataBodyText(webhookJson), ONE_WEBHOOK_SQL, [id])
  },

  async 'webhooks.delete'(write, { id }) {
    const before = await lockWebhook(write, id)
    await write.run('DELETE FROM webhooks WHERE id = ?', [id])
    await write.audit({ action: 'webhooks.delete', id, before })
    return null
  },

  /** Creates a new secret for a webhook. For one more day, deliveries are also signed with the previous secret. */
  async 'webhooks.rotate-secret'(write, { id }) {
    await lockWebhook(write, id)
    await write.run(
      `UPDATE webhooks SET previous_secret = secret, previous_secret_until = now() + interval '24 hours', secret = ?,
         updated_at = now() WHERE id = ?`,
      [createSecret(), id],
    )
    await write.audit({ action: 'webhooks.rotate-secret', id })
    return write.reply(dataBodyText(webhookWithSecretJson), ONE_WEBHOOK_SQL, [id])
  },
}

/**
 * SQL that resets a delivery as if it had never been tried. The delivery has all attempts again, with the same
 * webhook-id.
 */
const RESET_DELIVERY_SQL = `attempts = 0, next_at = now(), delivered_at = NULL, status = NULL, error = NULL, answer = NULL, took_ms = NULL`

export const webhookDeliveryHandlers: Handlers<`webhook-deliveries.${string}`> = {
  /** Creates a test delivery. It belongs to no change, so it has no position in the order of changes. */
  async 'webhook-deliveries.test'(write, { webhook_id }) {
    await requireEnabled(write, webhook_id)
    const { id } = await write.only<{ id: number }>(
      `INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at)
       VALUES (?, ?, 0, 0, ?) RETURNING id`,
      [webhook_id, WEBHOOK_TEST, write.now],
    )
    await write.audit({ action: 'webhooks.test', id: webhook_id, after: { delivery_id: id } })
    return write.reply(dataBodyText(webhookDeliveryJson), ONE_DELIVERY_SQL, [id])
  },

  async 'webhook-deliveries.send-again'(write, { webhook_id, id }) {
    await requireEnabled(write, webhook_id)
    const { type } = await write.requireRow<{ type: string }>(
      `UPDATE webhook_deliveries SET ${RESET_DELIVERY_SQL} WHERE id = ? AND webhook_id = ? RETURNING type`,
      [id, webhook_id],
      message`There is no delivery with this id.`,
    )
    const after = { delivery_id: id, type }
    await write.audit({ action: 'webhooks.send-again', id: webhook_id, after })
    return write.reply(dataBodyText(webhookDeliveryJson), ONE_DELIVERY_SQL, [id])
  },

  /**
   * Sends failed deliveries again, including those that wait for a retry, because somebody has repaired the receiver.
   * Excludes test deliveries.
   */
  async 'webhook-deliveries.send-failed'(write, { webhook_id, since }) {
    await requireEnabled(write, webhook_id)
    const data = await write.only<{ deliveries: number; has_more: boolean }>(
      `WITH failed AS MATERIALIZED (
         SELECT id FROM webhook_deliveries
         WHERE webhook_id = :webhook_id AND delivered_at IS NULL AND took_ms IS NOT NULL AND change_at >= :since
           AND type <> '${WEBHOOK_TEST}'
         ORDER BY id LIMIT ${RESENT_DELIVERIES_MAX} + 1 FOR UPDATE
       ), sent AS (
         UPDATE webhook_deliveries SET ${RESET_DELIVERY_SQL}
         WHERE id IN (SELECT id FROM failed ORDER BY id LIMIT ${RESENT_DELIVERIES_MAX}) RETURNING id
       )
       SELECT count(*)::int AS deliveries, (SELECT count(*) FROM failed) > ${RESENT_DELIVERIES_MAX} AS has_more FROM sent`,
      { webhook_id, since },
    )
    const after = { since, deliveries: data.deliveries }
    await write.audit({ action: 'webhooks.send-failed', id: webhook_id, after })
    return { data }
  },
}

// Limits the number of webhooks, because each change is compared with all of them.
async function refuseTooManyWebhooks(write: Write, tokenId: number | null): Promise<void> {
  // This lock ensures that webhooks that are created at the same time do not exceed the limit.
  await write.run(`SELECT ${waitForLockSql(LOCKS.webhooks)}`)
  const { number, own } = await write.only<{ number: number; own: number }>(
    'SELECT count(*)::int AS number, count(*) FILTER (WHERE token_id = ?)::int AS own FROM webhooks',
    [tokenId],
  )
  if (own >= TOKEN_WEBHOOKS_MAX)
    throw createTooManyRefusal(message`This token has ${TOKEN_WEBHOOKS_MAX} webhooks already`)
  if (number >= WEBHOOKS_MAX) throw createTooManyRefusal(message`There are ${WEBHOOKS_MAX} webhooks already`)
}

const createTooManyRefusal = (which: Message) =>
  new Refusal(
    'too_many_webhooks',
    message`${which}, which is the limit. Delete one that is no longer needed.`,
  )

const createSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

async function lockWebhook(write: Write, id: number): Promise<unknown> {
  const lock = `SELECT ${WEBHOOK_ROW_SQL} FROM webhooks WHERE id = ? FOR UPDATE`
  const { row } = await write.requireRow<{ row: unknown }>(lock, [id], WEBHOOK_NOT_FOUND)
  await requireInTokenBuildings(write, 'webhooks', [id], WEBHOOK_NOT_FOUND)
  return row
}

// Refuses unless the webhook is enabled. The lock is FOR KEY SHARE: a process that records an attempt holds
// the lock of the delivery, and must never wait for the lock of the webhook.
async function requireEnabled(write: Write, id: number): Promise<void> {
  const lock = 'SELECT enabled FROM webhooks WHERE id = ? FOR KEY SHARE'
  const { enabled } = await write.requireRow<{ enabled: boolean }>(lock, [id], WEBHOOK_NOT_FOUND)
  await requireInTokenBuildings(write, 'webhooks', [id], WEBHOOK_NOT_FOUND)
  if (!enabled)
    throw new Refusal(
      'webhook_disabled',
      message`The webhook is switched off, so nothing is sent. Switch it on first.`,
    )
}
