// Lets holds lapse that nobody has decided in time, and frees what they keep.
import type { Knex } from 'knex'
import type { Log } from '../../../shared/utilities/log.ts'
import { decideHolds } from '../../jobs/claims/holds.ts'
import { GRACE, PIECE, type Release, releaseInPieces, startReleases } from '../release-in-pieces.ts'

const LAPSING: Release = {
  name: 'holds',
  done: 'holds have lapsed',
  fault: 'holds cannot lapse',
  faultIsOver: 'holds lapse again',
  async releasePiece(write) {
    const due = await write.ids(
      `SELECT id FROM holds WHERE state = 'pending' AND expires_at <= now() - ${GRACE}
       ORDER BY expires_at LIMIT ${PIECE} FOR UPDATE SKIP LOCKED`,
      [],
    )
    if (due.length > 0) await decideHolds(write, due, { state: 'lapsed' })
    return { due: due.length, released: due.length }
  },
}

export const startHoldPoller = (database: Knex, log: Log) => startReleases(database, log, LAPSING)

/** Returns the number of lapsed holds. */
export const lapseHolds = (database: Knex, log: Log) => releaseInPieces(database, log, LAPSING)
