// Keeps the last requests of each token, so that an integrator sees what a program sent and how it was answered. They
// are in Redis: like all figures, they may be lost with it.
import { message } from '../../../shared/messages/message.ts'
import type { LoggedRequest } from '../../../shared/tokens/tokens.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import type { SharedRedis } from '../../overload/rate-limiter.ts'
import { unavailable } from '../../overload/refusals.ts'

/** How many requests of a token are kept. */
export const KEPT_MAX = 1_000
const KEPT_DAYS = 7
const DAY_MS = 86_400_000
const WRITE_EVERY_MS = 500
const EMAIL_IN_PATH = /[^/]*(?:@|%40)[^/]*/gi

const REQUEST_LOG_AWAY = message`The request log is unavailable; try again shortly.`

type Options = SharedRedis & { isOn: boolean; now: () => number; log: Log }

export class RequestLog {
  readonly #options: Options
  #unwritten = new Map<number, string[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  get isOn() {
    return this.#options.isOn
  }

  record(tokenId: number, request: LoggedRequest) {
    if (!this.isOn) return
    const requests = this.#unwritten.get(tokenId) ?? []
    // While Redis is down, or slower than the requests, the oldest are dropped.
    if (requests.length >= KEPT_MAX) requests.shift()
    requests.push(JSON.stringify({ ...request, path: request.path.replace(EMAIL_IN_PATH, '{email}') }))
    this.#unwritten.set(tokenId, requests)
    this.#timer ??= setTimeout(() => this.write(), WRITE_EVERY_MS).unref()
  }

  /** The requests of a token, newest first. */
  async list(tokenId: number): Promise<LoggedRequest[]> {
    const { redis, isRedisUp, nameOf, now } = this.#options
    if (!isRedisUp()) throw unavailable('redis_away', REQUEST_LOG_AWAY)
    await this.write()
    const lines = await redis.lrange(nameOf(keyOf(tokenId)), 0, -1)
    const since = new Date(now() - KEPT_DAYS * DAY_MS).toISOString()
    return lines.map((line): LoggedRequest => JSON.parse(line)).filter(({ time }) => time >= since)
  }

  async write() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { redis, isRedisUp, nameOf, log } = this.#options
    if (this.#unwritten.size === 0 || !isRedisUp()) return
    const pipeline = redis.pipeline()
    for (const [tokenId, requests] of this.#unwritten) {
      const name = nameOf(keyOf(tokenId))
      pipeline
        .lpush(name, ...requests)
        .ltrim(name, 0, KEPT_MAX - 1)
        .expire(name, KEPT_DAYS * 86_400)
    }
    this.#unwritten = new Map()
    await pipeline.exec().catch((error: unknown) => log.debug({ err: error }, 'requests were not logged'))
  }
}

const keyOf = (tokenId: number) => `requests:${tokenId}`
