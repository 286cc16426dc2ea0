// Every process sends a heartbeat every two seconds while its database responds. Gateways use heartbeats to count the
// available workers. A worker uses them to find out whether the running workers use another database, and in that case
// does not join them.
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Redis } from 'ioredis'
import type { QueueName } from '../schemas/job.ts'
import { COMPARE_EVERY_MS } from '../utilities/clock.ts'
import { FaultLog } from '../utilities/fault-log.ts'
import type { Log } from '../utilities/log.ts'
import { formatIdentity, type Identity, isSameDatabase, type RunQuery, readIdentity } from './identity.ts'
import { getHashTag, getRedisKey, type RedisKeys } from './keys.ts'
import { LoadMeter, type ProcessLoad } from './load.ts'

const HEARTBEAT_INTERVAL_MS = 2_000
// The interval between the first heartbeats: until the process knows its database and, if it is a worker, has joined
// the other workers.
const FIRST_HEARTBEAT_INTERVAL_MS = 250
const PROCESS_GONE_AFTER_MS = 7_000
// The maximum age of the list of processes that callers see.
const MEMBERS_AGE_MS_MAX = 500

// The script that sends a heartbeat uses the clock of Redis. A process that has not joined yet does not add itself to
// the list.
const HEARTBEAT_SCRIPT = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
  if ARGV[2] ~= '' then
    redis.call('ZADD', KEYS[1], now, ARGV[2])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[1])
  end
  return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')`

export type HeartbeatMember = {
  process: string
  database: string
  queues: string[]
  host: string
  pid: number
}
/** A running process, and how busy it is. */
export type BusyProcess = HeartbeatMember & { load: ProcessLoad }
type HeartbeatEntry = { member: HeartbeatMember; text: string; atMs: number }

type HeartbeatOptions = {
  /** The queues that the process works on. Empty for a gateway. */
  queues: QueueName[]
  prefix: string
  /** A connection whose commands fail immediately while Redis is down. */
  redis: Redis
  /** Runs a query on the database that the process writes to. */
  ask: RunQuery
  log: Log
  /** Called with the reason when the process must stop. */
  fail(error: Error): void
}

