// Releases the parts of claims within the times taken away. A booking that continues afterwards is split in
// two. An event is one meeting, and its room is released from the first of these times on.

import { type Times, timesText } from '../../../shared/affected-bookings/affected-bookings-shape.ts'
import { auditEach } from '../../../shared/audit/audit.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { type ClaimInTheWay, readFormerOfClaims } from './claims.ts'

const ACTIONS = [
  ['bookings', 'bookings.clear'],
  ['events', 'events.clear-room'],
] as const

type Part = { id: number; from: string; to: string | null }
type Row = { id: number; row: unknown }

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
  const after = await shorten(trx, first)
  const deleted = claims.filter(({ id }) => !after.has(id))
  await trx.raw('DELETE FROM bookings WHERE id = ANY(?::bigint[])', [deleted.map(({ id }) => id)])
  const added = await insertParts(
    trx,
    parts.filter((part) => !first.includes(part)),
  )
  for (const [resource, action] of ACTIONS) {
    const own = claims.filter(({ event_id }) => (event_id === null) === (resource === 'bookings'))
    const changes = own.map(({ id, event_id, row }) => ({
      id: event_id ?? id,
      before: row,
      ...(after.has(id) ? { after: after.get(id) } : {}),
    }))
    await auditEach(trx, context, { action, resource }, former[resource], changes)
  }
  const created = added.map(({ id, row }) => ({ id, after: row }))
  await auditEach(trx, context, { action: 'bookings.create', resource: 'bookings' }, CREATED, created)
}

async function findParts(trx: Transaction, claims: ClaimInTheWay[], times: string): Promise<Part[]> {
  const { rows } = await trx.raw(
    `SELECT bookings.id, ${timestampText('lower(part)')} AS "from", ${timestampText('upper(part)')} AS "to"
     FROM bookings, unnest(tstzmultirange(bookings.during) - CAST(? AS tstzmultirange)) AS part
     WHERE bookings.id = ANY(?::bigint[]) AND (event_id IS NULL OR lower(part) = lower(bookings.during))
     ORDER BY bookings.bookable_id, part`,
    [times, claims.map(({ id }) => id)],
  )
  return rows
}

// If the start changes, check-in is cleared: a permanent booking needs none after each closed day.
async function shorten(trx: Transaction, parts: Part[]): Promise<Map<number, unknown>> {
  const { rows } = await trx.raw(
    `UPDATE bookings SET during = tstzrange(asked.from_time, asked.to_time), updated_at = now(),
       check_in_from = CASE WHEN lower(during) = asked.from_time THEN check_in_from END,
       check_in_until = CASE WHEN lower(during) = asked.from_time THEN check_in_until END
     FROM unnest(CAST(:ids AS bigint[]), CAST(:froms AS timestamptz[]), CAST(:tos AS timestamptz[])) AS asked (id, from_time, to_time)
     WHERE bookings.id = asked.id
     RETURNING bookings.id, to_jsonb(bookings) AS row`,
    columnsOf(parts),
  )
  return new Map(rows.map(({ id, row }: Row) => [id, row]))
}

/** The original booking is already shortened, so it cannot conflict with them. */
async function insertParts(trx: Transaction, parts: Part[]): Promise<Row[]> {
  if (parts.length === 0) return []
  const { rows } = await trx.raw(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id,
       license_plate, series_id)
     SELECT bookable_id, user_id, tstzrange(from_time, to_time), exclusive, guest_name, guest_email, booking_info, vehicle_id,
       license_plate, series_id
     FROM unnest(CAST(:ids AS bigint[]), CAST(:froms AS timestamptz[]), CAST(:tos AS timestamptz[])) WITH ORDINALITY
       AS asked (id, from_time, to_time, ordinal)
     JOIN bookings USING (id)
     ORDER BY ordinal
     RETURNING id, to_jsonb(bookings) AS row`,
    columnsOf(parts),
  )
  return rows
}

const columnsOf = (parts: Part[]) => ({
  ids: parts.map(({ id }) => id),
  froms: parts.map(({ from }) => from),
  tos: parts.map(({ to }) => to),
})
