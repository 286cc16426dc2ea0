// Reports the gateway's dependencies in /metrics: whether writes work, whether Postgres answers and archives
// its WAL, and how full Redis is. All processes use the same dependencies, so a problem is reported if one
// process finds it.
import { Counter, type Gauge, type Registry } from 'prom-client'
import { getOnlyRow } from '../../../shared/database/database.ts'
import { addGauge, QUEUES_UP_GAUGE } from '../../../shared/metrics/registry.ts'
import type { RedisConnections } from '../../../shared/redis/connections.ts'
import { listFailedSaves, parseInfo, type RedisFacts } from '../../../shared/redis/servers.ts'
import { QUEUES, type QueueName } from '../../../shared/schemas/job.ts'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'
import type { QueueFigures, QueueMonitor, QueueProbe } from '../../queue/queue-monitor.ts'
import type { Replies } from '../../queue/replies.ts'
import type { ReservedConnections } from '../../reads/connections/read-connections.ts'
import type { ReadObserver } from '../../reads/connections/reads.ts'
import type { Replica } from '../../reads/connections/replica.ts'

type WatchedServices = {
  queues: QueueMonitor
  queueProbe: QueueProbe
  replies: Replies
  redis: RedisConnections
  reserved: ReservedConnections
}

// How long a scrape waits for a check. If a dependency hangs, Prometheus gets the result of the previous check.
const CHECK_WAIT_MS_MAX = 500

const ARCHIVING_SQL = `
  SELECT NOT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS "isArchiving"
  FROM pg_stat_archiver`

export function observeDependencies(registry: Registry, watched: WatchedServices) {
  const { queues, queueProbe, replies } = watched
  addGauge(registry, QUEUES_UP_GAUGE, (gauge) => gauge.set(queues.isUp() && queueProbe.takesJobs ? 1 : 0))
  // Reports the minimum of all processes: if one process misses replies, its callers have to wait until their
  // receipts are read.
  const help = 'Whether this process hears the replies of workers at once.'
  const channel = { name: 'berth_reply_channel_up', help, aggregator: 'min' as const }
  addGauge(registry, channel, (gauge) => gauge.set(replies.isOpen ? 1 : 0))
  observeQueues(registry, watched)
  observePostgres(registry, watched)
  observeRedis(registry, watched)
}

function observeQueues(registry: Registry, { queues, queueProbe }: WatchedServices) {
  const isOk = async (queue: QueueName) =>
    queues.isUp(queue) && (await queueProbe.findProblem(queue)) === undefined
  const probe = shareCheck(() =>
    Promise.all(QUEUES.map(async (queue) => ({ queue, isOk: await isOk(queue) }))),
  )
  const help = 'Whether a worker of the queue takes a tiny job, can write to `bookings`, and answers.'
  const ok = { name: 'berth_queue_ok', help, labelNames: ['queue'], aggregator: 'min' as const }
  addGauge(registry, ok, async (gauge) => {
    for (const each of (await probe()) ?? []) gauge.set({ queue: each.queue }, each.isOk ? 1 : 0)
  })
  const look = shareCheck(() => queues.figures())
  // All processes see the same queues, so their figures must not be added up. Without Redis, the figures are left out
  // instead of being stale.
  const add = (name: string, help: string, label: string[], show: (of: QueueFigures, gauge: Gauge) => void) =>
    addGauge(registry, { name, help, labelNames: ['queue', ...label], aggregator: 'max' }, async (gauge) => {
      for (const figures of (queues.isUp() && (await look())) || []) show(figures, gauge)
    })
  add('berth_queue_jobs', 'Jobs in a queue, by state.', ['state'], ({ queue, counts }, gauge) => {
    for (const [state, number] of Object.entries(counts)) gauge.set({ queue, state }, number)
  })
  const waits = 'How long the oldest job of a queue has been waiting.'
  add('berth_queue_oldest_wait_seconds', waits, [], ({ queue, oldestWaitMs }, gauge) =>
    gauge.set({ queue }, oldestWaitMs / 1000),
  )
  const reaching = 'Workers of a queue that can reach Redis and their database.'
  add('berth_queue_workers', reaching, [], ({ queue, workers }, gauge) => gauge.set({ queue }, workers))
}

