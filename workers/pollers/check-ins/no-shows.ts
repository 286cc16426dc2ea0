// Releases claims without a check-in. Such a claim ends at its check-in deadline, however late a worker processes it.
import type { Knex } from 'knex'
import type { Log } from '../../../shared/utilities/log.ts'
import { readFormerStates, recordClaimAudit } from '../../jobs/claims/claim-changes.ts'
import type { AuditedRow } from '../../runtime/write.ts'
import {
  type PeriodicRelease,
  RELEASE_GRACE_PERIOD,
  RELEASES_PER_PIECE,
  releaseInPieces,
  startReleases,
} from '../release-in-pieces.ts'

type DueClaim = AuditedRow & { event_id: number | null; is_over: boolean }

const LOCK_DUE_SQL = `
  SELECT id, event_id, to_jsonb(bookings) AS row,
    coalesce(upper(during) <= check_in_until OR check_in_until <= lower(during), false) AS is_over
  FROM bookings
  WHERE check_in_until IS NOT NULL AND checked_in_at IS NULL AND released_at IS NULL
    AND check_in_until <= now() - ${RELEASE_GRACE_PERIOD}
  ORDER BY check_in_until LIMIT ${RELEASES_PER_PIECE}
  FOR UPDATE SKIP LOCKED`

const RELEASE_SQL = `
  UPDATE bookings
  SET during = CASE WHEN is_over THEN during ELSE tstzrange(lower(during), check_in_until) END,
    released_at = CASE WHEN is_over THEN NULL ELSE now() END,
    check_in_until = CASE WHEN is_over THEN NULL ELSE check_in_until END,
    updated_at = CASE WHEN is_over THEN updated_at ELSE now() END
  FROM unnest(?::bigint[], ?::boolean[]) AS due (id, is_over) WHERE bookings.id = due.id
  RETURNING bookings.id, to_jsonb(bookings) AS row`

const NO_SHOW_RELEASE: PeriodicRelease = {
  name: 'check-in',
  done: 'released claims without check-in',
  fault: 'claims without check-in cannot be released',
  faultIsOver: 'releasing works again',
  // A claim that ends before its check-in deadline has nothing to release. Clearing the deadline keeps later searches
  // from finding the claim.
  async releasePiece(write) {
    const due = await write.all<DueClaim>(LOCK_DUE_SQL)
    if (due.length === 0) return { due: 0, released: 0 }
    const released = due.filter(({ is_over }) => !is_over)
    const former = await readFormerStates(write, released)
    const after = await write.all<AuditedRow>(RELEASE_SQL, [
      due.map(({ id }) => id),
      due.map(({ is_over }) => is_over),
    ])
    await recordClaimAudit(write, 'release', former, { before: released, after })
    return { due: due.length, released: released.length }
  },
}

export const startNoShowPoller = (database: Knex, log: Log) => startReleases(database, log, NO_SHOW_RELEASE)

/** Releases claims without a check-in. Returns the number of released claims. */
export const releaseNoShows = (database: Knex, log: Log) => releaseInPieces(database, log, NO_SHOW_RELEASE)
