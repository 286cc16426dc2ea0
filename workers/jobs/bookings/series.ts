// Series: repeating bookings, created in one write and deleted in one.
import { audit, auditEach } from '../../../shared/audit/audit.ts'
import type { WrittenBooking } from '../../../shared/bookings/bookings.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import type { Span } from '../claims/conflicts.ts'
import { requireAllWithin } from '../kit/building-limits.ts'
import { findOccurrences } from './occurrences.ts'
import { endOrDeleteBookings, type HeldBooking } from './releases.ts'
import { createMany, refuseAny } from './several-bookings.ts'

type NewSeries = InputOf<'series.create'>

const NO_SERIES = message`There is no series with this id.`

export async function createSeries(
  trx: Transaction,
  { repeat, on_conflict, ...booking }: NewSeries,
  context: WorkContext,
): Promise<ReplyOf<'series.create'>> {
  const zone = await findZone(trx, booking.bookable_id)
  const spans = findOccurrences({ from: booking.from_time ?? context.now, to: booking.to_time }, zone, repeat)
  const id = await insertSeries(trx, repeat, zone, context)
  const wanted = spans.map(({ from, to }) => ({ ...booking, from_time: from, to_time: to, series_id: id }))
  const decisions = await createMany(trx, wanted, context)
  const skips = on_conflict === 'skip' && decisions.some((decision) => !(decision instanceof Refusal))
  if (!skips) return { data: { id, created: refuseAny(decisions), skipped: [] } }
  const wrong = decisions.find(isInvalidForAll)
  if (wrong) throw wrong
  return {
    data: {
      id,
      created: decisions.flatMap(onlyBooked),
      skipped: decisions.flatMap((decision, index) => skipped(decision, spans[index])),
    },
  }
}

/** Deletes the bookings that begin at `from` or later. A running one ends now, unless `from` is later. */
export async function deleteSeries(
  trx: Transaction,
  { id, from }: InputOf<'series.delete'>,
  context: WorkContext,
): Promise<ReplyOf<'series.delete'>> {
  const { rows } = await trx.raw('SELECT to_jsonb(series) AS before FROM series WHERE id = ? FOR UPDATE', [
    id,
  ])
  if (rows.length === 0) throw new Refusal('not_found', NO_SERIES)
  await requireSeriesWithin(trx, id, context)
  const held = await lockBookings(trx, id, from ?? context.now, context.now)
  const { changes, former } = await endOrDeleteBookings(trx, held, context.now)
  const ended = changes.filter(({ after }) => after !== undefined)
  const deleted = changes.filter(({ after }) => after === undefined)
  await auditEach(trx, context, { action: 'bookings.update', resource: 'bookings' }, former, ended)
  await auditEach(trx, context, { action: 'bookings.delete', resource: 'bookings' }, former, deleted)
  const { before } = onlyRow<{ before: unknown }>(rows)
  await audit(trx, context, { action: 'series.delete', resource: 'series', resourceId: id, before })
  return null
}

// A series belongs to the buildings of its bookings.
async function requireSeriesWithin(trx: Transaction, id: number, context: WorkContext): Promise<void> {
  if (context.buildingIds === undefined) return
  const { rows } = await trx.raw('SELECT id FROM bookings WHERE series_id = ?', [id])
  const ids = rows.map((row: { id: number }) => row.id)
  await requireAllWithin(trx, context, 'bookings', ids, NO_SERIES)
}

type Decision = WrittenBooking | Refusal

// Invalid fields are invalid for each booking of the series.
const isInvalidForAll = (decision: Decision): decision is Refusal =>
  decision instanceof Refusal && decision.code === 'validation_failed'

const onlyBooked = (decision: Decision) => (decision instanceof Refusal ? [] : [decision])

function skipped(decision: Decision, span: Span | undefined) {
  if (!(decision instanceof Refusal) || !span) return []
  return [{ ...span, code: decision.code, detail: decision.message }]
}

// An unknown bookable needs no zone: it is refused.
async function findZone(trx: Transaction, bookableId: number): Promise<string> {
  const { rows } = await trx.raw(
    `SELECT buildings.timezone
     FROM bookables
     JOIN locations ON locations.id = bookables.location_id
     JOIN buildings ON buildings.id = locations.building_id
     WHERE bookables.id = ?`,
    [bookableId],
  )
  return rows[0]?.timezone ?? 'UTC'
}

async function insertSeries(
  trx: Transaction,
  { every, interval, on, until, count }: NewSeries['repeat'],
  zone: string,
  context: WorkContext,
): Promise<number> {
  const repeat = {
    every,
    interval: interval ?? 1,
    on: on ?? null,
    until: until ?? null,
    count: count ?? null,
  }
  const { rows } = await trx.raw(
    'INSERT INTO series (repeat, timezone) VALUES (?, ?) RETURNING id, to_jsonb(series) AS row',
    [JSON.stringify(repeat), zone],
  )
  const { id, row } = onlyRow<{ id: number; row: unknown }>(rows)
  await audit(trx, context, { action: 'series.create', resource: 'series', resourceId: id, after: row })
  return id
}

async function lockBookings(trx: Transaction, id: number, from: string, now: string): Promise<HeldBooking[]> {
  const { rows } = await trx.raw(
    `SELECT id, to_jsonb(bookings) AS row, lower(during) < :now AS runs
     FROM bookings
     WHERE series_id = :id AND during && tstzrange(:now, NULL) AND released_at IS NULL
       AND (lower(during) >= :from OR lower(during) < :now AND :from <= CAST(:now AS timestamptz))
     ORDER BY id
     FOR UPDATE`,
    { id, from, now },
  )
  return rows
}
