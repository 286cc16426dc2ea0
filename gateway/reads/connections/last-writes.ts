// Remembers the last write of each caller as an LSN. A server that has replayed this LSN shows every write
// that this caller has been told about. The LSN is stored in Redis for all gateway processes, and in memory
// in case Redis cannot be reached.
import type pg from 'pg'
import { getOnlyRow } from '../../../shared/database/database.ts'
import type { Actor } from '../../../shared/jobs/jobs.ts'
import { BoundedMap } from '../../../shared/utilities/caches.ts'
import { FreshSingleFlight } from '../../../shared/utilities/shared-look-ups.ts'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'
import type { SharedRedis } from '../../overload/rate-limiter.ts'
import { lsnSql } from './replica.ts'

export type Caller = Pick<Actor, 'type' | 'id'>

type RecordedWrite = { lsn: number; untilMs: number }

/** How long writes are remembered. After this time, every replica in use has replayed them. */
type LastWritesOptions = SharedRedis & { primary: pg.Pool; keptMs: number }

const REMEMBERED_WRITES_MAX = 10_000
const PRIMARY_TIMEOUT_MS = 500
const REDIS_TIMEOUT_MS = 250
// An LSN that no server has replayed. It is used for unknown writes.
const UNKNOWN_LSN = Infinity

// The position of the last write. It is after every commit that has been answered. A position that a
// transaction reads itself would be before the transaction's own commit.
const WRITTEN_LSN_STATEMENT = {
  name: 'primary-written',
  text: `SELECT ${lsnSql('pg_current_wal_insert_lsn()')} AS lsn`,
}

export class LastWrites {
  readonly #options: LastWritesOptions
  readonly #noted = new BoundedMap<RecordedWrite>(REMEMBERED_WRITES_MAX)
  readonly #primaryLooks = new FreshSingleFlight<number>()
  readonly #redisLooks = new FreshSingleFlight<number>()
  /** The minimum LSN for every caller, used because Redis may have lost the callers' writes. */
  #floor: Promise<RecordedWrite> | undefined

  constructor(options: LastWritesOptions) {
    this.#options = options
    options.redis.on('ready', () => {
      this.#floor = this.#writtenByNow()
    })
  }

  /** Records a write of the caller. Call this when the write is done, and before the caller gets the response. */
  async note(caller: Caller): Promise<void> {
    const key = formatRedisKey(caller)
    const noted = await this.#writtenByNow()
    this.#noted.set(key, noted)
    const told = this.#saveInRedis(key, noted.lsn).catch(() => undefined)
    await withTimeout(told, REDIS_TIMEOUT_MS, () => undefined)
  }

  async find(caller: Caller): Promise<number> {
    const key = formatRedisKey(caller)
    const known = await Promise.all([this.#noted.get(key), this.#floor, this.#findInRedis(key)])
    const nowMs = Date.now()
    const lsns = known.map((each) =>
      typeof each === 'object' ? (each.untilMs > nowMs ? each.lsn : 0) : each,
    )
    return Math.max(...lsns.map((lsn) => lsn ?? 0))
  }

  async #writtenByNow(): Promise<RecordedWrite> {
    const { primary, keptMs } = this.#options
    const look = async () =>
      getOnlyRow((await primary.query<{ lsn: number }>(WRITTEN_LSN_STATEMENT)).rows).lsn
    const asked = this.#primaryLooks.ask('', look).catch(() => UNKNOWN_LSN)
    const lsn = await withTimeout(asked, PRIMARY_TIMEOUT_MS, () => UNKNOWN_LSN)
    return { lsn, untilMs: Date.now() + keptMs }
  }

  // If two processes record two writes of a caller at the same moment, keeps the later one.
  async #saveInRedis(key: string, lsn: number): Promise<void> {
    const { redis, nameOf, keptMs } = this.#options
    const name = nameOf(key)
    const score = lsn === UNKNOWN_LSN ? 'inf' : lsn
    await redis.pipeline().zadd(name, 'GT', score, 'lsn').pexpire(name, keptMs).exec()
  }

  async #findInRedis(key: string): Promise<number> {
    const { redis, isRedisUp, nameOf } = this.#options
    if (!isRedisUp()) return UNKNOWN_LSN
    const look = async () => {
      const score = await redis.zscore(nameOf(key), 'lsn')
      return score === 'inf' ? UNKNOWN_LSN : Number(score)
    }
    const asked = this.#redisLooks.ask(key, look).catch(() => UNKNOWN_LSN)
    return withTimeout(asked, REDIS_TIMEOUT_MS, () => UNKNOWN_LSN)
  }
}

const formatRedisKey = ({ type, id }: Caller) => `last-write:${type}:${id}`
