// What Redis must be for the queues: there, of a version that BullMQ knows, never throwing jobs away, with room, and in time.
import { Redis } from 'ioredis'
import { explainConnectionFault } from '../../shared/connections/connection-faults.ts'
import { judgeClock, leastAheadMs } from './clocks.ts'
import { examine, type Finding, formatSize, ok, problem, warning } from './findings.ts'

const VERSION_MIN = 7
const FULL_SHARE = 0.8

export type Facts = Record<string, string | undefined>

export async function checkRedis(url: string, examineQueues: (redis: Redis) => Promise<Finding[]>) {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    commandTimeout: 10_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let cause: Error | undefined
  redis.on('error', (error: Error) => {
    cause ??= error
  })
  try {
    await redis.connect()
    const facts = parseInfo(await redis.info())
    // Where there is no database of its number, ioredis goes on with number 0.
    if (cause) throw cause
    const clock = await examine('clock of Redis', async () =>
      judgeClock('clock of Redis', await leastAheadMs(() => askTime(redis)), warning),
    )
    return [...judgeRedis(facts), ...clock, ...(await examineQueues(redis))]
  } catch (error) {
    return [unreachable(cause ?? error)]
  } finally {
    redis.disconnect()
  }
}

function unreachable(error: unknown): Finding {
  const reason = explainConnectionFault(error) ?? 'is not there'
  const message = error instanceof Error ? error.message : String(error)
  return problem('Redis', `${reason}: ${message}`, 'Start Redis, or correct REDIS_URL.')
}

export function parseInfo(text: string): Facts {
  return Object.fromEntries(
    text
      .split(/\r?\n/)
      .filter((line) => line.includes(':'))
      .map((line) => line.split(/:(.*)/s, 2)),
  )
}

/** `facts` are what INFO says. */
export function judgeRedis(facts: Facts): Finding[] {
  return [
    judgeVersion(facts),
    judgePolicy(facts),
    judgeMemory(facts),
    judgePersistence(facts),
    judgeRole(facts),
  ].flat()
}

function judgeVersion(facts: Facts): Finding {
  const valkey = facts['valkey_version']
  if (valkey !== undefined) return ok('Redis', `Valkey ${valkey}`)
  const version = facts['redis_version'] ?? 'unknown'
  return Number.parseInt(version, 10) >= VERSION_MIN
    ? ok('Redis', version)
    : problem('Redis', `${version} is too old`, `Install Redis ${VERSION_MIN} or later, or Valkey.`)
}

function judgePolicy(facts: Facts): Finding {
  const policy = facts['maxmemory_policy'] ?? 'unknown'
  if (policy === 'noeviction') return ok('eviction', policy)
  return problem(
    'eviction',
    `maxmemory-policy is ${policy}: Redis may throw jobs away`,
    'CONFIG SET maxmemory-policy noeviction, and in redis.conf too.',
  )
}

function judgeMemory(facts: Facts): Finding {
  const [used, max] = [Number(facts['used_memory']), Number(facts['maxmemory'])]
  if (!(max > 0)) return ok('memory of Redis', `${formatSize(used)}, without a limit`)
  const says = `${formatSize(used)} of ${formatSize(max)}`
  return used < FULL_SHARE * max
    ? ok('memory of Redis', says)
    : problem(
        'memory of Redis',
        `${says}: no write is possible once it is full`,
        'Raise maxmemory, or look at what else is kept there.',
      )
}

// What Berth has accepted is in Postgres; but a Redis that cannot save refuses every write, as it is configured by default.
function judgePersistence(facts: Facts): Finding {
  const failed = ['rdb_last_bgsave_status', 'aof_last_write_status', 'aof_last_bgrewrite_status'].filter(
    (name) => facts[name] !== undefined && facts[name] !== 'ok',
  )
  if (failed.length > 0) {
    return problem(
      'persistence',
      `Redis could not save (${failed.join(', ')}), and may refuse every write`,
      'Look at its log and its disk.',
    )
  }
  return ok(
    'persistence',
    facts['aof_enabled'] === '1' ? 'append-only file' : 'snapshots, if any: nothing accepted is lost with it',
  )
}

function judgeRole(facts: Facts): Finding[] {
  if (facts['role'] !== 'slave') return []
  return [
    problem('role of Redis', 'it is a replica, which takes no writes', 'Name its primary in REDIS_URL.'),
  ]
}

async function askTime(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1_000 + Number(microseconds) / 1_000
}
