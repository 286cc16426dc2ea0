// Finds the Redis servers that currently hold Berth's keys, so that callers can query each of them: a single server, or
// the masters of a cluster.
import type { Redis, RedisOptions } from 'ioredis'
import { getHashTag, REDIS_PARTS, type RedisPart } from '../identity/keys.ts'
import { parseRedisAddress, type RedisHost, type RedisSettings } from './address.ts'
import { askRedis, type ClusterShard, findFirstAnswer, MasterFinder, readShards } from './masters.ts'

export type RedisServer = {
  /** The host and port of the server, or empty if there is only one server. */
  name: string
  /** The groups of Berth's keys that this server holds. */
  parts: readonly RedisPart[]
  ask<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer>
}

type RedisServerSettings = RedisSettings & { redisPrefix: string }
export type RedisServers = { servers: RedisServer[]; shards?: ClusterShard[] }

/** Finds the Redis servers. Throws if no host reports them. */
export async function findRedisServers(
  settings: RedisServerSettings,
  timeoutMs: number,
): Promise<RedisServers> {
  const address = parseRedisAddress(settings)
  const serverAt = (to: string | RedisOptions, name: string, parts: readonly RedisPart[]): RedisServer => ({
    name,
    parts,
    ask: (question) => askRedis(to, timeoutMs, question),
  })
  if (address.kind === 'server') return { servers: [serverAt(address.url, '', REDIS_PARTS)] }
  const { login } = address
  if (address.kind === 'sentinel') {
    const master = await new MasterFinder(address, '').find()
    return { servers: [serverAt({ ...master, ...login }, '', REDIS_PARTS)] }
  }
  const found = await findFirstAnswer(address.nodes, (host) =>
    askRedis({ ...host, ...login }, timeoutMs, async (redis) => {
      const shards = await readShards(redis, host)
      const slots = await Promise.all(
        REDIS_PARTS.map((part) => redis.cluster('KEYSLOT', getHashTag(settings.redisPrefix, part))),
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
    masters.set(name, { host, parts: [...parts, ...findPartsInSlots(from, to, found.slots)] })
  }
  const servers = [...masters].map(([name, { host, parts }]) => serverAt({ ...host, ...login }, name, parts))
  return { servers, shards: found.shards }
}

function findPartsInSlots(from: number, to: number, slots: number[]): RedisPart[] {
  return REDIS_PARTS.filter((_part, index) => from <= (slots[index] ?? -1) && (slots[index] ?? -1) <= to)
}

export type RedisFacts = Record<string, string | undefined>

/**
 * Returns the result of INFO. Throws if the settings say that the server is part of a cluster and the server says that
 * it is not, or the reverse.
 */
export async function readRedisFacts(
  redis: Redis,
  { redisCluster, redisUrl }: RedisSettings,
): Promise<RedisFacts> {
  const facts = parseInfo(await redis.info())
  const isExpected = parseRedisAddress({ redisUrl, redisCluster }).kind === 'cluster'
  if (facts['cluster_enabled'] === '1' && !isExpected)
    throw new Error('REDIS_URL names a node of a Redis Cluster, but REDIS_CLUSTER is not set')
  return facts
}

export function parseInfo(text: string): RedisFacts {
  return Object.fromEntries(
    text
      .split(/\r?\n/)
      .filter((line) => line.includes(':'))
      .map((line) => line.split(/:(.*)/s, 2)),
  )
}

/**
 * Returns the kinds of saves that failed at Redis's last attempt. While one kind fails, Redis may refuse every write.
 */
export function listFailedSaves(facts: RedisFacts): string[] {
  return ['rdb_last_bgsave_status', 'aof_last_write_status', 'aof_last_bgrewrite_status'].filter(
    (name) => facts[name] !== undefined && facts[name] !== 'ok',
  )
}
