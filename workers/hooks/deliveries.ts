// Takes due webhook deliveries from the database and records the attempts to send them. make-deliveries.ts creates the
// deliveries.
import type { Knex } from 'knex'
import { recordAudit } from '../../shared/audit/audit.ts'
import { webhookMessageJson } from '../../shared/changes/changes-shape.ts'
import { dataInBuildingsSql } from '../../shared/changes/limited-changes.ts'
import { UPKEEP_AUTHOR } from '../../shared/changes/record.ts'
import { message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { timestampText } from '../../shared/schemas/json.ts'
import { WEBHOOK_TEST, webhookIdSql, webhookTestJson } from '../../shared/webhooks/webhooks.ts'
import { queueWebhookMails } from '../pollers/mail/mails.ts'
import { GONE_STATUS, isDelivered, type SendResult } from './send.ts'

// The reason why a webhook was disabled. It is stored in English and shown in the viewer's language.
const RECEIVER_GONE_MESSAGE = message`The receiver answered 410 (Gone).`
const FAILING_MESSAGE = message`No delivery succeeded for five days.`

// How long a process may hold a delivery. A lease lasts longer than an attempt, so once it expires, the process must be
// dead, and another process may try.
const LEASE_DURATION = "interval '1 minute'"
const DISABLED_AFTER_FAILING_FOR = "interval '5 days'"

export type DueDelivery = {
  id: number
  webhookId: number
  message: string
  type: string
  attempts: number
  url: string
  secrets: string[]
  /** When the lease of this attempt expires, in microseconds. Identifies the attempt. */
  leasedUntil: string
  /** The body of the delivery. Null if the outbox no longer contains the change. */
  body: string | null
}

type LeaseLimits = { perWebhook: number; atOnce: number; busy: Map<number, number> }

/**
 * Leases the deliveries that have waited longest: at most `atOnce` in total, and at most `perWebhook` for one webhook,
 * including deliveries under way. So a slow receiver does not crowd out the others.
 */
export async function leaseDueDeliveries(
  database: Knex,
  { perWebhook, atOnce, busy }: LeaseLimits,
): Promise<DueDelivery[]> {
  const taken = await database.raw<{ rows: Array<Pick<DueDelivery, 'id' | 'leasedUntil'>> }>(TAKE_SQL, {
    per: perWebhook,
    atOnce,
    busy: [...busy.keys()],
    taken: [...busy.values()],
  })
  if (taken.rows.length === 0) return []
  const leases = new Map(taken.rows.map(({ id, leasedUntil }) => [id, leasedUntil]))
  const { rows } = await database.raw<{ rows: Array<Omit<DueDelivery, 'leasedUntil'>> }>(DESCRIBE_SQL, {
    ids: [...leases.keys()],
  })
  return rows.map((row) => ({ ...row, leasedUntil: leases.get(row.id) ?? '' }))
}

const shownSql = (column: 'data' | 'previous') =>
  `CASE WHEN webhooks.building_ids IS NULL THEN changes.${column}
     ELSE ${dataInBuildingsSql('changes', column, 'webhooks.building_ids')} END AS ${column}`

const CHANGE_BODY_SQL = `
  SELECT ${webhookMessageJson('webhooks.base_url', 'taken.type')} FROM (
    SELECT at, sequence, horizon, type, resource_id, actor_type, actor_id, actor_name, request_id,
      ${shownSql('data')}, ${shownSql('previous')}
    FROM changes
  ) AS changes
  WHERE horizon = taken.change_horizon AND sequence = taken.change_sequence AND at = taken.change_at`

const TAKE_SQL = `
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
  )
  UPDATE webhook_deliveries SET attempts = attempts + 1, next_at = now() + ${LEASE_DURATION}
  WHERE id IN (SELECT id FROM due) RETURNING id, ${timestampText('next_at')} AS "leasedUntil"`

// A statement of its own, because Postgres takes 10 ms to plan it, and an idle process looks for deliveries twice a second.
const DESCRIBE_SQL = `
  SELECT taken.id, taken.webhook_id AS "webhookId", ${webhookIdSql('taken')} AS message, taken.type, taken.attempts,
    webhooks.url, CASE WHEN previous_secret_until > now() THEN ARRAY[secret, previous_secret] ELSE ARRAY[secret] END AS secrets,
    CASE WHEN taken.type = '${WEBHOOK_TEST}' THEN ${webhookTestJson('taken')} ELSE (${CHANGE_BODY_SQL}) END AS body
  FROM webhook_deliveries AS taken JOIN webhooks ON webhooks.id = taken.webhook_id
  WHERE taken.id = ANY (CAST(:ids AS bigint[]))
  ORDER BY taken.id`

/**
 * Records the result of an attempt. A webhook whose receiver responds with 410 or fails for five days is disabled, and
 * the owners get a mail if Berth can send mail. A test delivery is tried once, and its failure does not count. Nor does
 * the failure of an attempt that has lost its lease: somebody has sent the delivery again, or another process took over.
 */
export async function recordDeliveryAttempt(
  database: Knex,
  due: DueDelivery,
  sent: SendResult,
  { nowMs, isMailed }: { nowMs: number; isMailed: boolean },
): Promise<void> {
  const isDone = isDelivered(sent)
  const isGone = sent.status === GONE_STATUS
  const isTest = due.type === WEBHOOK_TEST
  const delay =
    isDone || isGone || isTest ? undefined : computeRetryDelaySeconds(due.attempts, sent.retryAfter, nowMs)
  await database.transaction(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>(
      `UPDATE webhook_deliveries SET status = :status, error = :error, error_message = :errorMessage,
         answer = :answer, took_ms = :took,
         delivered_at = CASE WHEN :done THEN now() END,
         next_at = now() + CAST(:delay AS float8) * interval '1 second'
       WHERE id = :id AND next_at = CAST(:leasedUntil AS timestamptz)`,
      {
        id: due.id,
        leasedUntil: due.leasedUntil,
        status: sent.status ?? null,
        error: sent.error ? writeEnglish(sent.error) : null,
        errorMessage: sent.error ? JSON.stringify(sent.error) : null,
        answer: sent.answer,
        took: sent.tookMs,
        done: isDone,
        delay: delay ?? null,
      },
    )
    if (isDone) await recordSuccess(trx, due)
    else if (!isTest && rowCount > 0) await recordFailure(trx, due, { isGone, isMailed })
  })
}

