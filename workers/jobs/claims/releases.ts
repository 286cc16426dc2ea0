// Releases the parts of claims that fall within the times when a place is unavailable. A booking that continues after
// such a time is split in two. The room of an event is released from the first such time until the end, because an
// event is one meeting. If one write cannot release all claims, an accepted job releases them in batches, and the
// bookables cannot be booked in the meantime.
import {
  type AffectedTimes,
  formatMultirange,
} from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { acceptJob } from '../../runtime/accepted-jobs.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { readFormerStates, recordClaimAudit } from './claim-changes.ts'
import {
  type AffectedClaim,
  type AffectedClaimSearch,
  CLAIMS_MAX,
  countClaims,
  lockBookableRows,
  lockPieceOfClaims,
} from './claims.ts'
import { lockClaims } from './locks.ts'

type ClaimPart = { id: number; from: string; to: string | null }

/**
 * Leaves the release to an accepted job if there are too many claims. Returns false if the write can release the claims
 * itself.
 */
export async function releaseClaimsLater(
  write: Write,
  search: AffectedClaimSearch,
  jobId: string,
): Promise<boolean> {
  const expected = await countClaims(write, search)
  if (expected <= CLAIMS_MAX) return false
  // Waits until open writes of bookings have committed, and prevents new bookings, before Berth accepts the job.
  if (search.ids.length <= CLAIMS_MAX) await lockClaims(write, search.ids)
  await lockBookableRows(write, search.ids)
  const input = { taking: search, expected }
  await acceptJob(write.trx, 'bookings.release-all', { id: jobId, input, ability: 'user-write' }, write)
  return true
}

/**
 * Releases one batch of claims. `found` is the number of claims found. If it is less than the limit, no claims are
 * left.
 */
export async function releasePieceOfClaims(write: Write, search: AffectedClaimSearch, limit: number) {
  const { found, claims } = await lockPieceOfClaims(write, search, limit)
  await releaseClaims(write, claims, search.times)
  return { found, released: claims.length }
}

/** Shortens each booking to its first remaining part, or deletes the booking if no part remains. */
export async function releaseClaims(
  write: Write,
  claims: Array<Pick<AffectedClaim, 'id' | 'event_id' | 'row'>>,
  times: AffectedTimes,
  verb: 'clear' | 'release-away' | 'release-day' = 'clear',
): Promise<void> {
  const former = await readFormerStates(write, claims)
  const parts = await findRemainingParts(write, claims, formatMultirange(times, write.now))
  const first = parts.filter(({ id }, index) => parts.findIndex((part) => part.id === id) === index)
  const after = await shortenBookings(write, first)
  const kept = new Set(first.map(({ id }) => id))
  const deleted = claims.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  await write.run('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [deleted])
  const added = await insertLaterParts(
    write,
    parts.filter((part) => !first.includes(part)),
  )
  await recordClaimAudit(write, verb, former, { before: claims, after })
  await write.auditRows('bookings.create', NEWLY_CREATED, { after: added })
}

function findRemainingParts(
  write: Write,
  claims: Array<{ id: number }>,
  times: string,
): Promise<ClaimPart[]> {
  return write.all(
    `SELECT bookings.id, ${timestampText('lower(part)')} AS "from", ${timestampText('upper(part)')} AS "to"
     FROM bookings, unnest(tstzmultirange(bookings.during) - CAST(? AS tstzmultirange)) AS part
     WHERE bookings.id = ANY(?::bigint[]) AND (event_id IS NULL OR lower(part) = lower(bookings.during))
     ORDER BY bookings.bookable_id, part`,
    [times, claims.map(({ id }) => id)],
  )
}

const PARTS_SQL =
  'unnest(CAST(:ids AS bigint[]), CAST(:froms AS timestamptz[]), CAST(:tos AS timestamptz[])) WITH ORDINALITY'

const toColumns = (parts: ClaimPart[]) => ({
  ids: parts.map(({ id }) => id),
  froms: parts.map(({ from }) => from),
  tos: parts.map(({ to }) => to),
})

// Shortens bookings. If the start changes, the check-in deadline is cleared, so that a permanent booking does not need
// a check-in after each closed day.
function shortenBookings(write: Write, parts: ClaimPart[]): Promise<AuditedRow[]> {
  return write.all(
    `UPDATE bookings SET during = tstzrange(asked.from_time, asked.to_time), updated_at = now(),
       check_in_from = CASE WHEN lower(during) = asked.from_time THEN check_in_from END,
       check_in_until = CASE WHEN lower(during) = asked.from_time THEN check_in_until END
     FROM ${PARTS_SQL} AS asked (id, from_time, to_time)
     WHERE bookings.id = asked.id
     RETURNING bookings.id, to_jsonb(bookings) AS row`,
    toColumns(parts),
  )
}

/**
 * Inserts the later parts of bookings. The original bookings have already been shortened, so the new parts cannot
 * conflict with them.
 */
async function insertLaterParts(write: Write, parts: ClaimPart[]): Promise<AuditedRow[]> {
  if (parts.length === 0) return []
  const copied =
    'exclusive, guest_name, guest_email, booking_info, vehicle_id, license_plate, series_id, booked_by_user_id'
  return write.all(
    `INSERT INTO bookings (bookable_id, user_id, during, ${copied})
     SELECT bookable_id, user_id, tstzrange(from_time, to_time), ${copied}
     FROM ${PARTS_SQL} AS asked (id, from_time, to_time, ordinal)
     JOIN bookings USING (id)
     ORDER BY ordinal
     RETURNING id, to_jsonb(bookings) AS row`,
    toColumns(parts),
  )
}
