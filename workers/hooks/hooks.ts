// The process that talks to other hosts: it sends changes to webhooks, and keeps the calendars of rooms in step. Several such
// processes can share the work: its queue is in the database, so nothing is lost if one of them dies. No write waits for this process.
import type { Knex } from 'knex'
import { followCluster, OUTBOX_MOVED_MESSAGE } from '../../shared/changes/cluster.ts'
import { connectDatabase, getOnlyRow } from '../../shared/database/database.ts'
import { message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import { type HostLookup, ReachableNetworks } from '../../shared/networks/reachable-networks.ts'
import { CALENDAR_PROVIDERS } from '../../shared/room-calendars/room-calendars.ts'
import type { RunningProcess } from '../../shared/runtime/process.ts'
import type { Config } from '../../shared/settings/config.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../shared/utilities/poller.ts'
import type { EngineOptions, EngineSettings } from '../calendars/engine/engine.ts'
import { type DueDelivery, leaseDueDeliveries, recordDeliveryAttempt } from './deliveries.ts'
import { startPictureFetching } from './fetch-pictures.ts'
import { HookMetrics } from './hook-metrics.ts'
import { makeDeliveries } from './make-deliveries.ts'
import { startPushSending } from './push-deliveries.ts'
import { createSignatureHeaders, type SendResult, sendDelivery } from './send.ts'

const POLL_EVERY_MS = 500
// The polling interval while there is something to send. Together with STARTED_AT_ONCE, it limits each
// process to 200 attempts a second, and thereby limits the load on Postgres however many deliveries are due.
const BUSY_POLL_EVERY_MS = 100
const STARTED_AT_ONCE = 20
const ATTEMPTS_PER_WEBHOOK_MAX = 5
// The limit on attempts under way. Nearly 200 receivers can hang, each with five attempts, before deliveries to other
// receivers have to wait.
const ATTEMPTS_UNDER_WAY_MAX = 1_000
const ATTEMPT_TIMEOUT_MS = 10_000
/** The limit on connections to Postgres. The `doctor` command also counts these connections. */
export const HOOKS_CONNECTIONS_MAX = 5
// How long a connection to Postgres may be silent before it counts as dead. No statement in this process takes as long.
const SOCKET_IDLE_TIMEOUT_MS = 30_000
// The limit on statements and on pauses in transactions. Longer ones would delay the change feed, so Postgres aborts
// them, and they are tried again.
const STATEMENT_TIMEOUT_MS = 20_000
const TRANSACTION_PAUSE_MS_MAX = 5_000
// The limit on the time spent on creating deliveries, so that deliveries that are already due are not delayed.
const CREATING_MS_MAX = 250
// How often to check whether the database has moved to another cluster. A connection pooler may switch clusters without
// notice.
const CLUSTER_CHECK_INTERVAL_MS = 5_000

const READ_OUTBOX_STATE_SQL = `
  SELECT pg_current_snapshot()::text AS snapshot, EXISTS (SELECT FROM webhooks WHERE enabled) AS "hasWebhooks"`

type HooksSettings = Pick<
  Config,
  'databaseUrl' | 'webhookAllowPrivate' | 'metricsPort' | 'host' | 'mail' | 'push' | 'peoplePictures'
> &
  Partial<Pick<Config, 'calendars'>> &
  Omit<EngineSettings, 'calendars'>
type HooksOptions = {
  timeoutMs?: number
  lookup?: HostLookup
  silentMsMax?: number
  calendars?: EngineOptions
}

export async function startHooks(
  config: HooksSettings,
  log: Log,
  options: HooksOptions = {},
): Promise<RunningProcess> {
  const database = connectDatabase(config.databaseUrl, {
    applicationName: 'berth-hooks',
    connectionsMax: HOOKS_CONNECTIONS_MAX,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    lockTimeoutMs: TRANSACTION_PAUSE_MS_MAX,
    idleInTransactionTimeoutMs: TRANSACTION_PAUSE_MS_MAX,
    socketIdleTimeoutMs: options.silentMsMax ?? SOCKET_IDLE_TIMEOUT_MS,
  })
  const { metricsPort: port, host } = config
  const metrics = port === undefined ? undefined : new HookMetrics(database, { host, port }, log)
  const hooks: HooksContext = {
    database,
    networks: new ReachableNetworks(config.webhookAllowPrivate, options.lookup),
    log,
    metrics,
    isMailed: config.mail !== undefined,
    timeoutMs: options.timeoutMs ?? ATTEMPT_TIMEOUT_MS,
    underWay: new Set(),
    busy: new Map(),
    followAtMs: 0,
    doneSnapshot: '',
  }
  const poller = startPolling({
    everyMs: POLL_EVERY_MS,
    faults: new FaultLog(log, 'webhooks are looked after again'),
    fault: 'webhooks could not be looked after',
    isFirstAtOnce: true,
    work: async (isStopping) =>
      (await startDueDeliveries(hooks, isStopping)) ? BUSY_POLL_EVERY_MS : POLL_EVERY_MS,
  })
  const pushes = config.push && startPushSending({ ...hooks, settings: config.push })
  const pictures = config.peoplePictures ? startPictureFetching(hooks) : undefined
  const calendars = await startCalendarsIfSet(config, log, metrics, options.calendars)
  log.info('telling webhooks')
  return {
    async stop() {
      await Promise.all([poller.stop(), pushes?.stop(), pictures?.stop(), calendars?.stop()])
      await Promise.allSettled(hooks.underWay)
      metrics?.stop()
      await database.destroy()
    },
  }
}

// Loads the engine only if it is used, because it and its packages take memory.
async function startCalendarsIfSet(
  config: HooksSettings,
  log: Log,
  metrics: HookMetrics | undefined,
  options: EngineOptions | undefined,
): Promise<Poller | undefined> {
  const { calendars } = config
  if (!calendars) return undefined
  const providers = CALENDAR_PROVIDERS.filter((name) => calendars[name] !== undefined)
  const observe = metrics?.addCalendarRequests(providers)
  const { startCalendars } = await import('../calendars/engine/engine.ts')
  return startCalendars({ ...config, calendars }, log, { ...(observe && { observe }), ...options })
}

type HooksContext = {
  database: Knex
  networks: ReachableNetworks
  log: Log
  metrics: HookMetrics | undefined
  isMailed: boolean
  timeoutMs: number
  underWay: Set<Promise<void>>
  /** The number of attempts under way for each webhook. */
  busy: Map<number, number>
  followAtMs: number
  /**
   * The database snapshot for which all deliveries have been created. While the snapshot is the same, nobody has
   * written anything.
   */
  doneSnapshot: string
}

type OutboxState = { snapshot: string; hasWebhooks: boolean }

/** Starts sending due deliveries. Returns whether more deliveries can be started immediately. */
async function startDueDeliveries(hooks: HooksContext, isStopping: () => boolean): Promise<boolean> {
  const { database, busy, underWay } = hooks
  await checkForClusterMove(hooks)
  const { snapshot, hasWebhooks } = getOnlyRow(
    (await database.raw<{ rows: OutboxState[] }>(READ_OUTBOX_STATE_SQL)).rows,
  )
  const hasMore = snapshot !== hooks.doneSnapshot && (await createDeliveries(database, isStopping))
  if (!hasMore) hooks.doneSnapshot = snapshot
  const atOnce = Math.min(STARTED_AT_ONCE, ATTEMPTS_UNDER_WAY_MAX - underWay.size)
  if (isStopping() || atOnce <= 0) return false
  const due = hasWebhooks
    ? await leaseDueDeliveries(database, { perWebhook: ATTEMPTS_PER_WEBHOOK_MAX, atOnce, busy })
    : []
  for (const each of due) startAttempt(hooks, each)
  return hasMore || due.length > 0
}

async function checkForClusterMove(hooks: HooksContext): Promise<void> {
  const { database, log } = hooks
  if (performance.now() < hooks.followAtMs) return
  const moved = await followCluster(database)
  if (moved) log.warn(moved, OUTBOX_MOVED_MESSAGE)
  hooks.followAtMs = performance.now() + CLUSTER_CHECK_INTERVAL_MS
  // Another process may have started to create deliveries in the meantime, and ended before it was done.
  hooks.doneSnapshot = ''
}

/** Creates deliveries. Returns whether there may be more deliveries to create. */
async function createDeliveries(database: Knex, isStopping: () => boolean): Promise<boolean> {
  const untilMs = performance.now() + CREATING_MS_MAX
  while (!isStopping() && (await makeDeliveries(database))) if (performance.now() > untilMs) return true
  return false
}

function startAttempt(hooks: HooksContext, due: DueDelivery) {
  const { busy, underWay, log } = hooks
  const { webhookId } = due
  busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1)
  const work = makeAttempt(hooks, due)
    .catch((error) => log.warn({ err: error, webhookId }, 'a delivery attempt could not be recorded'))
    .finally(() => {
      underWay.delete(work)
      const left = (busy.get(webhookId) ?? 1) - 1
      if (left > 0) busy.set(webhookId, left)
      else busy.delete(webhookId)
    })
  underWay.add(work)
}

async function makeAttempt(hooks: HooksContext, due: DueDelivery): Promise<void> {
  const { metrics, database, isMailed, log } = hooks
  const sent = await sendDueDelivery(hooks, due)
  metrics?.attempted(sent)
  await recordDeliveryAttempt(database, due, sent, { nowMs: Date.now(), isMailed })
  const { webhookId, id, attempts } = due
  const { status, tookMs } = sent
  const error = sent.error && writeEnglish(sent.error)
  log.debug({ webhookId, delivery: id, attempts, status, error, tookMs }, 'delivery attempted')
}

async function sendDueDelivery({ networks, timeoutMs }: HooksContext, due: DueDelivery): Promise<SendResult> {
  const { url, message: id, body, secrets } = due
  if (body === null) return { error: message`the change is no longer stored`, answer: '', tookMs: 0 }
  const headers = createSignatureHeaders({ id, timestamp: Math.floor(Date.now() / 1_000), body }, secrets)
  return sendDelivery({ url, headers, body }, networks, timeoutMs)
}