async function recordSuccess(trx: Knex.Transaction, { webhookId }: DueDelivery): Promise<void> {
  await trx.raw('UPDATE webhooks SET failing_since = NULL WHERE id = ? AND failing_since IS NOT NULL', [
    webhookId,
  ])
}

async function recordFailure(
  trx: Knex.Transaction,
  { webhookId, attempts }: DueDelivery,
  { isGone, isMailed }: { isGone: boolean; isMailed: boolean },
): Promise<void> {
  await trx.raw('UPDATE webhooks SET failing_since = now() WHERE id = ? AND failing_since IS NULL', [
    webhookId,
  ])
  // The first attempt of a delivery never disables the webhook: the failures before it may be of a delivery that was given
  // up days ago, and the receiver may have been repaired since then.
  const isRetry = attempts > 1
  const { rows } = await trx.raw(
    `UPDATE webhooks SET enabled = false, updated_at = now(), disabled_reason = CASE WHEN :gone
       THEN '${RECEIVER_GONE_MESSAGE.text}' ELSE '${FAILING_MESSAGE.text}' END
     WHERE id = :id AND enabled AND (:gone OR :isRetry AND failing_since < now() - ${DISABLED_AFTER_FAILING_FOR})
     RETURNING disabled_reason AS reason`,
    { id: webhookId, gone: isGone, isRetry },
  )
  const [disabled] = rows as Array<{ reason: string }>
  if (!disabled) return
  const change = { action: 'webhooks.disable', id: webhookId } as const
  await recordAudit(
    trx,
    { ...UPKEEP_AUTHOR, actor: { type: 'system', id: null, name: 'hooks' } },
    { ...change, after: disabled },
  )
  if (isMailed) await queueWebhookMails(trx, webhookId)
}

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS
const RETRY_DELAYS_SECONDS = [
  5,
  30,
  5 * MINUTE_SECONDS,
  30 * MINUTE_SECONDS,
  2 * HOUR_SECONDS,
  6 * HOUR_SECONDS,
  12 * HOUR_SECONDS,
  24 * HOUR_SECONDS,
]
const RETRY_AFTER_MAX_SECONDS = 24 * HOUR_SECONDS
// Varies the delays of retries, so that deliveries that failed together are not retried together.
const JITTER_SHARE = 0.2

/**
 * Returns the delay before the next retry, or undefined to give up. The receiver's Retry-After can lengthen the delay
 * but not shorten it.
 */
export function computeRetryDelaySeconds(
  attempts: number,
  retryAfter: string | undefined,
  nowMs: number,
  random: () => number = Math.random,
): number | undefined {
  const delay = RETRY_DELAYS_SECONDS[attempts - 1]
  if (delay === undefined) return undefined
  const requested = Math.min(parseRetryAfter(retryAfter, nowMs), RETRY_AFTER_MAX_SECONDS)
  return Math.max(delay * (1 + JITTER_SHARE * random()), requested)
}

function parseRetryAfter(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? 0 : Math.max(0, (atMs - nowMs) / 1_000)
}
