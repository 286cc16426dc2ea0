// Claims that give back the times that are taken away. A booking that goes on behind them keeps what it has before and after,
// as two bookings; an event is one meeting, and its room is given back from the first of these times on.
import { auditEach } from '../../../shared/audit.ts'
import { CREATED } from '../../../shared/changes/former.ts'
import { type Times, timesText } from '../../../shared/shapes/in-the-way.ts'
import { timestampText } from '../../../shared/shapes/json.ts'
import type { Transaction, WorkContext } from '../../context.ts'
import type { ClaimInTheWay } from './claims.ts'
import { readFormerOfClaims } from './moves.ts'

const ACTIONS = [
  ['bookings', 'bookings.clear'],
  ['events', 'events.clear-room'],
] as const

type Part = { id: number; from: string; to: string | null }
type Row = { id: number; row: unknown }

/** Its first part is the booking itself; what has none is deleted. */
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

// Who has a desk for good does not check in again after each day on which it is closed.
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

/** The booking that they are part of is short already: nothing of it is in their way. */
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
