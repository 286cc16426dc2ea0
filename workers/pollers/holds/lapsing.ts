// Ends holds on which nobody decided in time, and withdraws holds of deactivated people. Both free the
// bookables that the holds reserve.
import type { Knex } from 'knex'
import type { Log } from '../../../shared/utilities/log.ts'
import { decideHolds } from '../../jobs/claims/holds.ts'
import {
  type PeriodicRelease,
  RELEASE_GRACE_PERIOD,
  RELEASES_PER_PIECE,
  releaseInPieces,
  startReleases,
} from '../release-in-pieces.ts'

const LAPSED_HOLD_RELEASE: PeriodicRelease = {
  name: 'holds',
  done: 'holds have lapsed',
  fault: 'holds cannot lapse',
  faultIsOver: 'holds lapse again',
  async releasePiece(write) {
    const due = await write.ids(
      `SELECT id FROM holds WHERE state = 'pending' AND expires_at <= now() - ${RELEASE_GRACE_PERIOD}
       ORDER BY expires_at LIMIT ${RELEASES_PER_PIECE} FOR UPDATE SKIP LOCKED`,
      [],
    )
    if (due.length > 0) await decideHolds(write, due, { state: 'lapsed' })
    // Withdraws holds of deactivated people here, because people are deactivated in several ways, including imports of
    // the whole company.
    const left = await write.ids(
      `SELECT holds.id FROM holds JOIN users ON users.id = holds.user_id
       WHERE holds.state = 'pending' AND users.deactivated_at IS NOT NULL
       ORDER BY holds.expires_at LIMIT ${RELEASES_PER_PIECE} FOR UPDATE OF holds SKIP LOCKED`,
      [],
    )
    if (left.length > 0) await decideHolds(write, left, { state: 'withdrawn' })
    return { due: Math.max(due.length, left.length), released: due.length + left.length }
  },
}

export const startHoldPoller = (database: Knex, log: Log) => startReleases(database, log, LAPSED_HOLD_RELEASE)

/** Ends holds that have lapsed. Returns the number of lapsed holds. */
export const lapseHolds = (database: Knex, log: Log) => releaseInPieces(database, log, LAPSED_HOLD_RELEASE)
