// Runs a worker process. It joins the other processes on its database, consumes its queues on shared connections, and
// ends when running jobs are finished.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connectDatabase, getOnlyRow } from '../shared/database/database.ts'
import { Heartbeat, reportWrongClock } from '../shared/identity/heartbeat.ts'
import { REPLIES_PART, type RedisKeys } from '../shared/identity/keys.ts'
import { RedisConnections } from '../shared/redis/connections.ts'
import { Queues } from '../shared/runtime/queues.ts'
import type { QueueName } from '../shared/schemas/job.ts'
import type { Config } from '../shared/settings/config.ts'
import { CLOCK_SQL, Clock } from '../shared/utilities/clock.ts'
import { Failure } from '../shared/utilities/failure.ts'
import { FaultLog } from '../shared/utilities/fault-log.ts'
import { createUnredactedLog, type Log } from '../shared/utilities/log.ts'
import { startPolling } from '../shared/utilities/poller.ts'
import { withTimeout } from '../shared/utilities/timeouts.ts'
import {
  closeConsumer,
  connectWorkDatabase,
  getConcurrency,
  openConsumer,
  SOCKET_IDLE_TIMEOUT_MS,
} from './delivery/consumers.ts'
import { storeRefusedBookings } from './delivery/refused-bookings.ts'
import { addMailMetrics } from './operations/mail-metrics.ts'
import { WorkMetrics } from './operations/work-metrics.ts'
import { warnAboutAuditLog } from './pollers/erasures/old-bookings.ts'
import { scheduleUpkeep } from './pollers/upkeep.ts'
import type { AttemptTools } from './runtime/attempts.ts'
import { startPollers } from './start-pollers.ts'

const SCHEDULE_EVERY_MS = 60_000
const DISCONNECT_TIMEOUT_MS = 2_000
// How long `startWorker` waits for the worker to join. If all services are up, the worker is already working when
// `startWorker` returns.
const FIRST_JOIN_TIMEOUT_MS = 1_000

type WarmUp = (database: Knex, connections: number, log: Log) => Promise<void>

/** Starts the worker. `now` is this machine's clock; tests pass their own. The worker takes no jobs before `warmUp` has ended. */
export async function startWorker(
  queues: QueueName[],
  config: Config,
  log: Log,
  now: () => number = Date.now,
  warmUp?: WarmUp,
) {
  // The metrics start before any connection is opened, so that all statements are counted.
  const { metricsPort: port, host } = config
  const metrics = port === undefined ? undefined : new WorkMetrics({ host, port }, log)
  const failure = new Failure()
  const redis = new RedisConnections(config, 'persistent', log, failure.report)
  // Replies use a connection whose commands fail immediately while Redis is down, so that no job hangs on its reply.
  const replies = new RedisConnections(config, 'fail-fast', log, failure.report)
  const watch = connectDatabase(config.databaseUrl, {
    applicationName: 'berth-worker',
    poolName: 'watch',
    connectionsMax: 1,
    socketIdleTimeoutMs: SOCKET_IDLE_TIMEOUT_MS.writes,
  })
  const heartbeat = new Heartbeat({
    queues,
    prefix: config.redisPrefix,
    redis: replies.get('shared'),
    ask: async (sql) => (await watch.raw(sql)).rows,
    log,
    fail: failure.report,
  })
  metrics?.showQueuesUp(() => heartbeat.keys !== undefined && redis.isResponding())
  const clock = new Clock({
    machine: now,
    postgres: async () => getOnlyRow<{ ms: number }>((await watch.raw(CLOCK_SQL)).rows).ms,
    log,
    onWrong: (aheadMs) => {
      if (heartbeat.keys)
        reportWrongClock(replies.get('shared'), heartbeat.keys, aheadMs).catch(() => undefined)
    },
  })
  let end: (() => Promise<void>) | undefined
  let isStopping = false
  // Takes no jobs until the worker has identified its database and checked that no other database uses these queues.
  const begun = heartbeat.ready.then(async () => {
    const { keys } = heartbeat
    if (isStopping || !keys) return
    const databases = new Map(
      queues.map((queue) => [queue, connectWorkDatabase(queue, getConcurrency(queue, config), config)]),
    )
    end = async () => void (await Promise.all([...databases.values()].map((each) => each.destroy())))
    const writes = databases.get('writes')
    if (warmUp && writes) await warmUp(writes, getConcurrency('writes', config), log)
    if (isStopping) return
    end = consumeQueues(databases, { config, log, redis, replies, clock, heartbeat, keys, metrics })
    log.info({ queues }, 'working')
    if (queues.includes('upkeep')) warnAboutAuditLog(config, log)
  })
  begun.catch(failure.report)
  await withTimeout(begun, FIRST_JOIN_TIMEOUT_MS, () => undefined)

  return {
    failed: failure.happened,
    async stop() {
      isStopping = true
      clock.stop()
      await heartbeat.stop()
      await end?.()
      metrics?.stop()
      redis.disconnect()
      replies.disconnect()
      await watch.destroy()
    },
  }
}

