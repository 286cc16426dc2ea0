// Parses the address of Redis from REDIS_URL, REDIS_SENTINELS and REDIS_CLUSTER: one server, the master that
// sentinels name, or a cluster.
import type { RedisOptions } from 'ioredis'

/** The settings as Config has them. */
export type RedisSettings = {
  redisUrl: string
  /** Empty if there are none. */
  redisSentinels?: string
  redisCluster?: boolean
}

export type RedisHost = { host: string; port: number }
type Login = Pick<RedisOptions, 'username' | 'password' | 'tls'>

export type RedisAddress =
  | { kind: 'server'; url: string }
  | {
      kind: 'sentinel'
      /** The name that the sentinels use. */
      master: string
      sentinels: RedisHost[]
      sentinelLogin: Login
      login: Login & Pick<RedisOptions, 'db'>
    }
  | { kind: 'cluster'; nodes: RedisHost[]; login: Login }

type Parts = { isTls: boolean; user: string; hosts: string[]; path: string }

const URL_PARTS = /^(?<scheme>rediss?):\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?<path>.*)$/
const HOST = /^(?<host>\[[\da-f:.]+\]|[^:[\]\s]+)(?::(?<port>\d{1,5}))?$/i
const PORT = 6_379
const SENTINEL_PORT = 26_379

/** Describes what is wrong with the settings, without quoting them: they may contain passwords. */
export function findRedisProblem({
  redisUrl,
  redisSentinels,
  redisCluster,
}: RedisSettings): string | undefined {
  if (!redisUrl) return 'REDIS_URL is not set.'
  const parts = split(redisUrl)
  if (!parts) return 'REDIS_URL must be a URL that starts with redis:// or rediss://.'
  if (!/^(\/\d*)?(\?.*)?$/.test(parts.path))
    return 'REDIS_URL may end with the number of a database, as in redis://host/1.'
  const isCluster = redisCluster || parts.hosts.length > 1
  if (redisSentinels) {
    if (isCluster)
      return 'REDIS_SENTINELS cannot be combined with REDIS_CLUSTER or several hosts in REDIS_URL.'
    if (parts.hosts[0]?.includes(':'))
      return 'With REDIS_SENTINELS the host of REDIS_URL is the name of the master, without a port: redis://mymaster.'
    const sentinels = splitSentinels(redisSentinels)
    if (!sentinels?.hosts.every((host) => HOST.test(host)) || sentinels.path)
      return 'REDIS_SENTINELS must look like host:26379,host:26379 or redis://user:password@host:26379,host:26379.'
  }
  if (isCluster && databaseOf(parts) !== 0)
    return 'REDIS_URL may not name a database of a Redis Cluster: it has only one.'
  return undefined
}

export function parseRedisAddress({ redisUrl, redisSentinels, redisCluster }: RedisSettings): RedisAddress {
  const parts = split(redisUrl)
  if (!parts) return { kind: 'server', url: redisUrl }
  const sentinels = redisSentinels ? splitSentinels(redisSentinels) : undefined
  if (sentinels) {
    return {
      kind: 'sentinel',
      master: parts.hosts[0] ?? '',
      sentinels: sentinels.hosts.map((text) => parseHost(text, SENTINEL_PORT)),
      sentinelLogin: loginOf(sentinels),
      login: { ...loginOf(parts), db: databaseOf(parts) },
    }
  }
  if (!redisCluster && parts.hosts.length === 1) return { kind: 'server', url: redisUrl }
  return {
    kind: 'cluster',
    nodes: parts.hosts.map((text) => parseHost(text, PORT)),
    login: loginOf(parts),
  }
}

/** Undefined if it is not such a URL. */
function split(text: string): Parts | undefined {
  const { scheme, user = '', hosts = '', path = '' } = URL_PARTS.exec(text)?.groups ?? {}
  const all = hosts.split(',')
  if (!scheme || !all.every((host) => HOST.test(host))) return undefined
  return { isTls: scheme === 'rediss', user, hosts: all, path }
}

function splitSentinels(text: string): Parts | undefined {
  const list = text.replace(/[\s,]+/g, ',').replace(/^,|,$/g, '')
  return split(list.includes('://') ? list : `redis://${list}`)
}

function parseHost(text: string, port: number): RedisHost {
  const { host = '', port: own = String(port) } = HOST.exec(text)?.groups ?? {}
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(own) }
}

function databaseOf({ path }: Parts): number {
  return Number(/^\/(\d+)/.exec(path)?.[1] ?? 0)
}

function loginOf({ isTls, user }: Parts): Login {
  const [, name = '', password] = /^([^:]*)(?::(.*))?$/s.exec(user) ?? []
  return {
    ...(name ? { username: decodeURIComponent(name) } : {}),
    ...(password === undefined ? {} : { password: decodeURIComponent(password) }),
    ...(isTls ? { tls: {} } : {}),
  }
}
