// Series: repeating bookings, created in one write and deleted in one. Each is at the same local time of the
// building on each of its days.

import { findOccurrences } from '../../../shared/bookings/occurrences.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { zoneOf } from '../claims/locks.ts'
import { refuseForOthers, requireOwn } from '../rows/personal-tokens.ts'
import { requireInTokenBuildings } from '../rows/preconditions.ts'
import { createMany, refuseAny } from './creations.ts'
import { cancelBookings, type HeldBooking } from './releases.ts'

const NO_SERIES = message`There is no series with this id.`

export const seriesHandlers: Handlers<`series.${string}`> = {
  async 'series.create'(write, { repeat, on_conflict, ...booking }) {
    refuseForOthers(write, booking.user_id)
    const found = await write.first<{ zone: string | null }>(`SELECT ${zoneOf('?')} AS zone`, [
      booking.bookable_id,
    ])
    const zone = found?.zone
    if (!zone) throw invalid({ bookable_id: [message`There is no desk or room with this id.`] })
    const first = { from: booking.from_time ?? write.now, to: booking.to_time }
    const spans = findOccurrences(first, zone, repeat)
    const { every, interval = 1, on = null, until = null, count = null } = repeat
    const { id, row } = await write.only<{ id: number; row: unknown }>(
      'INSERT INTO series (repeat, timezone) VALUES (?, ?) RETURNING id, to_jsonb(series) AS row',
      [JSON.stringify({ every, interval, on, until, count }), zone],
    )
    await write.audit({ action: 'series.create', id, after: row })
    const wanted = spans.map(({ from, to }) => ({ ...booking, from_time: from, to_time: to, series_id: id }))
    const decisions = await createMany(write, wanted)
    const refused = decisions.filter((decision) => decision instanceof Refusal)
    const isSkipping = on_conflict === 'skip' && refused.length < decisions.length
    if (!isSkipping) return { data: { id, created: refuseAny(decisions), skipped: [] } }
    // Invalid fields are invalid for each booking of the series.
    const unusable = refused.find(({ code }) => code === 'validation_failed')
    if (unusable) throw unusable
    const skipped = spans.flatMap((span, index) => {
      const decision = decisions[index]
      return decision instanceof Refusal ? [{ ...span, code: decision.code, detail: decision.message }] : []
    })
    const created = decisions.flatMap((decision) => (decision instanceof Refusal ? [] : [decision]))
    return { data: { id, created, skipped } }
  },

  /** Deletes the bookings that begin at `from` or later. A running one ends now, unless `from` is later. */
  async 'series.delete'(write, { id, from }) {
    const { now } = write
    const lock = 'SELECT to_jsonb(series) AS before FROM series WHERE id = ? FOR UPDATE'
    const { before } = await write.requireRow<{ before: unknown }>(lock, [id], NO_SERIES)
    await requireSeriesWithin(write, id)
    await requireOwn(write, 'SELECT user_id AS owner FROM bookings WHERE series_id = ?', [id], NO_SERIES)
    const held = await write.all<HeldBooking>(
      `SELECT id, to_jsonb(bookings) AS row, lower(during) < :now AS runs
       FROM bookings
       WHERE series_id = :id AND during && tstzrange(:now, NULL) AND released_at IS NULL
         AND (lower(during) >= :from OR lower(during) < :now AND :from <= CAST(:now AS timestamptz))
       ORDER BY id
       FOR UPDATE`,
      { id, from: from ?? now, now },
    )
    await cancelBookings(write, held)
    await write.audit({ action: 'series.delete', id, before })
    return null
  },
}

// A series belongs to the buildings of its bookings.
async function requireSeriesWithin(write: Write, id: number): Promise<void> {
  if (write.buildingIds === undefined) return
  const ids = await write.ids('SELECT id FROM bookings WHERE series_id = ?', [id])
  await requireInTokenBuildings(write, 'bookings', ids, NO_SERIES)
}
