// Releases claims that nobody checked in to. A claim ends at its check-in deadline, however late a worker processes it.
import type { Knex } from 'knex'
import type { Log } from '../../../shared/utilities/log.ts'
import { auditClaims, readFormerOfClaims } from '../../jobs/claims/claim-changes.ts'
import type { AuditedRow } from '../../runtime/write.ts'
import { GRACE, PIECE, type Release, releaseInPieces, startReleases } from '../release-in-pieces.ts'

type Due = AuditedRow & { event_id: number | null; is_over: boolean }

const LOCK_DUE = `
  SELECT id, event_id, to_jsonb(bookings) AS row,
    coalesce(upper(during) <= check_in_until OR check_in_until <= lower(during), false) AS is_over
  FROM bookings
  WHERE check_in_until IS NOT NULL AND checked_in_at IS NULL AND released_at IS NULL
    AND check_in_until <= now() - ${GRACE}
  ORDER BY check_in_until LIMIT ${PIECE}
  FOR UPDATE SKIP LOCKED`

const RELEASE = `
  UPDATE bookings
  SET during = CASE WHEN is_over THEN during ELSE tstzrange(lower(during), check_in_until) END,
    released_at = CASE WHEN is_over THEN NULL ELSE now() END,
    check_in_until = CASE WHEN is_over THEN NULL ELSE check_in_until END,
    updated_at = CASE WHEN is_over THEN updated_at ELSE now() END
  FROM unnest(?::bigint[], ?::boolean[]) AS due (id, is_over) WHERE bookings.id = due.id
  RETURNING bookings.id, to_jsonb(bookings) AS row`

const NO_SHOWS: Release = {
  name: 'check-in',
  done: 'released claims without check-in',
  fault: 'claims without check-in cannot be released',
  faultIsOver: 'releasing works again',
  // A claim that ends before its deadline has nothing to release; clearing the deadline takes it out of the search.
  async releasePiece(write) {
    const due = await write.all<Due>(LOCK_DUE)
    if (due.length === 0) return { due: 0, released: 0 }
    const released = due.filter(({ is_over }) => !is_over)
    const former = await readFormerOfClaims(write, released)
    const after = await write.all<AuditedRow>(RELEASE, [
      due.map(({ id }) => id),
      due.map(({ is_over }) => is_over),
    ])
    await auditClaims(write, 'release', former, { before: released, after })
    return { due: due.length, released: released.length }
  },
}

export const startNoShowPoller = (database: Knex, log: Log) => startReleases(database, log, NO_SHOWS)

/** Returns the number of released claims. */
export const releaseNoShows = (database: Knex, log: Log) => releaseInPieces(database, log, NO_SHOWS)
