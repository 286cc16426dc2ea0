// Sends notifications to the push services of people's browsers (Web Push, RFC 8030, 8291 and 8292), each at most once.
// The process for webhooks sends them, because browsers supply the addresses, which must not lead to private networks.
import type { Knex } from 'knex'
import webPush from 'web-push'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import type { ReachableNetworks } from '../../shared/networks/reachable-networks.ts'
import type { PushSettings } from '../../shared/settings/push.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../shared/utilities/poller.ts'
import { computeRetryDelaySeconds } from './deliveries.ts'
import type { HookMetrics } from './hook-metrics.ts'
import type { PushOutcome } from './push-outcomes.ts'
import { GONE_STATUS, isDelivered, type SendResult, sendDelivery } from './send.ts'

const POLL_INTERVAL_MS = 1_000
const BUSY_POLL_INTERVAL_MS = 100
const STARTED_AT_ONCE_MAX = 20
const UNDER_WAY_MAX = 200
// How long a process may hold a delivery before it begins to send. After this time, the process counts as dead.
const LEASE_DURATION = "interval '1 minute'"
// The longest time for which a busy push service can pause its deliveries.
const PAUSE_MS_MAX = 3_600_000

const NOT_FOUND_STATUS = 404
const BUSY_STATUSES = [429, 503]

type PushTools = {
  database: Knex
  networks: ReachableNetworks
  log: Log
  metrics: HookMetrics | undefined
  timeoutMs: number
  settings: PushSettings
}

type PushSender = PushTools & {
  underWay: Set<Promise<void>>
  /** The hosts of push services that asked Berth to wait, each with the time at which the wait ends. */
  pausedUntilMs: Map<string, number>
}

type PushDelivery = {
  id: number
  subscriptionId: number
  payload: string
  topic: string
  isUrgent: boolean
  attempts: number
  ttlSeconds: number
  expiresAt: string
  endpoint: string
  p256dh: string
  auth: string
}

export function startPushSending(tools: PushTools): Poller {
  const sender: PushSender = { ...tools, underWay: new Set(), pausedUntilMs: new Map() }
  const poller = startPolling({
    everyMs: POLL_INTERVAL_MS,
    faults: new FaultLog(tools.log, 'notifications are sent again'),
    fault: 'notifications could not be sent',
    isFirstAtOnce: true,
    work: async () => ((await startDueDeliveries(sender)) ? BUSY_POLL_INTERVAL_MS : POLL_INTERVAL_MS),
  })
  return {
    async stop() {
      await poller.stop()
      await Promise.allSettled(sender.underWay)
    },
  }
}

async function startDueDeliveries(sender: PushSender): Promise<boolean> {
  const { database, underWay, pausedUntilMs, log } = sender
  for (const [host, untilMs] of pausedUntilMs) if (untilMs <= Date.now()) pausedUntilMs.delete(host)
  const limit = Math.min(STARTED_AT_ONCE_MAX, UNDER_WAY_MAX - underWay.size)
  if (limit <= 0) return false
  const { rows } = await database.raw<{ rows: PushDelivery[] }>(TAKE_SQL, {
    limit,
    paused: [...pausedUntilMs.keys()],
  })
  for (const delivery of rows) {
    const work = attemptDelivery(sender, delivery)
      .catch((error) => log.warn({ err: error }, 'the result of a notification could not be recorded'))
      .finally(() => underWay.delete(work))
    underWay.add(work)
  }
  return rows.length > 0
}

const HOST_SQL = "split_part(endpoint, '/', 3)"

