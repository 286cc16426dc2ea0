// Every process sends a heartbeat every two seconds while it can reach its database. So gateways know how
// many workers are available, and a worker does not join those of another database.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Redis } from 'ioredis'
import type { QueueName } from '../schemas/job.ts'
import { COMPARE_EVERY_MS } from '../utilities/clock.ts'
import { FaultLog } from '../utilities/fault-log.ts'
import type { Log } from '../utilities/log.ts'
import { type Ask, formatIdentity, type Identity, isSameDatabase, readIdentity } from './identity.ts'
import { hashTag, type Keys, keyOf } from './keys.ts'

const EVERY_MS = 2_000
// Until the process knows its database, and until a worker has joined.
const FIRST_EVERY_MS = 250
const GONE_AFTER_MS = 7_000
// The maximum age of the data that callers see.
const LOOK_AGE_MS_MAX = 500

// Uses Redis's own clock. A process that has not joined does not add itself.
const BEAT = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
  if ARGV[2] ~= '' then
    redis.call('ZADD', KEYS[1], now, ARGV[2])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
  return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')`

export type Member = { process: string; database: string; queues: string[]; host: string; pid: number }
type Beating = { member: Member; text: string; atMs: number }

type Options = {
  /** The queues that it works on; none for a gateway. */
  queues: QueueName[]
  prefix: string
  /** A connection that fails fast. */
  redis: Redis
  /** Queries the database that the process writes to. */
  ask: Ask
  log: Log
  /** Reports that the process must not go on. */
  fail(error: Error): void
}

export class Heartbeat {
  readonly #options: Options
  readonly #process = randomUUID()
  readonly #databaseFaults: FaultLog
  readonly #foreignMembers: FaultLog
  readonly #firstSeen = new Map<string, number>()
  #identity: Identity | undefined
  /** The database as jobs name it; empty until it is known. */
  database = ''
  #members: Member[] = []
  #lookedMs = 0
  #hasJoined: boolean
  #isStopped = false
  #timer: NodeJS.Timeout | undefined
  #settled: () => void = () => undefined
  /** Resolves once it knows its database and, for a worker, has joined the others of this database. */
  readonly ready = new Promise<void>((resolve) => {
    this.#settled = resolve
  })

  constructor(options: Options) {
    this.#options = options
    this.#hasJoined = options.queues.length === 0
    this.#databaseFaults = new FaultLog(options.log, 'the identity of the database is known')
    const over = 'no process of another database uses these queues any more'
    this.#foreignMembers = new FaultLog(options.log, over)
    this.#beat()
  }

  /** Undefined until Postgres has reported which database it is. */
  get keys(): Keys | undefined {
    return this.#identity && { prefix: this.#options.prefix, database: this.#identity.id }
  }

  isOwn(database: string): boolean {
    return database === this.database || isSameDatabase(database, this.database)
  }

  /** The workers that can reach Redis and their database. */
  async countWorkers(queue: QueueName): Promise<number> {
    if (Date.now() - this.#lookedMs > LOOK_AGE_MS_MAX) await this.#meetOthers()
    const isCounted = ({ database, queues }: Member) => this.isOwn(database) && queues.includes(queue)
    return this.#members.filter(isCounted).length
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    const { redis, prefix } = this.#options
    await redis.zrem(listKey(prefix), this.#text()).catch(() => undefined)
  }

  async #beat(): Promise<void> {
    if ((await this.#identify()) && !this.#isStopped) await this.#meetOthers()
    if (this.#isStopped) return
    const everyMs = this.#identity && this.#hasJoined ? EVERY_MS : FIRST_EVERY_MS
    this.#timer = setTimeout(() => this.#beat(), everyMs)
  }

  async #identify(): Promise<boolean> {
    const { ask, fail } = this.#options
    try {
      const identity = await readIdentity(ask)
      if (this.#identity && this.#identity.id !== identity.id) {
        fail(new Error('The database has been replaced by another one. Restart the process to use it.'))
        return false
      }
      this.#identity = identity
      this.database = formatIdentity(identity)
      this.#databaseFaults.over()
      if (this.#hasJoined) this.#settled()
      return true
    } catch (error) {
      this.#databaseFaults.fault(error, 'the identity of the database is unknown')
      return false
    }
  }

  // If Redis is down, its connections report that.
  async #meetOthers(): Promise<void> {
    const { redis, prefix } = this.#options
    const text = this.#hasJoined ? this.#text() : ''
    const answer = await redis.eval(BEAT, 1, listKey(prefix), GONE_AFTER_MS, text).catch(() => undefined)
    if (!Array.isArray(answer)) return
    this.#lookedMs = Date.now()
    const beating = parseMembers(answer)
    this.#members = beating.map(({ member }) => member)
    const foreignMembers = beating.filter(({ member }) => !this.isOwn(member.database))
    const [foreign] = foreignMembers
    if (!this.#hasJoined) await this.#tryToJoin(foreignMembers)
    else if (foreign)
      this.#foreignMembers.fault(new Error(describe(foreign.member)), 'another database uses these queues')
    else this.#foreignMembers.over()
  }

  // A process that has died is still listed for a while; one that beats a second time is running.
  async #tryToJoin(foreignMembers: Beating[]): Promise<void> {
    for (const { text, atMs, member } of foreignMembers) {
      const firstMs = this.#firstSeen.get(text) ?? atMs
      this.#firstSeen.set(text, firstMs)
      if (atMs > firstMs) {
        this.#isStopped = true
        return this.#options.fail(new Error(describe(member)))
      }
    }
    if (foreignMembers.length > 0) return
    this.#hasJoined = true
    await this.#meetOthers()
    this.#settled()
  }

  #text(): string {
    const { database } = this
    const { queues } = this.#options
    const member: Member = { process: this.#process, database, queues, host: hostname(), pid: process.pid }
    return JSON.stringify(member)
  }
}

/** The processes that are running now, on any database. Only looks, without joining them. */
export async function listProcesses(redis: Redis, prefix: string): Promise<Member[]> {
  const [seconds] = await redis.time()
  const sinceMs = Number(seconds) * 1_000 - GONE_AFTER_MS
  const answer = await redis.zrangebyscore(listKey(prefix), sinceMs, '+inf', 'WITHSCORES')
  return parseMembers(answer).map(({ member }) => member)
}

const listKey = (prefix: string) => `${hashTag(prefix, 'shared')}:processes`

function parseMembers(answer: unknown[]): Beating[] {
  return answer.flatMap((text, index) => {
    if (index % 2 === 1 || typeof text !== 'string') return []
    return [{ member: JSON.parse(text) as Member, text, atMs: Number(answer[index + 1]) }]
  })
}

function describe({ host, pid }: Member): string {
  return `Process ${pid} on ${host} uses this Redis with another database. Set DATABASE_URL to the same one, or REDIS_PREFIX to a name of its own for each.`
}

// Expires soon after the clock is right again, or after the worker has ended.
const KEPT_MS = 2.5 * COMPARE_EVERY_MS

/** With several wrong clocks only the last one is kept: it is enough to know that there is one. */
export async function reportWrongClock(redis: Redis, keys: Keys, aheadMs: number): Promise<void> {
  await redis.set(wrongClockKey(keys), Math.round(aheadMs), 'PX', KEPT_MS)
}

export async function findWrongClock(redis: Redis, keys: Keys): Promise<number | undefined> {
  const aheadMs = await redis.get(wrongClockKey(keys))
  return aheadMs === null ? undefined : Number(aheadMs)
}

const wrongClockKey = (keys: Keys) => keyOf(keys, 'wrong-clock')
