// Remembers the last write of each caller as an LSN: a server that has replayed it shows everything that this
// caller has been told. Redis holds it for all gateway processes; memory holds it too, in case Redis cannot
// be reached.
import type pg from 'pg'
import { onlyRow } from '../../../shared/database/database.ts'
import type { Actor } from '../../../shared/jobs/jobs.ts'
import { BoundedMap } from '../../../shared/utilities/caches.ts'
import { FreshSingleFlight } from '../../../shared/utilities/shared-look-ups.ts'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'
import type { SharedRedis } from '../../overload/rate-limiter.ts'
import { lsnSql } from './replica.ts'

export type Caller = Pick<Actor, 'type' | 'id'>

type Noted = { lsn: number; untilMs: number }

/** After `keptMs`, every replica that is still used has replayed the write. */
type Options = SharedRedis & { primary: pg.Pool; keptMs: number }

const KNOWN_MAX = 10_000
const PRIMARY_MS_MAX = 500
const REDIS_MS_MAX = 250
// An LSN that no server has replayed: what the caller has written is unknown.
const UNKNOWN = Infinity

// This position lies after every commit that has been answered; the one that a transaction itself can see
// lies before its own commit.
const WRITTEN = { name: 'primary-written', text: `SELECT ${lsnSql('pg_current_wal_insert_lsn()')} AS lsn` }

export class LastWrites {
  readonly #options: Options
  readonly #noted = new BoundedMap<Noted>(KNOWN_MAX)
  readonly #primaryLooks = new FreshSingleFlight<number>()
  readonly #redisLooks = new FreshSingleFlight<number>()
  /** Applies to every caller, because Redis may have lost what it knew before. */
  #floor: Promise<Noted> | undefined

  constructor(options: Options) {
    this.#options = options
    options.redis.on('ready', () => {
      this.#floor = this.#writtenByNow()
    })
  }

  /** Call it when a write is done, and before its caller gets the answer. */
  async note(caller: Caller): Promise<void> {
    const key = keyOf(caller)
    const noted = await this.#writtenByNow()
    this.#noted.set(key, noted)
    const told = this.#saveInRedis(key, noted.lsn).catch(() => undefined)
    await withTimeout(told, REDIS_MS_MAX, () => undefined)
  }

  async find(caller: Caller): Promise<number> {
    const key = keyOf(caller)
    const known = await Promise.all([this.#noted.get(key), this.#floor, this.#findInRedis(key)])
    const nowMs = Date.now()
    const lsns = known.map((each) =>
      typeof each === 'object' ? (each.untilMs > nowMs ? each.lsn : 0) : each,
    )
    return Math.max(...lsns.map((lsn) => lsn ?? 0))
  }

  async #writtenByNow(): Promise<Noted> {
    const { primary, keptMs } = this.#options
    const look = async () => onlyRow((await primary.query<{ lsn: number }>(WRITTEN)).rows).lsn
    const asked = this.#primaryLooks.ask('', look).catch(() => UNKNOWN)
    const lsn = await withTimeout(asked, PRIMARY_MS_MAX, () => UNKNOWN)
    return { lsn, untilMs: Date.now() + keptMs }
  }

  // Two processes may record two writes of a caller at the same moment: the later one stays.
  async #saveInRedis(key: string, lsn: number): Promise<void> {
    const { redis, nameOf, keptMs } = this.#options
    const name = nameOf(key)
    const score = lsn === UNKNOWN ? 'inf' : lsn
    await redis.pipeline().zadd(name, 'GT', score, 'lsn').pexpire(name, keptMs).exec()
  }

  async #findInRedis(key: string): Promise<number> {
    const { redis, isRedisUp, nameOf } = this.#options
    if (!isRedisUp()) return UNKNOWN
    const look = async () => {
      const score = await redis.zscore(nameOf(key), 'lsn')
      return score === 'inf' ? UNKNOWN : Number(score)
    }
    const asked = this.#redisLooks.ask(key, look).catch(() => UNKNOWN)
    return withTimeout(asked, REDIS_MS_MAX, () => UNKNOWN)
  }
}

const keyOf = ({ type, id }: Caller) => `last-write:${type}:${id}`