function observePostgres(registry: Registry, { reserved }: WatchedServices) {
  const look = shareCheck(async () => {
    const found = await reserved.operations
      .query<{ isArchiving: boolean }>(ARCHIVING_SQL)
      .catch(() => undefined)
    return { isUp: found !== undefined, isArchiving: found && getOnlyRow(found.rows).isArchiving }
  })
  const add = (name: string, help: string, member: 'isUp' | 'isArchiving') =>
    addGauge(registry, { name, help, aggregator: 'min' }, async (gauge) => {
      const isOk = (await look())?.[member]
      if (isOk === undefined) gauge.remove()
      else gauge.set(isOk ? 1 : 0)
    })
  add('berth_postgres_up', 'Whether Postgres answers.', 'isUp')
  const archiving = 'Whether the last WAL file that Postgres archived was archived; 1 where it archives none.'
  add('berth_postgres_archiving_ok', archiving, 'isArchiving')
}

function observeRedis(registry: Registry, { redis }: WatchedServices) {
  const look = shareCheck(() =>
    Promise.all(
      [...redis.all].map(async ([part, server]) => ({ part, facts: parseInfo(await server.info()) })),
    ),
  )
  const add = (name: string, help: string, read: (facts: RedisFacts) => number | string | undefined) => {
    const aggregator = name.endsWith('_ok') ? ('min' as const) : ('max' as const)
    addGauge(registry, { name, help, labelNames: ['part'], aggregator }, async (gauge) => {
      for (const { part, facts } of (await look()) ?? []) gauge.set({ part }, Number(read(facts) ?? 0))
    })
  }
  add('berth_redis_memory_bytes', 'Memory used by Redis.', ({ used_memory }) => used_memory)
  add('berth_redis_memory_max_bytes', 'What Redis may keep; 0 without a limit.', ({ maxmemory }) => maxmemory)
  add('berth_redis_saves_ok', 'Whether Redis could write to its disk when it last tried.', (facts) =>
    listFailedSaves(facts).length === 0 ? 1 : 0,
  )
}

/** Makes the gauges of one scrape share one check. */
function shareCheck<Found>(look: () => Promise<Found>): () => Promise<Found | undefined> {
  let last: Found | undefined
  let looking: Promise<void> | undefined
  const lookAgain = async () => {
    last = await look().catch(() => undefined)
    looking = undefined
  }
  return async () => {
    looking ??= lookAgain()
    await withTimeout(looking, CHECK_WAIT_MS_MAX, () => undefined)
    return last
  }
}

export function observeReplica(registry: Registry, replica: Replica): ReadObserver {
  const help =
    'Whether reads go to the replica: it responds, and is not further behind than REPLICA_LAG_MS_MAX.'
  // Reports the minimum of all processes: a process that cannot use the replica is a problem.
  const up = { name: 'berth_replica_up', help, aggregator: 'min' as const }
  addGauge(registry, up, (gauge) => gauge.set(replica.problem === undefined ? 1 : 0))
  const behind = 'How far the replica is behind the primary; absent where it does not respond.'
  const lag = { name: 'berth_replica_lag_seconds', help: behind, aggregator: 'max' as const }
  addGauge(registry, lag, (gauge) => {
    if (replica.lagMs === undefined) gauge.remove()
    else gauge.set(replica.lagMs / 1_000)
  })
  const reads = new Counter({
    name: 'berth_reads_total',
    help: 'Reads by the server that answered them, and why it was not the replica.',
    labelNames: ['server', 'reason'],
    registers: [registry],
  })
  return (server, reason) => reads.inc({ server, reason })
}
