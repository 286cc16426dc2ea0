// Releases the parts of claims within the times taken away. A booking that continues afterwards is split in
// two. An event is one meeting, and its room is released from the first of these times on. More claims than one
// write can release are released in pieces by an accepted job; their bookables cannot be booked meanwhile.
import { type Times, timesText } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { acceptJob } from '../../runtime/accepted-jobs.ts'
import type { AuditedRow, Write } from '../../runtime/write.ts'
import { auditClaims, readFormerOfClaims } from './claim-changes.ts'
import {
  type AffectedClaim,
  type AffectedSearch,
  CLAIMS_MAX,
  countClaims,
  lockBookableRows,
  lockPiece,
} from './claims.ts'
import { lockClaims } from './locks.ts'

type Part = { id: number; from: string; to: string | null }

/** Returns false if the write can release them itself. */
export async function releaseLater(write: Write, search: AffectedSearch, jobId: string): Promise<boolean> {
  const expected = await countClaims(write, search)
  if (expected <= CLAIMS_MAX) return false
  // Bookings under way commit before the job is accepted, and no new ones begin.
  if (search.ids.length <= CLAIMS_MAX) await lockClaims(write, search.ids)
  await lockBookableRows(write, search.ids)
  const input = { taking: search, expected }
  await acceptJob(write.trx, 'bookings.release-all', { id: jobId, input, ability: 'user-write' }, write)
  return true
}

/** `found` is how many claims were looked at; fewer than the limit means that none are left. */
export async function releasePiece(write: Write, search: AffectedSearch, limit: number) {
  const { found, claims } = await lockPiece(write, search, limit)
  await releaseClaims(write, claims, search.times)
  return { found, released: claims.length }
}

/** The booking keeps its first remaining part; without any it is deleted. */
export async function releaseClaims(write: Write, claims: AffectedClaim[], times: Times): Promise<void> {
  const former = await readFormerOfClaims(write, claims)
  const parts = await findParts(write, claims, timesText(times, write.now))
  const first = parts.filter(({ id }, index) => parts.findIndex((part) => part.id === id) === index)
  const after = await shorten(write, first)
  const kept = new Set(first.map(({ id }) => id))
  const deleted = claims.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  await write.run('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [deleted])
  const added = await insertParts(
    write,
    parts.filter((part) => !first.includes(part)),
  )
  await auditClaims(write, 'clear', former, { before: claims, after })
  await write.auditRows('bookings.create', CREATED, { after: added })
}

function findParts(write: Write, claims: AffectedClaim[], times: string): Promise<Part[]> {
  return write.all(
    `SELECT bookings.id, ${timestampText('lower(part)')} AS "from", ${timestampText('upper(part)')} AS "to"
     FROM bookings, unnest(tstzmultirange(bookings.during) - CAST(? AS tstzmultirange)) AS part
     WHERE bookings.id = ANY(?::bigint[]) AND (event_id IS NULL OR lower(part) = lower(bookings.during))
     ORDER BY bookings.bookable_id, part`,
    [times, claims.map(({ id }) => id)],
  )
}

const PARTS =
  'unnest(CAST(:ids AS bigint[]), CAST(:froms AS timestamptz[]), CAST(:tos AS timestamptz[])) WITH ORDINALITY'

const columnsOf = (parts: Part[]) => ({
  ids: parts.map(({ id }) => id),
  froms: parts.map(({ from }) => from),
  tos: parts.map(({ to }) => to),
})

// If the start changes, check-in is cleared: a permanent booking needs none after each closed day.
function shorten(write: Write, parts: Part[]): Promise<AuditedRow[]> {
  return write.all(
    `UPDATE bookings SET during = tstzrange(asked.from_time, asked.to_time), updated_at = now(),
       check_in_from = CASE WHEN lower(during) = asked.from_time THEN check_in_from END,
       check_in_until = CASE WHEN lower(during) = asked.from_time THEN check_in_until END
     FROM ${PARTS} AS asked (id, from_time, to_time)
     WHERE bookings.id = asked.id
     RETURNING bookings.id, to_jsonb(bookings) AS row`,
    columnsOf(parts),
  )
}

/** The original booking is already shortened, so it cannot conflict with them. */
async function insertParts(write: Write, parts: Part[]): Promise<AuditedRow[]> {
  if (parts.length === 0) return []
  const copied = 'exclusive, guest_name, guest_email, booking_info, vehicle_id, license_plate, series_id'
  return write.all(
    `INSERT INTO bookings (bookable_id, user_id, during, ${copied})
     SELECT bookable_id, user_id, tstzrange(from_time, to_time), ${copied}
     FROM ${PARTS} AS asked (id, from_time, to_time, ordinal)
     JOIN bookings USING (id)
     ORDER BY ordinal
     RETURNING id, to_jsonb(bookings) AS row`,
    columnsOf(parts),
  )
}
