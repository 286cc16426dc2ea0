// A process's connections to Redis, by purpose. With a single server they are all one connection; in a
// cluster each leads to the master that holds its keys, independently of the others.
import type { Redis } from 'ioredis'
import { hashTag, type RedisPart } from '../identity/keys.ts'
import type { Log } from '../utilities/log.ts'
import { parseRedisAddress, type RedisSettings } from './address.ts'
import { type ConnectionKind, connectRedis, isReady, isResponding } from './connect.ts'

type Settings = RedisSettings & { redisPrefix: string }

export class RedisConnections {
  readonly #open = new Map<RedisPart, Redis>()
  readonly #connect: (part: RedisPart) => Redis
  readonly #isCluster: boolean

  /** Calls `fail` if these settings can never work. */
  constructor(settings: Settings, kind: ConnectionKind, log: Log, fail?: (error: Error) => void) {
    this.#isCluster = parseRedisAddress(settings).kind === 'cluster'
    this.#connect = (part) => {
      const key = hashTag(settings.redisPrefix, part)
      return connectRedis(settings, kind, this.#isCluster ? log.child({ part }) : log, { key, fail })
    }
  }

  get(part: RedisPart): Redis {
    const place = this.#isCluster ? part : 'shared'
    const redis = this.#open.get(place) ?? this.#connect(place)
    this.#open.set(place, redis)
    return redis
  }

  /** The open connections, by purpose. */
  get all(): ReadonlyMap<RedisPart, Redis> {
    return this.#open
  }

  /** Without `part`, all open connections. */
  isResponding(part?: RedisPart): boolean {
    if (part) return isResponding(this.get(part))
    return [...this.#open.values()].every(isResponding)
  }

  /** Waits until the open connections are connected. */
  async ready(): Promise<void> {
    await Promise.all([...this.#open.values()].map(whenReady))
  }

  disconnect() {
    for (const redis of this.#open.values()) redis.disconnect()
  }
}

async function whenReady(redis: Redis): Promise<void> {
  if (!isReady(redis)) await new Promise<void>((resolve) => redis.once('ready', () => resolve()))
}
