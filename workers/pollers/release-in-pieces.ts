// Releases claims that nobody used or decided in time, in transactions of a few rows each. A timer and not a
// queue starts this work, so that neither an unreachable Redis nor a long run of upkeep delays it.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../shared/utilities/poller.ts'
import { openWrite, type Recorder } from '../runtime/write.ts'

const RELEASE_INTERVAL_MS = 4_000
export const RELEASES_PER_PIECE = 500
/**
 * How long to wait after a deadline, because a check-in or a decision that arrived in time may still be in the queue.
 */
export const RELEASE_GRACE_PERIOD = "interval '2 seconds'"

export type PeriodicRelease = {
  /** The name of the author in the audit log. */
  name: string
  done: string
  fault: string
  faultIsOver: string
  /**
   * Releases at most PIECE rows. Skips rows that another process is changing; the next run checks them again. Returns
   * how many rows were due, and how many of them were released.
   */
  releasePiece(write: Recorder): Promise<{ due: number; released: number }>
}

export function startReleases(database: Knex, log: Log, release: PeriodicRelease): Poller {
  return startPolling({
    everyMs: RELEASE_INTERVAL_MS,
    faults: new FaultLog(log, release.faultIsOver),
    fault: release.fault,
    async work() {
      await releaseInPieces(database, log, release)
    },
  })
}

/** Releases all rows that are due. Returns the number of released rows. */
export async function releaseInPieces(
  database: Knex,
  log: Log,
  { name, done, releasePiece }: PeriodicRelease,
): Promise<number> {
  const system = { actor: { type: 'system' as const, id: null, name }, requestId: name }
  let sum = 0
  for (;;) {
    const author = { ...system, attempt: randomUUID() }
    const { due, released } = await database.transaction((trx) => releasePiece(openWrite(trx, author)))
    if (released > 0) log.info({ released }, done)
    sum += released
    if (due < RELEASES_PER_PIECE) return sum
  }
}
