// Keeps the last requests of each token, so that an integrator sees what a program sent and what the response was. The
// requests are in Redis, and may be lost with it.
import { message } from '../../../shared/messages/message.ts'
import type { LoggedRequest } from '../../../shared/tokens/tokens.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import type { SharedRedis } from '../../overload/rate-limiter.ts'
import { serviceUnavailable } from '../../overload/refusals.ts'

/** How many requests of a token are stored. */
export const REQUESTS_KEPT_MAX = 1_000
const REQUESTS_KEPT_DAYS = 7
const DAY_MS = 86_400_000
const WRITE_EVERY_MS = 500
const EMAIL_IN_PATH = /[^/]*(?:@|%40)[^/]*/gi

const REQUEST_LOG_UNAVAILABLE = message`The request log is unavailable; try again shortly.`

type RequestLogOptions = SharedRedis & { isOn: boolean; now: () => number; log: Log }

export class RequestLog {
  readonly #options: RequestLogOptions
  #unwritten = new Map<number, string[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: RequestLogOptions) {
    this.#options = options
  }

  get isOn() {
    return this.#options.isOn
  }

  record(tokenId: number, request: LoggedRequest) {
    if (!this.isOn) return
    const requests = this.#unwritten.get(tokenId) ?? []
    // Drops the oldest requests while Redis is down or too slow.
    if (requests.length >= REQUESTS_KEPT_MAX) requests.shift()
    requests.push(JSON.stringify({ ...request, path: request.path.replace(EMAIL_IN_PATH, '{email}') }))
    this.#unwritten.set(tokenId, requests)
    this.#timer ??= setTimeout(() => this.write(), WRITE_EVERY_MS).unref()
  }

  /** Lists the requests of a token, newest first. */
  async list(tokenId: number): Promise<LoggedRequest[]> {
    const { redis, isRedisUp, nameOf, now } = this.#options
    if (!isRedisUp()) throw serviceUnavailable('redis_away', REQUEST_LOG_UNAVAILABLE)
    await this.write()
    const lines = await redis.lrange(nameOf(formatRedisKey(tokenId)), 0, -1)
    const since = new Date(now() - REQUESTS_KEPT_DAYS * DAY_MS).toISOString()
    return lines.map((line): LoggedRequest => JSON.parse(line)).filter(({ time }) => time >= since)
  }

  async write() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { redis, isRedisUp, nameOf, log } = this.#options
    if (this.#unwritten.size === 0 || !isRedisUp()) return
    const pipeline = redis.pipeline()
    for (const [tokenId, requests] of this.#unwritten) {
      const name = nameOf(formatRedisKey(tokenId))
      pipeline
        .lpush(name, ...requests)
        .ltrim(name, 0, REQUESTS_KEPT_MAX - 1)
        .expire(name, REQUESTS_KEPT_DAYS * 86_400)
    }
    this.#unwritten = new Map()
    await pipeline.exec().catch((error: unknown) => log.debug({ err: error }, 'requests were not logged'))
  }
}

const formatRedisKey = (tokenId: number) => `requests:${tokenId}`
