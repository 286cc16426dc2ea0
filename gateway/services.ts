// What the gateway works with, opened once a process: connections, and what is built on them.

import type { Redis } from 'ioredis'
import type pg from 'pg'
import type { Config } from '../shared/config.ts'
import { connectPool, type DatabaseOptions, onlyRow } from '../shared/database.ts'
import { Heartbeat } from '../shared/identity/heartbeat.ts'
import { keyOf } from '../shared/identity/keys.ts'
import type { Log } from '../shared/log.ts'
import { connectRedis } from '../shared/redis.ts'
import { ByteCache } from '../shared/utilities/byte-cache.ts'
import { CLOCK_SQL, Clock } from '../shared/utilities/clock.ts'
import { ConcurrencyLimit, ConcurrencyLimits } from '../shared/utilities/concurrency-limit.ts'
import { Failure } from '../shared/utilities/failure.ts'
import { RateLimiter } from './auth/rate-limiter.ts'
import { TokenUse } from './auth/token-use.ts'
import { Tokens } from './auth/tokens.ts'
import { PIPELINES, PointReads } from './database/point-reads.ts'
import { AcceptedJobs } from './jobs/accepted-jobs.ts'
import { Dispatcher } from './jobs/dispatch.ts'
import { QueueMonitor } from './jobs/queue-monitor.ts'
import { Receipts } from './jobs/receipts.ts'
import { Replies } from './jobs/replies.ts'
import { WritePath } from './jobs/write-path.ts'
import { Metrics } from './operations/metrics.ts'

export type Services = {
  config: Config
  log: Log
  now: () => number
  /** That of deadlines. */
  clock: Clock
  /** Answers reads; may be a replica. */
  reads: pg.Pool
  /** Answers those of one row by an index, from the same database. */
  pointReads: PointReads
  /** For long listings, which hold a connection as long as their client takes. */
  streams: pg.Pool
  /** Nobody may hold more than half of them: places by the id of the token. */
  streamShares: ConcurrencyLimits
  /** The primary, for the gateway's own tables and for whatever must not be stale. */
  primary: pg.Pool
  /** Pictures of floor plans in base64, by their hash. */
  floorPlans: ByteCache
  /** Maps of the API that are drawn at once. */
  livemaps: ConcurrencyLimit
  redis: Redis
  heartbeat: Heartbeat
  tokens: Tokens
  tokenUse: TokenUse
  rateLimiter: RateLimiter
  queues: QueueMonitor
  dispatcher: Dispatcher
  writePath: WritePath
  metrics: Metrics
  /** Resolved with what makes it useless to go on. */
  failed: Promise<Error>
  /** The process has begun to end: it answers, but nobody should send it more. */
  isStopping: boolean
  close(): Promise<void>
}

// A read that takes longer than this would be answered too late anyway, and Postgres ends it.
const STATEMENT_TIMEOUT_MS = 2_000
// A Postgres that takes packets but never answers must count as down; one that answers has this time to say that it
// ended a statement.
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 200
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
// Four of the largest.
const FLOOR_PLAN_BYTES_MAX = 64 * 1024 * 1024
// So that they never take every connection of the reads.
const LIVEMAPS_MAX = 3

/** `now` is the clock; tests bring their own to stand at midnight. */
export function openServices(config: Config, log: Log, now: () => number = Date.now): Services {
  const primaryUrl = config.gatewayDatabaseUrl ?? config.databaseUrl
  const readUrl = config.databaseReadUrl === config.databaseUrl ? primaryUrl : config.databaseReadUrl
  const pool = (url: string, applicationName: string, changes: DatabaseOptions = {}) =>
    connectPool(url, {
      applicationName,
      connectionsMax: config.databaseConnectionsMax,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      queryTimeoutMs: QUERY_TIMEOUT_MS,
      settings: { jit: 'off' },
      ...changes,
    })
  const primary = pool(primaryUrl, 'berth-gateway')
  const reads = readUrl === primaryUrl ? primary : pool(readUrl, 'berth-reads')
  const pipelines = pool(readUrl, 'berth-point-reads', { connectionsMax: PIPELINES, pipeline: true })
  const pointReads = new PointReads(reads, pipelines)
  // Without a timeout of statements, which would cut a stream off, however fast its client takes it; but none waits
  // longer for a lock than a read does.
  const streams = connectPool(readUrl, {
    applicationName: 'berth-streams',
    connectionsMax: config.streamConnectionsMax,
    lockTimeoutMs: STATEMENT_TIMEOUT_MS,
    settings: { jit: 'off' },
  })
  const clock = new Clock({
    machine: now,
    postgres: async () => onlyRow((await primary.query<{ ms: number }>(CLOCK_SQL)).rows).ms,
    log,
  })
  const failure = new Failure()
  const redis = connectRedis(config.redisUrl, 'fail-fast', log, failure.report)
  const heartbeat = new Heartbeat({
    queues: [],
    prefix: config.redisPrefix,
    redis,
    ask: async (sql) => (await primary.query<Record<string, unknown>>(sql)).rows,
    log,
    fail: failure.report,
  })
  const receipts = new Receipts(primary)
  const replies = new Replies(connectRedis(config.redisUrl, 'subscriber', log), config.redisPrefix, log)
  const queues = new QueueMonitor(redis, heartbeat)
  const dispatcher = new Dispatcher({
    queues,
    receipts,
    replies,
    accepted: new AcceptedJobs(primary),
    clock,
    config,
    log,
  })
  const tokenUse = new TokenUse(primary, log)

  return {
    config,
    log,
    now,
    clock,
    reads,
    pointReads,
    streams,
    streamShares: new ConcurrencyLimits(Math.max(1, Math.floor(config.streamConnectionsMax / 2))),
    primary,
    floorPlans: new ByteCache(FLOOR_PLAN_BYTES_MAX),
    livemaps: new ConcurrencyLimit(LIVEMAPS_MAX),
    redis,
    heartbeat,
    tokens: new Tokens(primary),
    tokenUse,
    rateLimiter: new RateLimiter(
      redis,
      () => queues.isUp(),
      (key) => keyOf(queues.keys, `rate:${key}`),
    ),
    queues,
    dispatcher,
    writePath: new WritePath({ queues, replies, log }),
    metrics: new Metrics(queues),
    failed: failure.happened,
    isStopping: false,
    async close() {
      clock.stop()
      await heartbeat.stop()
      await tokenUse.close()
      await queues.close()
      replies.close()
      redis.disconnect()
      await pointReads.close()
      await Promise.all([...new Set([primary, reads, streams])].map((each) => each.end()))
    },
  }
}
