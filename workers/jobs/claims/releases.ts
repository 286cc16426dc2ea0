// Releases the parts of claims within the times taken away. A booking that continues afterwards is split in
// two. An event is one meeting, and its room is released from the first of these times on. More claims than one
// write can release are released in pieces by an accepted job; their bookables cannot be booked meanwhile.

import { type Times, timesText } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { auditEach } from '../../../shared/audit/audit.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { acceptJob } from '../../runtime/async-jobs.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { queryAll } from '../../runtime/statements.ts'
import { auditClaims, readFormerOfClaims } from './claim-changes.ts'
import {
  CLAIMS_MAX,
  type ClaimInTheWay,
  type ConflictSearch,
  countClaims,
  lockBookables,
  lockPiece,
} from './claims.ts'
import { lockClaims } from './locks.ts'

type Part = { id: number; from: string; to: string | null }
type Row = { id: number; row: unknown }

/** Returns false if the write can release them itself. */
export async function releaseLater(
  trx: Transaction,
  search: ConflictSearch,
  jobId: string,
  context: WorkContext,
): Promise<boolean> {
  const expected = await countClaims(trx, search, context.now)
  if (expected <= CLAIMS_MAX) return false
  // Bookings under way commit before the job is accepted, and no new ones begin.
  if (search.ids.length <= CLAIMS_MAX) await lockClaims(trx, search.ids)
  await lockBookables(trx, search.ids)
  const input = { taking: search, expected }
  await acceptJob(trx, 'bookings.release-all', { id: jobId, input, ability: 'user-write' }, context)
  return true
}

/** `found` is how many claims were looked at; fewer than the limit means that none are left. */
export async function releasePiece(
  trx: Transaction,
  search: ConflictSearch,
  limit: number,
  context: WorkContext,
): Promise<{ found: number; released: number }> {
  const { found, claims } = await lockPiece(trx, search, { now: context.now, limit })
  await releaseClaims(trx, claims, search.times, context)
  return { found, released: claims.length }
}

/** The booking keeps its first remaining part; without any it is deleted. */
export async function releaseClaims(
  trx: Transaction,
  claims: ClaimInTheWay[],
  times: Times,
  context: WorkContext,
): Promise<void> {
  const former = await readFormerOfClaims(trx, claims)
  const parts = await findParts(trx, claims, timesText(times, context.now))
  const first = parts.filter(({ id }, index) => parts.findIndex((part) => part.id === id) === index)
  const after = new Map((await shorten(trx, first)).map(({ id, row }) => [id, row]))
  const deleted = claims.filter(({ id }) => !after.has(id)).map(({ id }) => id)
  await trx.raw('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [deleted])
  const others = parts.filter((part) => !first.includes(part))
  const added = await insertParts(trx, others)
  const actions = { bookings: 'bookings.clear', events: 'events.clear-room' } as const
  await auditClaims(trx, context, actions, former, claims, (claim) => ({
    before: claim.row,
    ...(after.has(claim.id) ? { after: after.get(claim.id) } : {}),
  }))
  const created = added.map(({ id, row }) => ({ id, after: row }))
  await auditEach(trx, context, 'bookings.create', CREATED, created)
}

function findParts(trx: Transaction, claims: ClaimInTheWay[], times: string): Promise<Part[]> {
  return queryAll(
    trx,
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
function shorten(trx: Transaction, parts: Part[]): Promise<Row[]> {
  return queryAll(
    trx,
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
async function insertParts(trx: Transaction, parts: Part[]): Promise<Row[]> {
  if (parts.length === 0) return []
  const copied = 'exclusive, guest_name, guest_email, booking_info, vehicle_id, license_plate, series_id'
  return queryAll(
    trx,
    `INSERT INTO bookings (bookable_id, user_id, during, ${copied})
     SELECT bookable_id, user_id, tstzrange(from_time, to_time), ${copied}
     FROM ${PARTS} AS asked (id, from_time, to_time, ordinal)
     JOIN bookings USING (id)
     ORDER BY ordinal
     RETURNING id, to_jsonb(bookings) AS row`,
    columnsOf(parts),
  )
}
