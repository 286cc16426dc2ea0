// Checks the Redis of the queues: whether it is reachable, whether BullMQ supports its version, whether it
// evicts nothing, its memory and clock, and whether a cluster or sentinels can fail over.
import { explainConnectionFault } from '../../shared/database/faults.ts'
import { parseRedisAddress } from '../../shared/redis/address.ts'
import { askSentinel, type ClusterShard } from '../../shared/redis/masters.ts'
import {
  findRedisServers,
  listFailedSaves,
  type RedisFacts,
  type RedisServer,
  readRedisFacts,
} from '../../shared/redis/servers.ts'
import type { Config } from '../../shared/settings/config.ts'
import {
  type CheckResult,
  checkClockDifference,
  checkFacts,
  createProblem,
  createWarning,
  type FactChecks,
  type Finding,
  formatSize,
  getErrorReason,
  measureClockAheadMs,
  runChecks,
  toFindings,
} from './findings.ts'

const ANSWER_MS_MAX = 10_000
const REDIS_VERSION_MIN = 7
const FULL_MEMORY_SHARE = 0.8
const SLOT_COUNT = 16_384
// The minimum number of voters, because a failover needs a majority of them.
const SENTINEL_VOTERS_MIN = 3

/** Calls `examineQueues` only if Redis has no problems. */
export async function checkRedis(
  config: Config,
  examineQueues: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    const { servers, shards } = await findRedisServers(config, ANSWER_MS_MAX)
    const findings = (await Promise.all(servers.map((server) => checkServer(server, config)))).flat()
    const isThere = findings.every(({ about, level }) => !/^Redis\b/.test(about) || level !== 'problem')
    const set = shards
      ? checkCluster(servers, shards).flatMap((verdict) => toFindings('Redis Cluster', verdict))
      : toFindings('sentinels', await checkSentinels(config))
    return [...findings, ...set, ...(isThere ? await examineQueues() : [])]
  } catch (error) {
    return reportUnreachable(error)
  }
}

async function checkServer({ name, ask }: RedisServer, config: Config): Promise<Finding[]> {
  const findings = await ask(async (redis) => [
    ...checkRedisFacts(await readRedisFacts(redis, config)),
    ...(await runChecks({
      'clock of Redis': async () => {
        const aheadMs = await measureClockAheadMs(async () => {
          const [seconds, microseconds] = await redis.time()
          return Number(seconds) * 1_000 + Number(microseconds) / 1_000
        })
        return checkClockDifference(aheadMs, createWarning)
      },
    })),
  ]).catch(reportUnreachable)
  return name ? findings.map((finding) => ({ ...finding, about: `${finding.about} (${name})` })) : findings
}

function reportUnreachable(error: unknown): Finding[] {
  const says = `${explainConnectionFault(error) ?? 'cannot be reached'}: ${getErrorReason(error)}`
  return toFindings('Redis', createProblem(says, 'Start Redis, or correct REDIS_URL.'))
}

const REDIS_CHECKS: FactChecks<RedisFacts> = {
  Redis: ({ valkey_version: valkey, redis_version: version = 'unknown' }) => {
    if (valkey !== undefined) return `Valkey ${valkey}`
    return Number.parseInt(version, 10) >= REDIS_VERSION_MIN
      ? version
      : createProblem(`${version} is too old`, `Install Redis ${REDIS_VERSION_MIN} or later, or Valkey.`)
  },
  eviction: ({ maxmemory_policy: policy = 'unknown' }) =>
    policy === 'noeviction'
      ? policy
      : createProblem(
          `maxmemory-policy is ${policy}: Redis may delete jobs`,
          'CONFIG SET maxmemory-policy noeviction, and in redis.conf too.',
        ),
  'memory of Redis': (facts) => {
    const [used, max] = [Number(facts['used_memory']), Number(facts['maxmemory'])]
    if (!(max > 0)) return `${formatSize(used)}, without a limit`
    const says = `${formatSize(used)} of ${formatSize(max)}`
    return used < FULL_MEMORY_SHARE * max
      ? says
      : createProblem(
          `${says}: no write is possible once it is full`,
          'Raise maxmemory, or check what else is stored there.',
        )
  },
  // Accepted jobs are stored in Postgres, but by default a Redis that cannot save refuses every write.
  persistence: (facts) => {
    const failed = listFailedSaves(facts)
    if (failed.length > 0)
      return createProblem(
        `Redis could not save (${failed.join(', ')}), and may refuse every write`,
        'Check its log and its disk.',
      )
    return facts['aof_enabled'] === '1'
      ? 'append-only file'
      : 'snapshots, if any: nothing accepted is lost with it'
  },
  'role of Redis': ({ role }) =>
    role === 'slave'
      ? createProblem('it is a replica, which does not accept writes', 'Name its primary in REDIS_URL.')
      : undefined,
}

/** Checks a Redis server. `facts` is the result of INFO. */
export const checkRedisFacts = (facts: RedisFacts) => checkFacts(REDIS_CHECKS, facts)

function checkCluster(servers: RedisServer[], shards: ClusterShard[]): CheckResult[] {
  const places = servers.map(({ name, parts }) => `${name} (${parts.join(', ') || 'nothing of Berth'})`)
  const slots = shards.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  if (slots < SLOT_COUNT)
    return [
      createProblem(
        `no master holds ${SLOT_COUNT - slots} of ${SLOT_COUNT} slots`,
        'Restart the missing masters: redis-cli --cluster check lists them.',
      ),
    ]
  const alone = new Set(
    shards.filter(({ nodes }) => nodes.length < 2).map(({ nodes }) => formatHost(nodes[0])),
  )
  return [
    `${servers.length} masters: ${places.join(', ')}`,
    servers.length < SENTINEL_VOTERS_MIN
      ? createWarning(
          `a fail-over needs ${SENTINEL_VOTERS_MIN} masters`,
          'Add masters: their majority elects the new one.',
        )
      : undefined,
    alone.size > 0
      ? createWarning(
          `there is no replica for ${[...alone].join(', ')}`,
          'Give each master a replica: redis-cli --cluster add-node … --cluster-slave.',
        )
      : undefined,
  ]
}

async function checkSentinels(config: Config): Promise<CheckResult> {
  const address = parseRedisAddress(config)
  if (address.kind !== 'sentinel') return undefined
  const answers = await Promise.allSettled(address.sentinels.map((host) => askSentinel(host, address)))
  const masters = new Set(
    answers.flatMap((answer) => (answer.status === 'fulfilled' ? [formatHost(answer.value.master)] : [])),
  )
  const away = address.sentinels
    .filter((_host, index) => answers[index]?.status === 'rejected')
    .map(formatHost)
  const says = `${answers.length - away.length} of ${answers.length} name ${[...masters].join(' or ')}`
  if (away.length > 0)
    return createWarning(`${says}; not ${away.join(', ')}`, 'Start them, or check their logs.')
  if (masters.size > 1)
    return createWarning(says, 'Run doctor again: during a failover they differ for a moment.')
  if (answers.length < SENTINEL_VOTERS_MIN)
    return createWarning(says, `Run ${SENTINEL_VOTERS_MIN} or more: their majority decides on a failover.`)
  return says
}

function formatHost(host: { host: string; port: number } | undefined): string {
  return host ? `${host.host}:${host.port}` : 'a shard'
}