type WorkerParts = {
  config: Config
  log: Log
  redis: RedisConnections
  replies: RedisConnections
  clock: Clock
  heartbeat: Heartbeat
  keys: RedisKeys
  metrics: WorkMetrics | undefined
}

/** Starts consuming queues. Returns a function that stops the consumers after their running jobs are finished. */
function consumeQueues(
  databases: Map<QueueName, Knex>,
  { config, log, redis, replies, clock, heartbeat, keys, metrics }: WorkerParts,
): () => Promise<void> {
  // `producers` queues the attempts of a batch as separate jobs. Upkeep queues jobs on a connection whose commands fail
  // immediately while Redis is down: upkeep runs again every minute, and must not block a process that is stopping.
  const producers = new Queues(redis, keys)
  const upkeepQueues = new Queues(replies, keys)
  const consumers = [...databases].map(([queue, database]) => {
    const concurrency = getConcurrency(queue, config)
    const refused = queue === 'writes' ? storeRefusedBookings(database, log) : undefined
    const tools: AttemptTools = {
      refused,
      database,
      redis: replies.get(REPLIES_PART),
      log,
      outcomeLog: createUnredactedLog(log),
      clock,
      identity: heartbeat,
      observer: metrics?.observerOf(queue),
      queueAlone: ({ id, name, data }) => producers.get(queue).add(name, data, { jobId: id }),
    }
    const options = { queue, concurrency, connection: redis.get(queue), keys }
    return { database, refused, ...openConsumer(options, tools, upkeepQueues, config) }
  })
  const upkeep = databases.get('upkeep')
  const schedule = upkeep && keepUpkeepScheduled(upkeepQueues, log)
  const beside = upkeep
    ? startPollers({
        database: upkeep,
        config,
        log,
        mail: showMailMetricsIfEnabled(metrics, upkeep, config),
      })
    : []
  return async () => {
    schedule?.stop()
    await Promise.all(beside.map((each) => each.stop()))
    await Promise.all(consumers.map(closeConsumer))
    await Promise.all(consumers.map(({ refused }) => refused?.stop()))
    await Promise.race([Promise.all([producers.close(), upkeepQueues.close()]), wait(DISCONNECT_TIMEOUT_MS)])
    await Promise.all(consumers.map(({ database }) => database.destroy()))
  }
}

const showMailMetricsIfEnabled = (
  metrics: WorkMetrics | undefined,
  database: Knex,
  { mail, peoplePages }: Config,
) =>
  metrics &&
  addMailMetrics(metrics.registry, database, { isTellingPeople: mail !== undefined && peoplePages })

function keepUpkeepScheduled(queues: Queues, log: Log) {
  return startPolling({
    everyMs: SCHEDULE_EVERY_MS,
    faults: new FaultLog(log, 'upkeep is scheduled again'),
    fault: 'upkeep could not be scheduled',
    isFirstAtOnce: true,
    async work() {
      await scheduleUpkeep(queues.get('upkeep'))
    },
  })
}
