// A worker process: joins the other processes of its database, consumes its queues on shared connections, and
// ends when the jobs under way are finished.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connectDatabase, onlyRow } from '../shared/database/database.ts'
import { Heartbeat, reportWrongClock } from '../shared/identity/heartbeat.ts'
import { type Keys, REPLIES } from '../shared/identity/keys.ts'
import { RedisConnections } from '../shared/redis/connections.ts'
import { Queues } from '../shared/runtime/queues.ts'
import type { QueueName } from '../shared/schemas/job.ts'
import type { Config } from '../shared/settings/config.ts'
import { CLOCK_SQL, Clock } from '../shared/utilities/clock.ts'
import { Failure } from '../shared/utilities/failure.ts'
import { FaultLog } from '../shared/utilities/fault-log.ts'
import { type Log, withoutRedaction } from '../shared/utilities/log.ts'
import { poll } from '../shared/utilities/poller.ts'
import { withTimeout } from '../shared/utilities/timeouts.ts'
import {
  closeConsumer,
  concurrencyOf,
  connectWorkDatabase,
  openConsumer,
  SOCKET_IDLE_TIMEOUT_MS,
} from './delivery/consumers.ts'
import { keepRefusedBookings } from './delivery/refused-bookings.ts'
import { showMail } from './operations/mail-metrics.ts'
import { WorkMetrics } from './operations/work-metrics.ts'
import { warnOfAuditLog } from './pollers/erasures/old-bookings.ts'
import { scheduleUpkeep } from './pollers/upkeep.ts'
import type { Tools } from './runtime/attempts.ts'
import { startPollers } from './start-pollers.ts'

const SCHEDULE_EVERY_MS = 60_000
const DISCONNECT_TIMEOUT_MS = 2_000
// Lets the caller find the worker working on return, if all services are up.
const FIRST_JOIN_MS = 1_000

/** `now` is this machine's clock; tests pass their own. */
export async function work(queues: QueueName[], config: Config, log: Log, now: () => number = Date.now) {
  // Before any connection, so that its statements are counted.
  const { metricsPort: port, host } = config
  const metrics = port === undefined ? undefined : new WorkMetrics({ host, port }, log)
  const failure = new Failure()
  const redis = new RedisConnections(config, 'persistent', log, failure.report)
  // Replies use a connection that fails fast: a job must not hang on its reply while Redis is down.
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
    postgres: async () => onlyRow<{ ms: number }>((await watch.raw(CLOCK_SQL)).rows).ms,
    log,
    onWrong: (aheadMs) => {
      if (heartbeat.keys)
        reportWrongClock(replies.get('shared'), heartbeat.keys, aheadMs).catch(() => undefined)
    },
  })
  let end: (() => Promise<void>) | undefined
  let isStopping = false
  // Takes no job before it knows its database and that no other database uses these queues.
  const begun = heartbeat.ready.then(() => {
    const { keys } = heartbeat
    if (isStopping || !keys) return
    end = consume(queues, { config, log, redis, replies, clock, heartbeat, keys, metrics })
    log.info({ queues }, 'working')
    if (queues.includes('upkeep')) warnOfAuditLog(config, log)
  })
  await withTimeout(begun, FIRST_JOIN_MS, () => undefined)

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

type Parts = {
  config: Config
  log: Log
  redis: RedisConnections
  replies: RedisConnections
  clock: Clock
  heartbeat: Heartbeat
  keys: Keys
  metrics: WorkMetrics | undefined
}

/** Returns the function that stops it; jobs under way are finished. */
function consume(
  queues: QueueName[],
  { config, log, redis, replies, clock, heartbeat, keys, metrics }: Parts,
): () => Promise<void> {
  // `producers` queues the parts of a split batch. Upkeep queues on a fail-fast connection: it starts again
  // every minute, and must not block a stopping process while Redis is down.
  const producers = new Queues(redis, keys)
  const upkeepQueues = new Queues(replies, keys)
  const consumers = queues.map((queue) => {
    const concurrency = concurrencyOf(queue, config)
    const database = connectWorkDatabase(queue, concurrency, config)
    const refused = queue === 'writes' ? keepRefusedBookings(database, log) : undefined
    const tools: Tools = {
      refused,
      database,
      redis: replies.get(REPLIES),
      log,
      outcomeLog: withoutRedaction(log),
      clock,
      identity: heartbeat,
      observer: metrics?.observerOf(queue),
      queueAlone: ({ id, name, data }) => producers.get(queue).add(name, data, { jobId: id }),
    }
    const options = { queue, concurrency, connection: redis.get(queue), keys }
    return { database, refused, ...openConsumer(options, tools, upkeepQueues, config) }
  })
  const schedule = queues.includes('upkeep') ? keepSchedule(upkeepQueues, log) : undefined
  const beside = consumers
    .filter((_, index) => queues[index] === 'upkeep')
    .flatMap(({ database }) =>
      startPollers({ database, config, log, mail: observeMail(metrics, database, config) }),
    )
  return async () => {
    schedule?.stop()
    await Promise.all(beside.map((each) => each.stop()))
    await Promise.all(consumers.map(closeConsumer))
    await Promise.all(consumers.map(({ refused }) => refused?.stop()))
    await Promise.race([Promise.all([producers.close(), upkeepQueues.close()]), wait(DISCONNECT_TIMEOUT_MS)])
    await Promise.all(consumers.map(({ database }) => database.destroy()))
  }
}

const observeMail = (metrics: WorkMetrics | undefined, database: Knex, { mail, peoplePages }: Config) =>
  metrics && showMail(metrics.registry, database, { isTellingPeople: mail !== undefined && peoplePages })

function keepSchedule(queues: Queues, log: Log) {
  return poll({
    everyMs: SCHEDULE_EVERY_MS,
    faults: new FaultLog(log, 'upkeep is scheduled again'),
    fault: 'upkeep could not be scheduled',
    isFirstAtOnce: true,
    async work() {
      await scheduleUpkeep(queues.get('upkeep'))
    },
  })
}
