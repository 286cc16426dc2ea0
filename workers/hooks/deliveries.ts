// Takes due webhook deliveries from the database and records their attempts. make-deliveries.ts creates them.
import type { Knex } from 'knex'
import { audit } from '../../shared/audit/audit.ts'
import { webhookMessageJson } from '../../shared/changes/changes-shape.ts'
import { dataInBuildings } from '../../shared/changes/limited.ts'
import { UPKEEP } from '../../shared/changes/record.ts'
import { message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { deliveryMessage, WEBHOOK_TEST, webhookTestJson } from '../../shared/webhooks/webhooks.ts'
import { queueWebhookMails } from '../pollers/mail/mails.ts'
import { GONE, isSuccess, type Sent } from './send.ts'

// Why a webhook was disabled: stored in English, shown in the viewer's language.
const RECEIVER_GONE = message`The receiver answered 410: it is gone.`
const FAILING = message`No delivery succeeded for five days.`

// Longer than an attempt takes: after that its process is dead, and another one may try.
const LEASE = "interval '1 minute'"
const DISABLED_AFTER = "interval '5 days'"

export type Due = {
  id: number
  webhookId: number
  message: string
  type: string
  attempts: number
  url: string
  secrets: string[]
  /** Null if the outbox no longer has the change. */
  body: string | null
}

type Limits = { perWebhook: number; atOnce: number; busy: Map<number, number> }

/**
 * Takes those that have waited longest: `atOnce` at most, and `perWebhook` of a webhook including those under
 * way, so that a slow receiver does not crowd out the others.
 */
export async function leaseDue(database: Knex, { perWebhook, atOnce, busy }: Limits): Promise<Due[]> {
  const { rows } = await database.raw(TAKE, {
    per: perWebhook,
    atOnce,
    busy: [...busy.keys()],
    taken: [...busy.values()],
  })
  return rows
}

const shown = (column: 'data' | 'previous') =>
  `CASE WHEN webhooks.building_ids IS NULL THEN changes.${column}
     ELSE ${dataInBuildings('changes', column, 'webhooks.building_ids')} END AS ${column}`

const CHANGE_BODY = `
  SELECT ${webhookMessageJson('webhooks.base_url', 'taken.type')} FROM (
    SELECT at, sequence, horizon, type, resource_id, actor_type, actor_id, actor_name, request_id,
      ${shown('data')}, ${shown('previous')}
    FROM changes
  ) AS changes
  WHERE horizon = taken.change_horizon AND sequence = taken.change_sequence AND at = taken.change_at`

const TAKE = `
  WITH due AS (
    SELECT deliveries.id
    FROM webhooks
    LEFT JOIN unnest(CAST(:busy AS bigint[]), CAST(:taken AS int[])) AS under_way (webhook_id, number)
      ON under_way.webhook_id = webhooks.id,
    LATERAL (
      SELECT id, next_at FROM webhook_deliveries
      WHERE webhook_id = webhooks.id AND next_at <= now()
      ORDER BY next_at LIMIT greatest(0, :per - coalesce(under_way.number, 0))
      FOR UPDATE SKIP LOCKED
    ) AS deliveries
    WHERE webhooks.enabled
    ORDER BY deliveries.next_at LIMIT :atOnce
  ), taken AS (
    UPDATE webhook_deliveries SET attempts = attempts + 1, next_at = now() + ${LEASE}
    WHERE id IN (SELECT id FROM due) RETURNING *
  )
  SELECT taken.id, taken.webhook_id AS "webhookId", ${deliveryMessage('taken')} AS message, taken.type, taken.attempts,
    webhooks.url, CASE WHEN previous_secret_until > now() THEN ARRAY[secret, previous_secret] ELSE ARRAY[secret] END AS secrets,
    CASE WHEN taken.type = '${WEBHOOK_TEST}' THEN ${webhookTestJson('taken')} ELSE (${CHANGE_BODY}) END AS body
  FROM taken JOIN webhooks ON webhooks.id = taken.webhook_id
  ORDER BY taken.id`

/**
 * Records the result of an attempt. A receiver that answers 410 or fails for five days is disabled, and the
 * owners get a mail if mail is set up. A test is tried once, and its failure does not count.
 */
export async function recordAttempt(
  database: Knex,
  due: Due,
  sent: Sent,
  { nowMs, isMailed }: { nowMs: number; isMailed: boolean },
): Promise<void> {
  const isDone = isSuccess(sent)
  const isGone = sent.status === GONE
  const isTest = due.type === WEBHOOK_TEST
  const delay =
    isDone || isGone || isTest ? undefined : retryDelaySeconds(due.attempts, sent.retryAfter, nowMs)
  await database.transaction(async (trx) => {
    await trx.raw(
      `UPDATE webhook_deliveries SET status = :status, error = :error, error_message = :errorMessage,
         answer = :answer, took_ms = :took,
         delivered_at = CASE WHEN :done THEN now() END,
         next_at = now() + CAST(:delay AS float8) * interval '1 second'
       WHERE id = :id`,
      {
        id: due.id,
        status: sent.status ?? null,
        error: sent.error ? writeEnglish(sent.error) : null,
        errorMessage: sent.error ? JSON.stringify(sent.error) : null,
        answer: sent.answer,
        took: sent.tookMs,
        done: isDone,
        delay: delay ?? null,
      },
    )
    if (isDone) await noteSuccess(trx, due)
    else if (!isTest) await noteFailure(trx, due, { isGone, isMailed })
  })
}

async function noteSuccess(trx: Knex.Transaction, { webhookId }: Due): Promise<void> {
  await trx.raw('UPDATE webhooks SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL', [
    webhookId,
  ])
}

async function noteFailure(
  trx: Knex.Transaction,
  { webhookId }: Due,
  { isGone, isMailed }: { isGone: boolean; isMailed: boolean },
): Promise<void> {
  await trx.raw('UPDATE webhooks SET failing_since = now() WHERE id = ? AND failing_since IS NULL', [
    webhookId,
  ])
  const { rows } = await trx.raw(
    `UPDATE webhooks SET enabled = false, updated_at = now(), disabled_reason = CASE WHEN :gone
       THEN '${RECEIVER_GONE.text}' ELSE '${FAILING.text}' END
     WHERE id = :id AND enabled AND (:gone OR failing_since < now() - ${DISABLED_AFTER})
     RETURNING disabled_reason AS reason`,
    { id: webhookId, gone: isGone },
  )
  const [disabled] = rows as Array<{ reason: string }>
  if (!disabled) return
  const change = { action: 'webhooks.disable', id: webhookId } as const
  await audit(
    trx,
    { ...UPKEEP, actor: { type: 'system', id: null, name: 'hooks' } },
    { ...change, after: disabled },
  )
  if (isMailed) await queueWebhookMails(trx, webhookId)
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DELAYS_SECONDS = [5, 30, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR]
const RETRY_AFTER_MAX_SECONDS = 24 * HOUR
// So that deliveries that failed together are not retried together.
const JITTER = 0.2

/** The delay after this many attempts; undefined to give up. Retry-After can lengthen it, not shorten it. */
export function retryDelaySeconds(
  attempts: number,
  retryAfter: string | undefined,
  nowMs: number,
  random: () => number = Math.random,
): number | undefined {
  const delay = DELAYS_SECONDS[attempts - 1]
  if (delay === undefined) return undefined
  const requested = Math.min(parseRetryAfter(retryAfter, nowMs), RETRY_AFTER_MAX_SECONDS)
  return Math.max(delay * (1 + JITTER * random()), requested)
}

function parseRetryAfter(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? 0 : Math.max(0, (atMs - nowMs) / 1_000)
}
