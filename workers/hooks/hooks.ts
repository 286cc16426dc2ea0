// The process that sends changes to webhooks. The database is its queue, which several such processes share;
// if one dies, nothing is lost. No write waits for it.
import type { Knex } from 'knex'
import { followCluster, MOVED } from '../../shared/changes/cluster.ts'
import { connectDatabase, onlyRow } from '../../shared/database/database.ts'
import { message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import type { RunningProcess } from '../../shared/runtime/process.ts'
import type { Config } from '../../shared/settings/config.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { poll } from '../../shared/utilities/poller.ts'
import { type Due, leaseDue, recordAttempt } from './deliveries.ts'
import { HookMetrics } from './hook-metrics.ts'
import { makeDeliveries } from './make-deliveries.ts'
import { type Lookup, Networks, type Sent, send, signatureHeaders } from './send.ts'

const POLL_EVERY_MS = 500
// The interval while there is something to send. With STARTED_AT_ONCE it limits the load on Postgres to 200
// attempts a second per process, however many come due together.
const BUSY_POLL_EVERY_MS = 100
const STARTED_AT_ONCE = 20
const PER_WEBHOOK = 5
// Nearly 200 receivers can hang, with five attempts each, before the others run out of places.
const UNDER_WAY_MAX = 1_000
const TIMEOUT_MS = 10_000
/** The doctor counts them too. */
export const CONNECTIONS_MAX = 5
// After this silence the connection to Postgres counts as dead. Longer than any statement here takes.
const SILENT_MS_MAX = 30_000
// Statements or pauses longer than this would hold up the feed, so they are aborted and retried.
const STATEMENT_MS_MAX = 20_000
const PAUSE_MS_MAX = 5_000
// Changes made meanwhile must not delay deliveries that are due.
const MAKING_MS_MAX = 250
// A pooler may switch to another cluster without notice.
const FOLLOW_EVERY_MS = 5_000

const LOOK = `
  SELECT pg_current_snapshot()::text AS snapshot, EXISTS (SELECT FROM webhooks WHERE enabled) AS "hasWebhooks"`

type Settings = Pick<Config, 'databaseUrl' | 'webhookAllowPrivate' | 'metricsPort' | 'host' | 'mail'>
type Options = { timeoutMs?: number; lookup?: Lookup; silentMsMax?: number }

export async function startHooks(config: Settings, log: Log, options: Options = {}): Promise<RunningProcess> {
  const database = connectDatabase(config.databaseUrl, {
    applicationName: 'berth-hooks',
    connectionsMax: CONNECTIONS_MAX,
    statementTimeoutMs: STATEMENT_MS_MAX,
    lockTimeoutMs: PAUSE_MS_MAX,
    idleInTransactionTimeoutMs: PAUSE_MS_MAX,
    socketIdleTimeoutMs: options.silentMsMax ?? SILENT_MS_MAX,
  })
  const { metricsPort: port, host } = config
  const metrics = port === undefined ? undefined : new HookMetrics(database, { host, port }, log)
  const hooks: Hooks = {
    database,
    networks: new Networks(config.webhookAllowPrivate, options.lookup),
    log,
    metrics,
    isMailed: config.mail !== undefined,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    underWay: new Set(),
    busy: new Map(),
    followAtMs: 0,
    doneSnapshot: '',
  }
  const poller = poll({
    everyMs: POLL_EVERY_MS,
    faults: new FaultLog(log, 'webhooks are looked after again'),
    fault: 'webhooks could not be looked after',
    isFirstAtOnce: true,
    work: async (isStopping) => ((await startDue(hooks, isStopping)) ? BUSY_POLL_EVERY_MS : POLL_EVERY_MS),
  })
  log.info('telling webhooks')
  return {
    async stop() {
      await poller.stop()
      await Promise.allSettled(hooks.underWay)
      metrics?.stop()
      await database.destroy()
    },
  }
}

type Hooks = {
  database: Knex
  networks: Networks
  log: Log
  metrics: HookMetrics | undefined
  isMailed: boolean
  timeoutMs: number
  underWay: Set<Promise<void>>
  /** The number of attempts under way, by webhook. */
  busy: Map<number, number>
  followAtMs: number
  /** Deliveries were made of everything in this snapshot: while it is the same, nobody has written anything. */
  doneSnapshot: string
}

type Look = { snapshot: string; hasWebhooks: boolean }

/** Returns whether there is more to do at once. */
async function startDue(hooks: Hooks, isStopping: () => boolean): Promise<boolean> {
  const { database, busy, underWay } = hooks
  await followDatabase(hooks)
  const { snapshot, hasWebhooks } = onlyRow((await database.raw<{ rows: Look[] }>(LOOK)).rows)
  const hasMore = snapshot !== hooks.doneSnapshot && (await createDeliveries(database, isStopping))
  if (!hasMore) hooks.doneSnapshot = snapshot
  const atOnce = Math.min(STARTED_AT_ONCE, UNDER_WAY_MAX - underWay.size)
  if (isStopping() || atOnce <= 0) return false
  const due = hasWebhooks ? await leaseDue(database, { perWebhook: PER_WEBHOOK, atOnce, busy }) : []
  for (const each of due) start(hooks, each)
  return hasMore || due.length > 0
}

async function followDatabase(hooks: Hooks): Promise<void> {
  const { database, log } = hooks
  if (performance.now() < hooks.followAtMs) return
  const moved = await followCluster(database)
  if (moved) log.warn(moved, MOVED)
  hooks.followAtMs = performance.now() + FOLLOW_EVERY_MS
  // Another process may have made deliveries then, and ended before it was done.
  hooks.doneSnapshot = ''
}

/** Returns whether there may be more to create. */
async function createDeliveries(database: Knex, isStopping: () => boolean): Promise<boolean> {
  const untilMs = performance.now() + MAKING_MS_MAX
  while (!isStopping() && (await makeDeliveries(database))) if (performance.now() > untilMs) return true
  return false
}

function start(hooks: Hooks, due: Due) {
  const { busy, underWay, log } = hooks
  const { webhookId } = due
  busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1)
  const work = deliver(hooks, due)
    .catch((error) => log.warn({ err: error, webhookId }, 'a delivery attempt could not be recorded'))
    .finally(() => {
      underWay.delete(work)
      const left = (busy.get(webhookId) ?? 1) - 1
      if (left > 0) busy.set(webhookId, left)
      else busy.delete(webhookId)
    })
  underWay.add(work)
}

async function deliver(hooks: Hooks, due: Due): Promise<void> {
  const { metrics, database, isMailed, log } = hooks
  const sent = await sendDue(hooks, due)
  metrics?.attempted(sent)
  await recordAttempt(database, due, sent, { nowMs: Date.now(), isMailed })
  const { webhookId, id, attempts } = due
  const { status, tookMs } = sent
  const error = sent.error && writeEnglish(sent.error)
  log.debug({ webhookId, delivery: id, attempts, status, error, tookMs }, 'delivery attempted')
}

async function sendDue({ networks, timeoutMs }: Hooks, due: Due): Promise<Sent> {
  const { url, message: id, body, secrets } = due
  if (body === null) return { error: message`the change is no longer kept`, answer: '', tookMs: 0 }
  const headers = signatureHeaders({ id, timestamp: Math.floor(Date.now() / 1_000), body }, secrets)
  return send({ url, headers, body }, networks, timeoutMs)
}