export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #process = randomUUID()
  readonly #load = new LoadMeter()
  readonly #databaseFaults: FaultLog
  readonly #foreignMembers: FaultLog
  readonly #firstSeen = new Map<string, number>()
  #identity: Identity | undefined
  /** The identity of the database, which is written into jobs. Empty until the process knows it. */
  database = ''
  #members: HeartbeatMember[] = []
  #refreshedMs = 0
  #hasJoined: boolean
  #isStopped = false
  #timer: NodeJS.Timeout | undefined
  #settled: () => void = () => undefined
  /**
   * Resolves once the process knows its database and, if it is a worker, has joined the other workers on this database.
   */
  readonly ready = new Promise<void>((resolve) => {
    this.#settled = resolve
  })

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#hasJoined = options.queues.length === 0
    this.#databaseFaults = new FaultLog(options.log, 'the identity of the database is known')
    const over = 'no process of another database uses these queues any more'
    this.#foreignMembers = new FaultLog(options.log, over)
    this.#beat()
  }

  /** Undefined until Postgres has reported which database it is. */
  get keys(): RedisKeys | undefined {
    return this.#identity && { prefix: this.#options.prefix, database: this.#identity.id }
  }

  isOwn(database: string): boolean {
    return database === this.database || isSameDatabase(database, this.database)
  }

  /** Returns the number of workers of this queue that can reach Redis and their database. */
  async countWorkers(queue: QueueName): Promise<number> {
    if (Date.now() - this.#refreshedMs > MEMBERS_AGE_MS_MAX) await this.#refreshMembers()
    const isCounted = ({ database, queues }: HeartbeatMember) =>
      this.isOwn(database) && queues.includes(queue)
    return this.#members.filter(isCounted).length
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    const { redis, prefix } = this.#options
    await redis.zrem(processListKey(prefix), this.#text()).catch(() => undefined)
  }

  async #beat(): Promise<void> {
    if ((await this.#identify()) && !this.#isStopped) await this.#refreshMembers()
    if (this.#isStopped) return
    const everyMs = this.#identity && this.#hasJoined ? HEARTBEAT_INTERVAL_MS : FIRST_HEARTBEAT_INTERVAL_MS
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

  // Refreshes the list of processes. Ignores errors of Redis, because its connections report outages.
  async #refreshMembers(): Promise<void> {
    const { redis, prefix } = this.#options
    const text = this.#hasJoined ? this.#text() : ''
    const keys = [processListKey(prefix), processLoadKey(prefix, this.#process)]
    const answer = await redis
      .eval(
        HEARTBEAT_SCRIPT,
        keys.length,
        ...keys,
        PROCESS_GONE_AFTER_MS,
        text,
        JSON.stringify(this.#load.read()),
      )
      .catch(() => undefined)
    if (!Array.isArray(answer)) return
    this.#refreshedMs = Date.now()
    const beating = parseMembers(answer)
    this.#members = beating.map(({ member }) => member)
    const foreignMembers = beating.filter(({ member }) => !this.isOwn(member.database))
    const [foreign] = foreignMembers
    if (!this.#hasJoined) await this.#tryToJoin(foreignMembers)
    else if (foreign)
      this.#foreignMembers.fault(
        new Error(describeMember(foreign.member)),
        'a process of another database uses these queues',
      )
    else this.#foreignMembers.over()
  }

  // Joins unless a process on another database is running. A process that died stays in the list for a while, so only
  // one that sends a second heartbeat counts as running.
  async #tryToJoin(foreignMembers: HeartbeatEntry[]): Promise<void> {
    for (const { text, atMs, member } of foreignMembers) {
      const firstMs = this.#firstSeen.get(text) ?? atMs
      this.#firstSeen.set(text, firstMs)
      if (atMs > firstMs) {
        this.#isStopped = true
        return this.#options.fail(new Error(describeMember(member)))
      }
    }
    if (foreignMembers.length > 0) return
    this.#hasJoined = true
    await this.#refreshMembers()
    this.#settled()
  }

  #text(): string {
    const { database } = this
    const { queues } = this.#options
    const member: HeartbeatMember = {
      process: this.#process,
      database,
      queues,
      host: hostname(),
      pid: process.pid,
    }
    return JSON.stringify(member)
  }
}

/** Lists the processes that are running now on any database. The calling process does not join them. */
export async function listProcesses(redis: Redis, prefix: string): Promise<HeartbeatMember[]> {
  const [seconds] = await redis.time()
  const sinceMs = Number(seconds) * 1_000 - PROCESS_GONE_AFTER_MS
  const answer = await redis.zrangebyscore(processListKey(prefix), sinceMs, '+inf', 'WITHSCORES')
  return parseMembers(answer).map(({ member }) => member)
}

/** Returns how busy these processes are. Omits processes of older releases, which do not report it. */
export async function readLoads(
  redis: Redis,
  prefix: string,
  members: HeartbeatMember[],
): Promise<BusyProcess[]> {
  if (members.length === 0) return []
  const loads = await redis.mget(members.map((member) => processLoadKey(prefix, member.process)))
  return members.flatMap((member, index) => {
    const load = loads[index]
    return load ? [{ ...member, load: JSON.parse(load) as ProcessLoad }] : []
  })
}

const processLoadKey = (prefix: string, id: string) => `${getHashTag(prefix, 'shared')}:load:${id}`
const processListKey = (prefix: string) => `${getHashTag(prefix, 'shared')}:processes`

function parseMembers(answer: unknown[]): HeartbeatEntry[] {
  return answer.flatMap((text, index) => {
    if (index % 2 === 1 || typeof text !== 'string') return []
    return [{ member: JSON.parse(text) as HeartbeatMember, text, atMs: Number(answer[index + 1]) }]
  })
}

function describeMember({ host, pid }: HeartbeatMember): string {
  return `Process ${pid} on ${host} uses this Redis with another database. Set DATABASE_URL to the same one, or REDIS_PREFIX to a name of its own for each.`
}

// How long a report of a wrong clock is kept. The report expires soon after the clock has been corrected or the worker
// has ended.
const WRONG_CLOCK_KEPT_MS = 2.5 * COMPARE_EVERY_MS

/**
 * Reports that a clock is wrong. If several clocks are wrong, only the last report is kept, because one is enough for a
 * warning.
 */
export async function reportWrongClock(redis: Redis, keys: RedisKeys, aheadMs: number): Promise<void> {
  await redis.set(getWrongClockKey(keys), Math.round(aheadMs), 'PX', WRONG_CLOCK_KEPT_MS)
}

export async function findWrongClock(redis: Redis, keys: RedisKeys): Promise<number | undefined> {
  const aheadMs = await redis.get(getWrongClockKey(keys))
  return aheadMs === null ? undefined : Number(aheadMs)
}

const getWrongClockKey = (keys: RedisKeys) => getRedisKey(keys, 'wrong-clock')
