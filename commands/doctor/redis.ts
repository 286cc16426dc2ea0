// Checks Redis for the queues: reachable, a version for BullMQ, no eviction, enough memory, the clock, and
// whether a cluster or sentinels can fail over.
import { explainConnectionFault } from '../../shared/database/faults.ts'
import { parseRedisAddress } from '../../shared/redis/address.ts'
import { askSentinel, type Shard } from '../../shared/redis/masters.ts'
import {
  type Facts,
  failedSaves,
  findRedisServers,
  type RedisServer,
  readFacts,
} from '../../shared/redis/servers.ts'
import type { Config } from '../../shared/settings/config.ts'
import {
  type Checks,
  examine,
  type Finding,
  formatSize,
  judge,
  judgeClock,
  leastAheadMs,
  problem,
  reasonOf,
  toFinding,
  type Verdict,
  warning,
} from './findings.ts'

const ANSWER_MS_MAX = 10_000
const VERSION_MIN = 7
const FULL_SHARE = 0.8
const SLOTS = 16_384
// A fail-over needs a majority of them.
const VOTERS_MIN = 3

/** Calls `examineQueues` only if Redis is fine. */
export async function checkRedis(
  config: Config,
  examineQueues: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    const { servers, shards } = await findRedisServers(config, ANSWER_MS_MAX)
    const findings = (await Promise.all(servers.map((server) => checkServer(server, config)))).flat()
    const isThere = findings.every(({ about, level }) => !/^Redis\b/.test(about) || level !== 'problem')
    const set = shards
      ? judgeCluster(servers, shards).flatMap((verdict) => toFinding('Redis Cluster', verdict))
      : toFinding('sentinels', await checkSentinels(config))
    return [...findings, ...set, ...(isThere ? await examineQueues() : [])]
  } catch (error) {
    return unreachable(error)
  }
}

async function checkServer({ name, ask }: RedisServer, config: Config): Promise<Finding[]> {
  const findings = await ask(async (redis) => [
    ...judgeRedis(await readFacts(redis, config)),
    ...(await examine({
      'clock of Redis': async () => {
        const aheadMs = await leastAheadMs(async () => {
          const [seconds, microseconds] = await redis.time()
          return Number(seconds) * 1_000 + Number(microseconds) / 1_000
        })
        return judgeClock(aheadMs, warning)
      },
    })),
  ]).catch(unreachable)
  return name ? findings.map((finding) => ({ ...finding, about: `${finding.about} (${name})` })) : findings
}

function unreachable(error: unknown): Finding[] {
  const says = `${explainConnectionFault(error) ?? 'is not there'}: ${reasonOf(error)}`
  return toFinding('Redis', problem(says, 'Start Redis, or correct REDIS_URL.'))
}

const CHECKS: Checks<Facts> = {
  Redis: ({ valkey_version: valkey, redis_version: version = 'unknown' }) => {
    if (valkey !== undefined) return `Valkey ${valkey}`
    return Number.parseInt(version, 10) >= VERSION_MIN
      ? version
      : problem(`${version} is too old`, `Install Redis ${VERSION_MIN} or later, or Valkey.`)
  },
  eviction: ({ maxmemory_policy: policy = 'unknown' }) =>
    policy === 'noeviction'
      ? policy
      : problem(
          `maxmemory-policy is ${policy}: Redis may throw jobs away`,
          'CONFIG SET maxmemory-policy noeviction, and in redis.conf too.',
        ),
  'memory of Redis': (facts) => {
    const [used, max] = [Number(facts['used_memory']), Number(facts['maxmemory'])]
    if (!(max > 0)) return `${formatSize(used)}, without a limit`
    const says = `${formatSize(used)} of ${formatSize(max)}`
    return used < FULL_SHARE * max
      ? says
      : problem(
          `${says}: no write is possible once it is full`,
          'Raise maxmemory, or look at what else is kept there.',
        )
  },
  // Accepted jobs are in Postgres; but by default a Redis that cannot save refuses every write.
  persistence: (facts) => {
    const failed = failedSaves(facts)
    if (failed.length > 0)
      return problem(
        `Redis could not save (${failed.join(', ')}), and may refuse every write`,
        'Look at its log and its disk.',
      )
    return facts['aof_enabled'] === '1'
      ? 'append-only file'
      : 'snapshots, if any: nothing accepted is lost with it'
  },
  'role of Redis': ({ role }) =>
    role === 'slave'
      ? problem('it is a replica, which takes no writes', 'Name its primary in REDIS_URL.')
      : undefined,
}

/** `facts` come from INFO. */
export const judgeRedis = (facts: Facts) => judge(CHECKS, facts)

function judgeCluster(servers: RedisServer[], shards: Shard[]): Verdict[] {
  const places = servers.map(({ name, parts }) => `${name} (${parts.join(', ') || 'nothing of Berth'})`)
  const slots = shards.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  if (slots < SLOTS)
    return [
      problem(
        `nobody holds ${SLOTS - slots} of ${SLOTS} slots`,
        'Bring the missing masters back: redis-cli --cluster check says which.',
      ),
    ]
  const alone = new Set(shards.filter(({ nodes }) => nodes.length < 2).map(({ nodes }) => nameOf(nodes[0])))
  return [
    `${servers.length} masters: ${places.join(', ')}`,
    servers.length < VOTERS_MIN
      ? warning(`a fail-over needs ${VOTERS_MIN} masters`, 'Add masters: their majority elects the new one.')
      : undefined,
    alone.size > 0
      ? warning(
          `no replica stands in for ${[...alone].join(', ')}`,
          'Give each master a replica: redis-cli --cluster add-node … --cluster-slave.',
        )
      : undefined,
  ]
}

async function checkSentinels(config: Config): Promise<Verdict> {
  const address = parseRedisAddress(config)
  if (address.kind !== 'sentinel') return undefined
  const answers = await Promise.allSettled(address.sentinels.map((host) => askSentinel(host, address)))
  const masters = new Set(
    answers.flatMap((answer) => (answer.status === 'fulfilled' ? [nameOf(answer.value.master)] : [])),
  )
  const away = address.sentinels.filter((_host, index) => answers[index]?.status === 'rejected').map(nameOf)
  const says = `${answers.length - away.length} of ${answers.length} name ${[...masters].join(' or ')}`
  if (away.length > 0) return warning(`${says}; not ${away.join(', ')}`, 'Start them, or see what they log.')
  if (masters.size > 1) return warning(says, 'Look again: during a fail-over they differ for a moment.')
  if (answers.length < VOTERS_MIN)
    return warning(says, `Run ${VOTERS_MIN} or more: their majority decides about a fail-over.`)
  return says
}

function nameOf(host: { host: string; port: number } | undefined): string {
  return host ? `${host.host}:${host.port}` : 'a shard'
}
