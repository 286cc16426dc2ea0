// Where reads are answered: by the replica where there is one that works and has replayed what the caller has written, else
// by the primary. What fails on the replica is asked of the primary once more.
import pg from 'pg'
import { isDatabaseUnavailable } from '../../shared/faults.ts'
import type { Admission } from '../admission/admission.ts'
import type { Caller, LastWrites } from './last-writes.ts'
import type { ReadConnections } from './read-connections.ts'
import type { Replica } from './replica.ts'

/** Why the primary answers though there is a replica. */
export type PrimaryReason = 'replica_unusable' | 'not_replayed' | 'replica_failed'

/** Is told of every read. */
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

  get replica(): Replica | undefined {
    return this.#withReplica?.replica
  }

  /**
   * What `work` reads holds all that the caller was told before. Without a caller, for one who never writes and for what is
   * shared by many, it may be as old as a replica may be behind. `owner` is whose share of the reads it takes.
   */
  read<Result>(
    owner: string,
    caller: Caller | undefined,
    work: (connections: ReadConnections) => Promise<Result>,
  ): Promise<Result> {
    return this.#admission.admit(owner, () => this.#read(caller, work))
  }

  /** To be called when a write of theirs is done, and before they hear of it. */
  async noteWrite(caller: Caller): Promise<void> {
    await this.#withReplica?.lastWrites.note(caller)
  }

  async close() {
    await this.#primary.close()
    await this.#withReplica?.replica.close()
  }

  async #read<Result>(
    caller: Caller | undefined,
    work: (connections: ReadConnections) => Promise<Result>,
  ): Promise<Result> {
    if (!this.#withReplica) return work(this.#primary)
    const { replica, observe } = this.#withReplica
    const reason = await this.#whyPrimary(this.#withReplica, caller)
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
      replica.suspect()
      observe('primary', 'replica_failed')
      return work(this.#primary)
    }
  }

  async #whyPrimary(
    { replica, lastWrites }: WithReplica,
    caller: Caller | undefined,
  ): Promise<PrimaryReason | undefined> {
    if (replica.problem !== undefined) return 'replica_unusable'
    if (!caller) return undefined
    return (await replica.hasReplayed(await lastWrites.find(caller))) ? undefined : 'not_replayed'
  }
}

// The replica is away, its replay was in the way of the statement, or it does not have the newest tables yet. A statement
// that takes too long would do so there too.
function mayWorkOnPrimary(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true
  return error instanceof pg.DatabaseError && error.code !== STATEMENT_TIMEOUT
}
