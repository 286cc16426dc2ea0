// Frees what nobody has used or decided in time, in transactions of some rows each. A timer and no queue, so that neither an
// unreachable Redis nor long upkeep delays it.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { type Poller, poll } from '../../shared/utilities/poller.ts'
import { openWrite, type Recorder } from '../runtime/write.ts'

const EVERY_MS = 4_000
export const PIECE = 500
/** A check-in or a decision that arrived in time may still be on its way through the queue. */
export const GRACE = "interval '2 seconds'"

export type Release = {
  /** The author in the audit log. */
  name: string
  done: string
  fault: string
  faultIsOver: string
  /**
   * Frees at most PIECE, and skips what another process is changing: the next run gets it, or it is done. Returns how many
   * were due, and how many of them were freed.
   */
  releasePiece(write: Recorder): Promise<{ due: number; released: number }>
}

export function startReleases(database: Knex, log: Log, release: Release): Poller {
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, release.faultIsOver),
    fault: release.fault,
    async work() {
      await releaseInPieces(database, log, release)
    },
  })
}

/** Returns how many were freed. */
export async function releaseInPieces(
  database: Knex,
  log: Log,
  { name, done, releasePiece }: Release,
): Promise<number> {
  const system = { actor: { type: 'system' as const, id: null, name }, requestId: name }
  let sum = 0
  for (;;) {
    const author = { ...system, attempt: randomUUID() }
    const { due, released } = await database.transaction((trx) => releasePiece(openWrite(trx, author)))
    if (released > 0) log.info({ released }, done)
    sum += released
    if (due < PIECE) return sum
  }
}
