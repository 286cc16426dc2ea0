// Finds the servers that hold Berth's keys now, to query each of them: one, or the masters of a cluster.
import type { Redis, RedisOptions } from 'ioredis'
import { hashTag, REDIS_PARTS, type RedisPart } from '../identity/keys.ts'
import { parseRedisAddress, type RedisHost, type RedisSettings } from './address.ts'
import { askRedis, firstAnswer, Masters, readShards, type Shard } from './masters.ts'

export type RedisServer = {
  /** Host and port; empty if there is only one. */
  name: string
  /** The parts that are on it. */
  parts: readonly RedisPart[]
  ask<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer>
}

type Settings = RedisSettings & { redisPrefix: string }
export type RedisServers = { servers: RedisServer[]; shards?: Shard[] }

/** Throws if no host can say which servers there are. */
export async function findRedisServers(settings: Settings, timeoutMs: number): Promise<RedisServers> {
  const address = parseRedisAddress(settings)
  const serverAt = (to: string | RedisOptions, name: string, parts: readonly RedisPart[]): RedisServer => ({
    name,
    parts,
    ask: (question) => askRedis(to, timeoutMs, question),
  })
  if (address.kind === 'server') return { servers: [serverAt(address.url, '', REDIS_PARTS)] }
  const { login } = address
  if (address.kind === 'sentinel') {
    const master = await new Masters(address, '').find()
    return { servers: [serverAt({ ...master, ...login }, '', REDIS_PARTS)] }
  }
  const found = await firstAnswer(address.nodes, (host) =>
    askRedis({ ...host, ...login }, timeoutMs, async (redis) => {
      const shards = await readShards(redis, host)
      const slots = await Promise.all(
        REDIS_PARTS.map((part) => redis.cluster('KEYSLOT', hashTag(settings.redisPrefix, part))),
      )
      return { shards, slots }
    }),
  )
  const masters = new Map<string, { host: RedisHost; parts: RedisPart[] }>()
  for (const { from, to, nodes } of found.shards) {
    const [host] = nodes
    if (!host) continue
    const name = `${host.host}:${host.port}`
    const { parts } = masters.get(name) ?? { parts: [] }
    masters.set(name, { host, parts: [...parts, ...partsIn(from, to, found.slots)] })
  }
  const servers = [...masters].map(([name, { host, parts }]) => serverAt({ ...host, ...login }, name, parts))
  return { servers, shards: found.shards }
}

function partsIn(from: number, to: number, slots: number[]): RedisPart[] {
  return REDIS_PARTS.filter((_part, index) => from <= (slots[index] ?? -1) && (slots[index] ?? -1) <= to)
}

export type Facts = Record<string, string | undefined>

/** The result of INFO. Throws if the settings and the server disagree about being a cluster. */
export async function readFacts(redis: Redis, { redisCluster, redisUrl }: RedisSettings): Promise<Facts> {
  const facts = parseInfo(await redis.info())
  const isExpected = parseRedisAddress({ redisUrl, redisCluster }).kind === 'cluster'
  if (facts['cluster_enabled'] === '1' && !isExpected)
    throw new Error('REDIS_URL names a node of a Redis Cluster, and REDIS_CLUSTER is not set')
  return facts
}

export function parseInfo(text: string): Facts {
  return Object.fromEntries(
    text
      .split(/\r?\n/)
      .filter((line) => line.includes(':'))
      .map((line) => line.split(/:(.*)/s, 2)),
  )
}

/** The kinds of saves that failed at Redis's last attempt; while one fails, Redis may refuse every write. */
export function failedSaves(facts: Facts): string[] {
  return ['rdb_last_bgsave_status', 'aof_last_write_status', 'aof_last_bgrewrite_status'].filter(
    (name) => facts[name] !== undefined && facts[name] !== 'ok',
  )
}
