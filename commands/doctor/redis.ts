// Checks Redis for the queues: reachable, a version for BullMQ, no eviction, enough memory, the clock.
import type { Redis } from 'ioredis'
import { explainConnectionFault } from '../../shared/database/connection-faults.ts'
import {
  type Facts,
  failedSaves,
  findRedisServers,
  type RedisServer,
  type RedisServers,
  readFacts,
} from '../../shared/redis/servers.ts'
import type { Config } from '../../shared/settings/config.ts'
import { judgeClock, leastAheadMs } from './clocks.ts'
import { examine, type Finding, formatSize, ok, problem, warning } from './findings.ts'
import { checkSentinels, judgeCluster } from './redis-sets.ts'

const ANSWER_MS_MAX = 10_000
const VERSION_MIN = 7
const FULL_SHARE = 0.8

/** Calls `examineQueues` only if Redis is fine. */
export async function checkRedis(
  config: Config,
  examineQueues: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    const found = await findRedisServers(config, ANSWER_MS_MAX)
    const ofServers = await Promise.all(found.servers.map((server) => checkServer(server, config)))
    const servers = ofServers.flatMap((findings, index) => named(findings, found.servers[index]?.name))
    const isThere = servers.every(({ about, level }) => !/^Redis\b/.test(about) || level !== 'problem')
    return [...servers, ...(await checkSet(found, config)), ...(isThere ? await examineQueues() : [])]
  } catch (error) {
    return [unreachable(error)]
  }
}

async function checkServer(server: RedisServer, config: Config): Promise<Finding[]> {
  try {
    return await server.ask(async (redis) => {
      const facts = await readFacts(redis, config)
      const clock = await examine('clock of Redis', async () =>
        judgeClock('clock of Redis', await leastAheadMs(() => askTime(redis)), warning),
      )
      return [...judgeRedis(facts), ...clock]
    })
  } catch (error) {
    return [unreachable(error)]
  }
}

function checkSet({ servers, shards }: RedisServers, config: Config): Finding[] | Promise<Finding[]> {
  return shards ? judgeCluster(servers, shards) : checkSentinels(config)
}

function named(findings: Finding[], name = ''): Finding[] {
  return name ? findings.map((finding) => ({ ...finding, about: `${finding.about} (${name})` })) : findings
}

function unreachable(error: unknown): Finding {
  const reason = explainConnectionFault(error) ?? 'is not there'
  const message = error instanceof Error ? error.message : String(error)
  return problem('Redis', `${reason}: ${message}`, 'Start Redis, or correct REDIS_URL.')
}

/** `facts` come from INFO. */
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

// Accepted jobs are in Postgres; but by default a Redis that cannot save refuses every write.
function judgePersistence(facts: Facts): Finding {
  const failed = failedSaves(facts)
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
