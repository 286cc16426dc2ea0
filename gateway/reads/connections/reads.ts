// Decides which server answers a read: the replica if it works and has replayed what the caller has written,
// else the primary. If a read fails on the replica, the primary is asked once more.
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

export type Observer = (server: 'replica' | 'primary', reason: PrimaryReason | '') => void

type WithReplica = { replica: Replica; lastWrites: LastWrites; observe: Observer }

const STATEMENT_TIMEOUT = '57014'

export class Reads {
  readonly #primary: ReadConnections
  readonly #admission: Admission
  readonly #withReplica: WithReplica | undefined

  constructor(primary: ReadConnections, admission: Admission, withReplica?: WithReplica) {
    this.#primary = primary
    this.#admission = admission
    this.#withReplica = withReplica
  }

  /** For data that must not be stale. */
  get primary(): ReadConnections {
    return this.#primary
  }

  get replica(): Replica | undefined {
    return this.#withReplica?.replica
  }

  /**
   * Runs a read that sees the caller's own writes. Without a caller, replica lag is accepted. The read counts against
   * `owner`'s share.
   */
  read<Result>(
    owner: string,
    caller: Caller | undefined,
    work: (connections: ReadConnections) => Promise<Result>,
  ): Promise<Result> {
    const both = this.#withReplica
    return this.#admission.admit(owner, () => (both ? this.#choose(both, caller, work) : work(this.#primary)))
  }

  /** Call it when a write of the caller is done, and before the caller gets the answer. */
  async noteWrite(caller: Caller): Promise<void> {
    await this.#withReplica?.lastWrites.note(caller)
  }

  async close() {
    await this.#primary.close()
    await this.#withReplica?.replica.close()
  }

  async #choose<Result>(
    { replica, lastWrites, observe }: WithReplica,
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
      if (!mayWorkOnPrimary(error)) throw error
      replica.compare()
      observe('primary', 'replica_failed')
      return work(this.#primary)
    }
  }

  async #whyPrimary(
    { replica, lastWrites }: Omit<WithReplica, 'observe'>,
    caller: Caller | undefined,
  ): Promise<PrimaryReason | undefined> {
    if (replica.problem !== undefined) return 'replica_unusable'
    if (!caller) return undefined
    return (await replica.hasReplayed(await lastWrites.find(caller))) ? undefined : 'not_replayed'
  }
}

// The replica is down, its replay conflicted with the statement, or it does not have the newest tables yet. A
// statement that takes too long would take too long on the primary too.
function mayWorkOnPrimary(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true
  return error instanceof pg.DatabaseError && error.code !== STATEMENT_TIMEOUT
}

type Parts = SharedRedis & {
  config: Config
  primary: pg.Pool
  primaryUrl: string
  reserved: ReservedConnections
  admission: Admission
  heartbeat: Heartbeat
  observerOf: (replica: Replica) => Observer
  log: Log
}

// Reads that wait for the replica share these connections.
const WAIT_CONNECTIONS_MAX = 2
// Much longer than it takes to find out how far the replica is behind.
const LAG_DETECTION_MS = 60_000

export function openReads(parts: Parts): Reads {
  const { config, primary, primaryUrl, reserved, admission, redis, isRedisUp, nameOf, log } = parts
  const onPrimary = openReadConnections(primaryUrl, primary, config)
  const { databaseUrl, databaseReadUrl: url, databaseConnectionsMax: connectionsMax } = config
  if (url === undefined || url === databaseUrl || url === primaryUrl) return new Reads(onPrimary, admission)
  const pool = connectQuickPool(url, { applicationName: 'berth-reads', connectionsMax })
  const replica = new Replica({
    connections: openReadConnections(url, pool, config),
    looks: connectQuickPool(url, { applicationName: 'berth-replica', connectionsMax: WAIT_CONNECTIONS_MAX }),
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
