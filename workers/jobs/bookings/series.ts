// Series: repeating bookings, created in one write and deleted in one.
import { audit, auditEach } from '../../../shared/audit/audit.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Handlers, Transaction, WorkContext } from '../../runtime/context.ts'
import { queryAll, queryFirst, queryIds, queryOnly, requireRow } from '../../runtime/statements.ts'
import { zoneOf } from '../claims/locks.ts'
import { requireAllWithin } from '../kit/building-limits.ts'
import { createMany, refuseAny } from './creations.ts'
import { findOccurrences } from './occurrences.ts'
import { endOrDeleteBookings, type HeldBooking } from './releases.ts'

const NO_SERIES = message`There is no series with this id.`

export const seriesHandlers: Handlers<`series.${string}`> = {
  async 'series.create'(trx, { repeat, on_conflict, ...booking }, context) {
    // An unknown bookable needs no zone: it is refused.
    const found = await queryFirst<{ zone: string | null }>(trx, `SELECT ${zoneOf('?')} AS zone`, [
      booking.bookable_id,
    ])
    const zone = found?.zone ?? 'UTC'
    const first = { from: booking.from_time ?? context.now, to: booking.to_time }
    const spans = findOccurrences(first, zone, repeat)
    const { every, interval = 1, on = null, until = null, count = null } = repeat
    const { id, row } = await queryOnly<{ id: number; row: unknown }>(
      trx,
      'INSERT INTO series (repeat, timezone) VALUES (?, ?) RETURNING id, to_jsonb(series) AS row',
      [JSON.stringify({ every, interval, on, until, count }), zone],
    )
    await audit(trx, context, { action: 'series.create', id, after: row })
    const wanted = spans.map(({ from, to }) => ({ ...booking, from_time: from, to_time: to, series_id: id }))
    const decisions = await createMany(trx, wanted, context)
    const refused = decisions.filter((decision) => decision instanceof Refusal)
    const isSkipping = on_conflict === 'skip' && refused.length < decisions.length
    if (!isSkipping) return { data: { id, created: refuseAny(decisions), skipped: [] } }
    // Invalid fields are invalid for each booking of the series.
    const invalid = refused.find(({ code }) => code === 'validation_failed')
    if (invalid) throw invalid
    const skipped = spans.flatMap((span, index) => {
      const decision = decisions[index]
      return decision instanceof Refusal ? [{ ...span, code: decision.code, detail: decision.message }] : []
    })
    const created = decisions.flatMap((decision) => (decision instanceof Refusal ? [] : [decision]))
    return { data: { id, created, skipped } }
  },

  /** Deletes the bookings that begin at `from` or later. A running one ends now, unless `from` is later. */
  async 'series.delete'(trx, { id, from }, context) {
    const { now } = context
    const lock = 'SELECT to_jsonb(series) AS before FROM series WHERE id = ? FOR UPDATE'
    const { before } = await requireRow<{ before: unknown }>(trx, lock, [id], NO_SERIES)
    await requireSeriesWithin(trx, id, context)
    const held = await queryAll<HeldBooking>(
      trx,
      `SELECT id, to_jsonb(bookings) AS row, lower(during) < :now AS runs
       FROM bookings
       WHERE series_id = :id AND during && tstzrange(:now, NULL) AND released_at IS NULL
         AND (lower(during) >= :from OR lower(during) < :now AND :from <= CAST(:now AS timestamptz))
       ORDER BY id
       FOR UPDATE`,
      { id, from: from ?? now, now },
    )
    const { changes, former } = await endOrDeleteBookings(trx, held, now)
    const ended = changes.filter(({ after }) => after !== undefined)
    const deleted = changes.filter(({ after }) => after === undefined)
    await auditEach(trx, context, 'bookings.update', former, ended)
    await auditEach(trx, context, 'bookings.delete', former, deleted)
    await audit(trx, context, { action: 'series.delete', id, before })
    return null
  },
}

// A series belongs to the buildings of its bookings.
async function requireSeriesWithin(trx: Transaction, id: number, context: WorkContext): Promise<void> {
  if (context.buildingIds === undefined) return
  const ids = await queryIds(trx, 'SELECT id FROM bookings WHERE series_id = ?', [id])
  await requireAllWithin(trx, context, 'bookings', ids, NO_SERIES)
}
