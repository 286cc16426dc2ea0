// The connections of a process to Redis, by what they are for. Where Redis is one server, that is one for all; in a cluster
// each leads to the master that holds its keys, and none knows of another.
import type { Redis } from 'ioredis'
import { hashTag, type RedisPart } from '../identity/keys.ts'
import type { Log } from '../log.ts'
import { parseRedisAddress, type RedisSettings } from './address.ts'
import { type ConnectionKind, connectRedis, isReady, isResponding } from './connect.ts'

type Settings = RedisSettings & { redisPrefix: string }

export class RedisConnections {
  readonly #open = new Map<RedisPart, Redis>()
  readonly #connect: (part: RedisPart) => Redis
  readonly #isCluster: boolean

  /** `fail` is told that these settings can never be used. */
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

  /** Those that are open, by what they are for. */
  get all(): ReadonlyMap<RedisPart, Redis> {
    return this.#open
  }

  /** Where none is named: all that are open. */
  isResponding(part?: RedisPart): boolean {
    if (part) return isResponding(this.get(part))
    return [...this.#open.values()].every(isResponding)
  }

  /** Those that are open are connected. */
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