// Deliveries to people who are deactivated stay in the queue until they expire.
const TAKE_SQL = `
  WITH due AS (
    SELECT push_deliveries.id FROM push_deliveries
    JOIN push_subscriptions ON push_subscriptions.id = subscription_id
    JOIN users ON users.id = user_id AND deactivated_at IS NULL
    WHERE next_at <= now() AND expires_at > now() AND NOT ${HOST_SQL} = ANY (CAST(:paused AS text[]))
    ORDER BY next_at LIMIT :limit FOR UPDATE OF push_deliveries SKIP LOCKED
  ), taken AS (
    UPDATE push_deliveries SET attempts = attempts + 1, next_at = now() + ${LEASE_DURATION}
    FROM due WHERE push_deliveries.id = due.id RETURNING push_deliveries.*
  )
  SELECT taken.id, subscription_id AS "subscriptionId", payload, topic, is_urgent AS "isUrgent", attempts,
    greatest(0, floor(extract(epoch FROM expires_at - now())))::int AS "ttlSeconds", expires_at AS "expiresAt",
    endpoint, p256dh, auth
  FROM taken JOIN push_subscriptions ON push_subscriptions.id = subscription_id`

async function attemptDelivery(sender: PushSender, delivery: PushDelivery): Promise<void> {
  const request = createRequest(delivery, sender.settings)
  // Deletes the row before sending, so that no other process sends the notification too.
  const { rowCount } = await sender.database.raw(
    'DELETE FROM push_deliveries WHERE id = ? AND attempts = ?',
    [delivery.id, delivery.attempts],
  )
  if (rowCount !== 1) return
  const sent = await sendDelivery(request, sender.networks, sender.timeoutMs)
  const outcome = await recordResult(sender, delivery, sent)
  sender.metrics?.pushed(outcome)
  const { status, tookMs, error } = sent
  const fields = {
    subscription: delivery.subscriptionId,
    outcome,
    status,
    tookMs,
    error: error && writeEnglish(error),
  }
  if (outcome === 'refused') sender.log.warn(fields, 'a push service refused a notification')
  else sender.log.debug(fields, 'notification sent')
}

function createRequest(delivery: PushDelivery, { publicKey, privateKey, contact }: PushSettings) {
  const { endpoint, p256dh, auth, payload, topic, isUrgent, ttlSeconds } = delivery
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject: contact, publicKey, privateKey },
    TTL: ttlSeconds,
    topic,
    urgency: isUrgent ? 'high' : 'normal',
  })
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { url: endpoint, headers: Object.fromEntries(texts), body: body ?? '' }
}

async function recordResult(
  sender: PushSender,
  delivery: PushDelivery,
  sent: SendResult,
): Promise<PushOutcome> {
  if (isDelivered(sent)) return 'delivered'
  const { status, retryAfter, isMaybeReceived } = sent
  if (status === GONE_STATUS || status === NOT_FOUND_STATUS) {
    await sender.database('push_subscriptions').where({ id: delivery.subscriptionId }).delete()
    return 'gone'
  }
  if (status === undefined && isMaybeReceived) return 'unanswered'
  const isBusy = status !== undefined && BUSY_STATUSES.includes(status)
  if (status !== undefined && status < 500 && !isBusy) return 'refused'
  const seconds = computeRetryDelaySeconds(delivery.attempts, retryAfter, Date.now())
  if (seconds === undefined) return 'expired'
  if (isBusy && retryAfter !== undefined)
    sender.pausedUntilMs.set(
      new URL(delivery.endpoint).host,
      Date.now() + Math.min(seconds * 1_000, PAUSE_MS_MAX),
    )
  return (await putBack(sender.database, delivery, seconds)) ? 'postponed' : 'expired'
}

/** Queues a delivery again that the push service did not accept, unless it expires before the next attempt. */
async function putBack(database: Knex, delivery: PushDelivery, seconds: number): Promise<boolean> {
  const { rowCount } = await database.raw(
    `INSERT INTO push_deliveries (subscription_id, payload, topic, is_urgent, attempts, next_at, expires_at)
     SELECT id, :payload, :topic, :isUrgent, :attempts, now() + CAST(:seconds AS float8) * interval '1 second',
       CAST(:expiresAt AS timestamptz)
     FROM push_subscriptions WHERE id = :subscriptionId
       AND now() + CAST(:seconds AS float8) * interval '1 second' < CAST(:expiresAt AS timestamptz)`,
    { ...delivery, seconds },
  )
  return rowCount === 1
}
