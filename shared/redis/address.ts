// Parses the address of Redis from REDIS_URL, REDIS_SENTINELS and REDIS_CLUSTER. The result is a single server, a
// master that sentinels know, or a cluster.
import type { RedisOptions } from 'ioredis'

/** The settings of Redis in the Config. */
export type RedisSettings = {
  redisUrl: string
  /** The addresses of the sentinels. Empty if there are none. */
  redisSentinels?: string
  redisCluster?: boolean
}

export type RedisHost = { host: string; port: number }
type Login = Pick<RedisOptions, 'username' | 'password' | 'tls'>

export type RedisAddress =
  | { kind: 'server'; url: string }
  | {
      kind: 'sentinel'
      /** The name under which the sentinels know the master. */
      master: string
      sentinels: RedisHost[]
      sentinelLogin: Login
      login: Login & Pick<RedisOptions, 'db'>
    }
  | { kind: 'cluster'; nodes: RedisHost[]; login: Login }

type UrlParts = { isTls: boolean; user: string; hosts: string[]; path: string }

const URL_PATTERN = /^(?<scheme>rediss?):\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]*)(?<path>.*)$/
const HOST_PATTERN = /^(?<host>\[[\da-f:.]+\]|[^:[\]\s]+)(?::(?<port>\d{1,5}))?$/i
const DEFAULT_PORT = 6_379
const DEFAULT_SENTINEL_PORT = 26_379

/** Returns what is wrong with the settings of Redis. Never quotes the settings, because they may contain passwords. */
export function findRedisProblem({
  redisUrl,
  redisSentinels,
  redisCluster,
}: RedisSettings): string | undefined {
  if (!redisUrl) return 'REDIS_URL is not set.'
  const parts = splitUrl(redisUrl)
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
    if (!sentinels?.hosts.every((host) => HOST_PATTERN.test(host)) || sentinels.path)
      return 'REDIS_SENTINELS must look like host:26379,host:26379 or redis://user:password@host:26379,host:26379.'
  }
  if (isCluster && parseDatabaseNumber(parts) !== 0)
    return 'REDIS_URL may not name a database of a Redis Cluster: it has only one.'
  return undefined
}

export function parseRedisAddress({ redisUrl, redisSentinels, redisCluster }: RedisSettings): RedisAddress {
  const parts = splitUrl(redisUrl)
  if (!parts) return { kind: 'server', url: redisUrl }
  const sentinels = redisSentinels ? splitSentinels(redisSentinels) : undefined
  if (sentinels) {
    return {
      kind: 'sentinel',
      master: parts.hosts[0] ?? '',
      sentinels: sentinels.hosts.map((text) => parseHost(text, DEFAULT_SENTINEL_PORT)),
      sentinelLogin: parseLogin(sentinels),
      login: { ...parseLogin(parts), db: parseDatabaseNumber(parts) },
    }
  }
  if (!redisCluster && parts.hosts.length === 1) return { kind: 'server', url: redisUrl }
  return {
    kind: 'cluster',
    nodes: parts.hosts.map((text) => parseHost(text, DEFAULT_PORT)),
    login: parseLogin(parts),
  }
}

/** Splits a Redis URL into its parts. Returns undefined if the text is not a Redis URL. */
function splitUrl(text: string): UrlParts | undefined {
  const { scheme, user = '', hosts = '', path = '' } = URL_PATTERN.exec(text)?.groups ?? {}
  const all = hosts.split(',')
  if (!scheme || !all.every((host) => HOST_PATTERN.test(host))) return undefined
  return { isTls: scheme === 'rediss', user, hosts: all, path }
}

function splitSentinels(text: string): UrlParts | undefined {
  const list = text.replace(/[\s,]+/g, ',').replace(/^,|,$/g, '')
  return splitUrl(list.includes('://') ? list : `redis://${list}`)
}

function parseHost(text: string, port: number): RedisHost {
  const { host = '', port: own = String(port) } = HOST_PATTERN.exec(text)?.groups ?? {}
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(own) }
}

function parseDatabaseNumber({ path }: UrlParts): number {
  return Number(/^\/(\d+)/.exec(path)?.[1] ?? 0)
}

function parseLogin({ isTls, user }: UrlParts): Login {
  const [, name = '', password] = /^([^:]*)(?::(.*))?$/s.exec(user) ?? []
  return {
    ...(name ? { username: decodeURIComponent(name) } : {}),
    ...(password === undefined ? {} : { password: decodeURIComponent(password) }),
    ...(isTls ? { tls: {} } : {}),
  }
}
