// Lets holds lapse that nobody has decided in time, withdraws those of deactivated people, and frees what they keep.
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
    // Here, because people are deactivated in several ways, imports of the whole company among them.
    const left = await write.ids(
      `SELECT holds.id FROM holds JOIN users ON users.id = holds.user_id
       WHERE holds.state = 'pending' AND users.deactivated_at IS NOT NULL
       ORDER BY holds.expires_at LIMIT ${PIECE} FOR UPDATE OF holds SKIP LOCKED`,
      [],
    )
    if (left.length > 0) await decideHolds(write, left, { state: 'withdrawn' })
    return { due: Math.max(due.length, left.length), released: due.length + left.length }
  },
}

export const startHoldPoller = (database: Knex, log: Log) => startReleases(database, log, LAPSING)

/** Returns the number of lapsed holds. */
export const lapseHolds = (database: Knex, log: Log) => releaseInPieces(database, log, LAPSING)
