// Decides which server answers a read: the replica if it works and has replayed the caller's own writes, or else the
// primary. If a read fails on the replica, the primary runs the read again.
import pg from 'pg'
import { isDatabaseUnavailable } from '../../../shared/database/faults.ts'
import type { Heartbeat } from '../../../shared/identity/heartbeat.ts'
import type { Config } from '../../../shared/settings/config.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import type { Admission } from '../../overload/admission.ts'
import type { SharedRedis } from '../../overload/rate-limiter.ts'
import { type Caller, LastWrites } from './last-writes.ts'
import {
  connectQuickPool,
  openReadConnections,
  type ReadConnections,
  type ReservedConnections,
} from './read-connections.ts'
import { Replica } from './replica.ts'

type PrimaryReason = 'replica_unusable' | 'not_replayed' | 'replica_failed'

export type ReadObserver = (server: 'replica' | 'primary', reason: PrimaryReason | '') => void

type ReplicaReads = { replica: Replica; lastWrites: LastWrites; observe: ReadObserver }

const STATEMENT_TIMEOUT = '57014'

export class Reads {
  readonly #primary: ReadConnections
  readonly #admission: Admission
  readonly #withReplica: ReplicaReads | undefined

  constructor(primary: ReadConnections, admission: Admission, withReplica?: ReplicaReads) {
    this.#primary = primary
    this.#admission = admission
    this.#withReplica = withReplica
  }

  /** The connections for data that must not be stale. */
  get primary(): ReadConnections {
    return this.#primary
  }

  get replica(): Replica | undefined {
    return this.#withReplica?.replica
  }

  /** Runs a read that sees the caller's own writes. Without a caller, the read may be as old as the replica.
   * The read counts toward the share of `owner`. */
  read<Result>(
    owner: string,
    caller: Caller | undefined,
    work: (connections: ReadConnections) => Promise<Result>,
  ): Promise<Result> {
    const both = this.#withReplica
    return this.#admission.admit(owner, () => (both ? this.#choose(both, caller, work) : work(this.#primary)))
  }

  /** Records a write of the caller. Call this when the write is done, and before the caller gets the response. */
  async noteWrite(caller: Caller): Promise<void> {
    await this.#withReplica?.lastWrites.note(caller)
  }

  async close() {
    await this.#primary.close()
    await this.#withReplica?.replica.close()
  }

  async #choose<Result>(
    { replica, lastWrites, observe }: ReplicaReads,
    caller: Caller | undefined,
    work: (connections: ReadConnections) => Promise<Result>,
  ): Promise<Result> {
    const reason = await this.#whyPrimary({ replica, lastWrites }, caller)
    if (reason) {
      observe('primary', reason)
      return work(this.#primary)
    }
    try {
      const result = await work(replica.connections)
      observe('replica', '')
      return result
    } catch (error) {
      if (!canRetryOnPrimary(error)) throw error
      replica.compare()
      observe('primary', 'replica_failed')
      return work(this.#primary)
    }
  }

  async #whyPrimary(
    { replica, lastWrites }: Omit<ReplicaReads, 'observe'>,
    caller: Caller | undefined,
  ): Promise<PrimaryReason | undefined> {
    if (replica.problem !== undefined) return 'replica_unusable'
    if (!caller) return undefined
    return (await replica.hasReplayed(await lastWrites.find(caller))) ? undefined : 'not_replayed'
  }
}

// Returns true if the replica is down, if its replay conflicted with the statement, or if it does not have the newest
// tables yet. A statement that takes too long would take too long on the primary too.
function canRetryOnPrimary(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true
  return error instanceof pg.DatabaseError && error.code !== STATEMENT_TIMEOUT
}

type ReadsOptions = SharedRedis & {
  config: Config
  primary: pg.Pool
  primaryUrl: string
  reserved: ReservedConnections
  admission: Admission
  heartbeat: Heartbeat
  observerOf: (replica: Replica) => ReadObserver
  log: Log
}

// The maximum number of connections for reads that wait for the replica.
const WAITING_CONNECTIONS_MAX = 2
// How long to remember writes beyond the lag limit: much longer than it takes to find out how far the replica
// is behind.
const LAG_DETECTION_MS = 60_000

export function openReads(parts: ReadsOptions): Reads {
  const { config, primary, primaryUrl, reserved, admission, redis, isRedisUp, nameOf, log } = parts
  const onPrimary = openReadConnections(primaryUrl, primary, config)
  const { databaseUrl, databaseReadUrl: url, databaseConnectionsMax: connectionsMax } = config
  if (url === undefined || url === databaseUrl || url === primaryUrl) return new Reads(onPrimary, admission)
  const pool = connectQuickPool(url, { applicationName: 'berth-reads', connectionsMax })
  const replica = new Replica({
    connections: openReadConnections(url, pool, config),
    looks: connectQuickPool(url, {
      applicationName: 'berth-replica',
      connectionsMax: WAITING_CONNECTIONS_MAX,
    }),
    primary: reserved.operations,
    identity: parts.heartbeat,
    waitMs: config.replicaWaitMs,
    lagMsMax: config.replicaLagMsMax,
    log,
  })
  const keptMs = config.replicaLagMsMax + LAG_DETECTION_MS
  const lastWrites = new LastWrites({ primary: reserved.receipts, redis, isRedisUp, nameOf, keptMs })
  return new Reads(onPrimary, admission, { replica, lastWrites, observe: parts.observerOf(replica) })
}
