// The gateway's services, opened once per process: its connections, and everything built on them.
import { getOnlyRow } from '../../../shared/database/database.ts'
import { Heartbeat } from '../../../shared/identity/heartbeat.ts'
import { getRedisKey, REPLIES_PART } from '../../../shared/identity/keys.ts'
import { RedisConnections } from '../../../shared/redis/connections.ts'
import type { Config } from '../../../shared/settings/config.ts'
import { ByteCache } from '../../../shared/utilities/caches.ts'
import { CLOCK_SQL, Clock } from '../../../shared/utilities/clock.ts'
import { Failure } from '../../../shared/utilities/failure.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { LastUseRecorder, Tokens } from '../../auth/tokens.ts'
import { Admission } from '../../overload/admission.ts'
import { FairLimit } from '../../overload/fair-limit.ts'
import { PageShares } from '../../overload/page-shares.ts'
import { RateLimiter } from '../../overload/rate-limiter.ts'
import { RequestScheduler } from '../../overload/request-scheduler.ts'
import { Dispatcher } from '../../queue/dispatch.ts'
import { NoticeQueue } from '../../queue/notice-queue.ts'
import { QueueMonitor, QueueProbe } from '../../queue/queue-monitor.ts'
import { Receipts } from '../../queue/receipts.ts'
import { Replies } from '../../queue/replies.ts'
import { ChangePoller } from '../../reads/connections/change-poller.ts'
import { connectQuickPool, openReservedConnections } from '../../reads/connections/read-connections.ts'
import { openReads } from '../../reads/connections/reads.ts'
import { observeDependencies, observeReplica } from '../operations/dependency-metrics.ts'
import { Metrics, observeAdmission, RefusalLog } from '../operations/metrics.ts'
import { RequestLog } from '../operations/request-log.ts'

export type Services = ReturnType<typeof openServices>

// The size of the picture cache. It has room for four of the largest images.
const FLOOR_PLAN_BYTES_MAX = 64 * 1024 * 1024
// How many live maps are read at once, so that they never take every connection for reads.
const CONCURRENT_LIVEMAPS_MAX = 3

/** Opens the services. `now` is the clock; tests pass their own clock to run at midnight. */
export function openServices(config: Config, log: Log, now: () => number = Date.now) {
  const connections = openConnections(config, log, now)
  const { primary, reserved, redis, clock, heartbeat, failure } = connections
  const subscriber = new RedisConnections(config, 'subscriber', log).get(REPLIES_PART)
  const replies = new Replies(subscriber, config.redisPrefix, log)
  const queues = new QueueMonitor(redis, heartbeat)
  const metrics = new Metrics()
  const { scheduler, admission } = openAdmission(config)
  const sharedRedis = {
    redis: redis.get('shared'),
    isRedisUp: () => queues.isUp('shared'),
    nameOf: (key: string) => getRedisKey(queues.keys, key),
  }
  const reads = openReads({
    config,
    ...connections,
    ...sharedRedis,
    log,
    admission: admission.reads,
    observerOf: (replica) => observeReplica(metrics.registry, replica),
  })
  const rateLimiter = new RateLimiter(sharedRedis)
  const pageShares = new PageShares(rateLimiter, config)
  observeAdmission(metrics.registry, { ...admission, ...pageShares.limits })
  const requestLog = new RequestLog({ ...sharedRedis, isOn: config.requestLog, now, log })
  const tokenUse = new LastUseRecorder(primary, log)
  const queueProbe = new QueueProbe({ queues, replies, log })
  observeDependencies(metrics.registry, { queues, queueProbe, replies, redis, reserved })
  const dispatcher = new Dispatcher({
    ...{ queues, replies, reads, clock, config, log },
    receipts: new Receipts(reserved.receipts),
    pool: reserved.receipts,
    admission: admission.writes,
  })
  const notices = new NoticeQueue({ dispatcher, config, now, log })
  return {
    config,
    log,
    now,
    ...connections,
    reads,
    scheduler,
    admission,
    queues,
    tokenUse,
    queueProbe,
    metrics,
    changePoller: new ChangePoller(primary),
    streamShares: openStreamShares(config),
    floorPlans: new ByteCache(FLOOR_PLAN_BYTES_MAX),
    livemaps: new FairLimit({ max: () => CONCURRENT_LIVEMAPS_MAX }),
    tokens: new Tokens(reserved.authentication),
    rateLimiter,
    pageShares,
    requestLog,
    dispatcher,
    notices,
    refusals: new RefusalLog(metrics.registry, log),
    /** Resolves with an error that makes it pointless for the process to continue. */
    failed: failure.happened,
    /** Whether the process is shutting down. It still responds, but should get no new traffic. */
    isStopping: false,
    async close() {
      await notices.close()
      clock.stop()
      await heartbeat.stop()
      await tokenUse.close()
      await requestLog.write()
      await queues.close()
      replies.close()
      redis.disconnect()
      await Promise.all([reads.close(), ...Object.values(reserved).map((pool) => pool.end())])
    },
  }
}

function openConnections(config: Config, log: Log, now: () => number) {
  const primaryUrl = config.gatewayDatabaseUrl ?? config.databaseUrl
  const primary = connectQuickPool(primaryUrl, {
    applicationName: 'berth-gateway',
    connectionsMax: config.databaseConnectionsMax,
  })
  const reserved = openReservedConnections(primaryUrl)
  const clock = new Clock({
    machine: now,
    postgres: async () => getOnlyRow((await reserved.operations.query<{ ms: number }>(CLOCK_SQL)).rows).ms,
    log,
  })
  const failure = new Failure()
  const redis = new RedisConnections(config, 'fail-fast', log, failure.report)
  const heartbeat = new Heartbeat({
    queues: [],
    prefix: config.redisPrefix,
    redis: redis.get('shared'),
    ask: async (sql) => (await reserved.operations.query<Record<string, unknown>>(sql)).rows,
    log,
    fail: failure.report,
  })
  /** The primary serves the gateway's own tables and data that must not be stale. */
  return { primaryUrl, primary, reserved, clock, failure, redis, heartbeat }
}

/** Shares the connections for long listings. One owner may hold at most half of them. */
const openStreamShares = ({ streamConnectionsMax: max }: Config) =>
  new FairLimit({ max: () => max, ownMax: Math.max(1, Math.floor(max / 2)) })

function openAdmission(config: Config) {
  const scheduler = new RequestScheduler()
  const isBehind = () => scheduler.isBehind
  const admission = {
    writes: new Admission('writes', config.writesUnderWayMax, isBehind),
    reads: new Admission('reads', config.readsUnderWayMax, isBehind),
  }
  return { scheduler, admission }
}
