// The replica as this process knows it: how much it has replayed, and how far it is behind. It is asked twice a second, and
// by whoever waits for a write to be replayed. Reads go to it only while it is there and near enough.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { onlyRow } from '../../shared/database.ts'
import type { Log } from '../../shared/log.ts'
import { NextRuns } from '../../shared/utilities/next-runs.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { Lag } from './lag.ts'
import type { ReadConnections } from './read-connections.ts'

type Options = {
  connections: ReadConnections
  /** To the replica too, but no read is in the way there. */
  looks: pg.Pool
  primary: pg.Pool
  /** How long a read waits for it. */
  waitMs: number
  lagMsMax: number
  log: Log
}

const LOOK_EVERY_MS = 500
const LOOK_MS_MAX = 1_000
const POLL_MS = 5

/** An LSN as a number, exact up to 8 PiB of WAL. */
export const lsnSql = (lsn: string) => `(${lsn} - '0/0')::bigint`

// What is flushed can be replayed at once; what is only inserted waits for the next commit.
const PRIMARY = { name: 'primary-flushed', text: `SELECT ${lsnSql('pg_current_wal_flush_lsn()')} AS lsn` }
const REPLICA = {
  name: 'replica-replayed',
  text: `SELECT pg_is_in_recovery() AS "isReplica", ${lsnSql('pg_last_wal_replay_lsn()')} AS lsn`,
}

export class Replica {
  readonly connections: ReadConnections
  readonly #options: Options
  readonly #looks = new NextRuns<void>()
  readonly #lag = new Lag()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #replayedLsn = 0
  #lagMs: number | undefined
  #problem: string | undefined = 'The replica has not answered yet.'
  /** What the log says of it last. */
  #isSaidToWork: boolean | undefined

  constructor(options: Options) {
    this.connections = options.connections
    this.#options = options
    this.#watch()
  }

  /** What keeps reads from it, if anything. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** As it was found last; undefined while that is not known. */
  get lagMs(): number | undefined {
    return this.#lagMs
  }

  /** Waits a moment for it, but not where it is known to be further behind than that. */
  async hasReplayed(lsn: number): Promise<boolean> {
    if (this.#replayedLsn >= lsn) return true
    const { waitMs } = this.#options
    if (lsn === Infinity || (this.#lagMs ?? 0) > waitMs) return false
    let isOver = false
    const replays = async () => {
      while (!isOver) {
        await this.#look()
        if (this.#replayedLsn >= lsn) return true
        await sleep(POLL_MS)
      }
      return false
    }
    const isReplayed = await withTimeout(replays(), waitMs, () => false)
    isOver = true
    return isReplayed
  }

  /** A read has failed there: whether it is away is found out now. */
  suspect() {
    this.#compare()
  }

  async close() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await Promise.all([this.connections.close(), this.#options.looks.end()])
  }

  async #watch(): Promise<void> {
    await this.#compare()
    if (this.#isStopped) return
    this.#timer = setTimeout(() => this.#watch(), LOOK_EVERY_MS).unref()
  }

  async #compare(): Promise<void> {
    const { primary, log } = this.#options
    try {
      const askedMs = Date.now()
      const { rows } = await primary.query<{ lsn: number }>(PRIMARY)
      this.#lag.notePrimary(onlyRow(rows).lsn, askedMs)
    } catch (error) {
      log.debug({ err: error }, 'the primary did not say how much it has written')
    }
    await this.#look()
  }

  /** Of those who ask at the same moment, one asks for all. */
  async #look(): Promise<void> {
    return this.#looks.ask('', () => this.#ask())
  }

  // It is asked twice: a process that was held up itself may have an answer that it has not read yet.
  async #ask(isSecond = false): Promise<void> {
    try {
      const late = () => {
        throw new Error('The replica did not answer in time')
      }
      const asked = this.#options.looks.query<{ isReplica: boolean; lsn: number | null }>(REPLICA)
      const { isReplica, lsn } = onlyRow((await withTimeout(asked, LOOK_MS_MAX, late)).rows)
      // Never more than it says: it may be another server than a moment ago.
      this.#replayedLsn = isReplica ? (lsn ?? 0) : 0
      this.#lagMs = isReplica ? this.#lag.ms(this.#replayedLsn, Date.now()) : undefined
      this.#judge(isReplica ? this.#describeLag() : 'DATABASE_READ_URL leads to a server that is no replica.')
    } catch (error) {
      if (!isSecond) return this.#ask(true)
      this.#replayedLsn = 0
      this.#lagMs = undefined
      this.#judge('The replica is not responding.', error)
    }
  }

  // It is taken back where it is well within the limit, so that it does not come and go.
  #describeLag(): string | undefined {
    const { lagMsMax } = this.#options
    const lagMs = this.#lagMs ?? 0
    if (lagMs <= (this.#problem === undefined ? lagMsMax : lagMsMax / 2)) return undefined
    return `The replica is ${(lagMs / 1_000).toFixed(1)} s behind.`
  }

  #judge(problem: string | undefined, error?: unknown) {
    const { log } = this.#options
    const works = problem === undefined
    this.#problem = problem
    if (this.#isStopped || works === this.#isSaidToWork) return
    this.#isSaidToWork = works
    if (works) log.info('reads go to the replica')
    else log.warn({ err: error, lagMs: this.#lagMs }, `${problem} Reads go to the primary`)
  }
}
