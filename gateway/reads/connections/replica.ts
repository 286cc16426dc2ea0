// Watches the replica: how much it has replayed, and how far it is behind. This process asks the replica twice a
// second, and whenever a read waits for a write to be replayed. Reads use the replica only while it is up and not too
// far behind.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { getOnlyRow } from '../../../shared/database/database.ts'
import { explainConnectionFault } from '../../../shared/database/faults.ts'
import type { Heartbeat } from '../../../shared/identity/heartbeat.ts'
import { formatIdentity, readIdentity } from '../../../shared/identity/identity.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { FreshSingleFlight } from '../../../shared/utilities/shared-look-ups.ts'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'
import type { ReadConnections } from './read-connections.ts'

type ReplicaOptions = {
  connections: ReadConnections
  /** A separate pool of connections to the replica, on which no reads run. */
  looks: pg.Pool
  primary: pg.Pool
  identity: Pick<Heartbeat, 'database' | 'isOwn'>
  waitMs: number
  lagMsMax: number
  log: Log
}

const POLL_EVERY_MS = 500
const STATE_QUERY_MS_MAX = 1_000
const REPLAY_POLL_MS = 5
const MISSING_TABLE = '42P01'
const INSUFFICIENT_PRIVILEGE = '42501'

/** SQL that converts an LSN to a number, which is exact up to 8 PiB of WAL. */
export const lsnSql = (lsn: string) => `(${lsn} - '0/0')::bigint`

// Reads the flushed position, because flushed WAL can be replayed at once. WAL that is only inserted waits for the next
// commit.
const PRIMARY_STATE_STATEMENT = {
  name: 'primary-flushed',
  text: `SELECT ${lsnSql('pg_current_wal_flush_lsn()')} AS lsn`,
}
const REPLICA_STATE_STATEMENT = {
  name: 'replica-replayed',
  text: `SELECT pg_is_in_recovery() AS "isReplica", ${lsnSql('pg_last_wal_replay_lsn()')} AS lsn`,
}

export class Replica {
  readonly connections: ReadConnections
  readonly #options: ReplicaOptions
  readonly #looks = new FreshSingleFlight<void>()
  readonly #lag = new ReplicaLag()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #replayedLsn = 0
  /** The lag of the replica as last measured; undefined while it is unknown. */
  lagMs: number | undefined
  /** The database on the replica; undefined after each new connection until the replica has been asked. */
  #database: string | undefined
  /** Why reads do not use the replica; undefined if they do. */
  problem: string | undefined = 'The replica has not answered yet.'
  /** Whether the last log line about the replica says that it works. */
  #wasLoggedAsUp: boolean | undefined

  constructor(options: ReplicaOptions) {
    this.connections = options.connections
    this.#options = options
    // Forgets which database the replica has, because the new connection may lead to another server.
    options.looks.on('connect', () => {
      this.#database = undefined
    })
    this.#watch()
  }

  /** Waits a moment for the replica to replay this LSN, unless the replica is known to be too far behind. */
  async hasReplayed(lsn: number): Promise<boolean> {
    if (this.#replayedLsn >= lsn) return true
    const { waitMs } = this.#options
    if (lsn === Infinity || (this.lagMs ?? 0) > waitMs) return false
    const endMs = performance.now() + waitMs
    const replays = async () => {
      while (performance.now() < endMs) {
        await this.#look()
        if (this.#replayedLsn >= lsn) return true
        await sleep(REPLAY_POLL_MS)
      }
      return false
    }
    return withTimeout(replays(), waitMs, () => false)
  }

  async close() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await Promise.all([this.connections.close(), this.#options.looks.end()])
  }

  async #watch(): Promise<void> {
    await this.compare()
    if (this.#isStopped) return
    this.#timer = setTimeout(() => this.#watch(), POLL_EVERY_MS).unref()
  }

  /**
   * Compares the replica with the primary. Also called when a read has failed on the replica, to find out at once
   * whether the replica is down.
   */
  async compare(): Promise<void> {
    const { primary, log } = this.#options
    try {
      const askedMs = Date.now()
      const { rows } = await primary.query<{ lsn: number }>(PRIMARY_STATE_STATEMENT)
      this.#lag.notePrimary(getOnlyRow(rows).lsn, askedMs)
    } catch (error) {
      log.debug({ err: error }, 'the WAL position of the primary could not be read')
    }
    await this.#look()
  }

  #look(): Promise<void> {
    return this.#looks.ask('', () => this.#ask())
  }

  // Asks the replica, and asks again after a failure: if this process itself was delayed, an answer may have
  // arrived that it has not read yet.
  async #ask(isSecond = false): Promise<void> {
    const { identity } = this.#options
    try {
      const [answer] = await this.#query<{ isReplica: boolean; lsn: number | null }>(REPLICA_STATE_STATEMENT)
      this.#database ??= formatIdentity(await readIdentity((text) => this.#query({ text })))
      // The gateway knows the identity of its own database only once the primary has answered.
      if (identity.database !== '') this.#note(answer?.isReplica ?? false, answer?.lsn ?? 0)
    } catch (error) {
      if (!isSecond) return this.#ask(true)
      this.#forgetPosition()
      this.#judge(`The replica ${describeFault(error)}.`, error)
    }
  }

  async #query<Row extends pg.QueryResultRow>(query: { name?: string; text: string }): Promise<Row[]> {
    const asked = this.#options.looks.query<Row>(query)
    const answer = await withTimeout(asked, STATE_QUERY_MS_MAX, () => undefined)
    if (answer) return answer.rows
    throw new Error('The replica did not answer in time')
  }

  #note(isReplica: boolean, lsn: number) {
    const isOwn = this.#options.identity.isOwn(this.#database ?? '')
    if (!isReplica || !isOwn) {
      this.#forgetPosition()
      const target = isOwn ? 'a server that is no replica' : 'another database'
      return this.#judge(`DATABASE_READ_URL leads to ${target}.`)
    }
    // Also lowers the recorded LSN, because the connection may lead to another server than a moment ago.
    this.#replayedLsn = lsn
    const lagMs = this.#lag.ms(lsn, Date.now())
    this.lagMs = lagMs
    const { lagMsMax } = this.#options
    // Once reported, a lag problem clears only at half the limit, so that it does not come and go.
    const isNear = lagMs <= (this.problem === undefined ? lagMsMax : lagMsMax / 2)
    this.#judge(isNear ? undefined : `The replica is ${(lagMs / 1_000).toFixed(1)} s behind.`)
  }

  #forgetPosition() {
    this.#replayedLsn = 0
    this.lagMs = undefined
  }

  #judge(problem: string | undefined, error?: unknown) {
    const { log } = this.#options
    const works = problem === undefined
    this.problem = problem
    if (this.#isStopped || works === this.#wasLoggedAsUp) return
    this.#wasLoggedAsUp = works
    if (works) log.info('reads go to the replica')
    else log.warn({ err: error, lagMs: this.lagMs }, `${problem} Reads go to the primary`)
  }
}

function describeFault(error: unknown): string {
  const code = error instanceof pg.DatabaseError ? error.code : undefined
  if (code === MISSING_TABLE) return 'does not have the tables of Berth'
  if (code === INSUFFICIENT_PRIVILEGE) return 'does not let this user read'
  return explainConnectionFault(error) ?? 'is not responding'
}

// The maximum number of samples, which is enough for minutes. If the replica is further behind, the exact
// second does not matter.
const SAMPLES_MAX = 1_000

/** Computes the lag of the replica: the time for which the primary has had data that the replica lacks,
 * measured by one clock. The lag is zero while nothing is written. */
export class ReplicaLag {
  /** Positions of the primary that the replica has not reached, each with its time, oldest first. */
  #lacking: Array<{ lsn: number; atMs: number }> = []
  #latestLsn = 0

  notePrimary(lsn: number, atMs: number) {
    if (lsn === this.#latestLsn || this.#lacking.length >= SAMPLES_MAX) return
    this.#latestLsn = lsn
    this.#lacking.push({ lsn, atMs })
  }

  ms(replayedLsn: number, nowMs: number): number {
    this.#lacking = this.#lacking.filter(({ lsn }) => lsn > replayedLsn)
    const [oldest] = this.#lacking
    return oldest ? Math.max(0, nowMs - oldest.atMs) : 0
  }
}
