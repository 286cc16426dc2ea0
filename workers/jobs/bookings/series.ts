// Series: repeating bookings, created in one write and deleted in one. Each is at the same local time of the
// building on each of its days.

import { type Repeating, SERIES_MAX } from '../../../shared/bookings/series.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { fromWallClock, toWallClock, weekdayOf } from '../../../shared/schemas/wall-clock.ts'
import { addYears } from '../../../shared/utilities/date-times.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import type { TimeRange } from '../claims/conflicts.ts'
import { zoneOf } from '../claims/locks.ts'
import { refuseForOthers, requireOwn } from '../kit/personal-tokens.ts'
import { requireInTokenBuildings } from '../kit/preconditions.ts'
import { createMany, refuseAny } from './creations.ts'
import { cancelBookings, type HeldBooking } from './releases.ts'

const NO_SERIES = message`There is no series with this id.`

export const seriesHandlers: Handlers<`series.${string}`> = {
  async 'series.create'(write, { repeat, on_conflict, ...booking }) {
    refuseForOthers(write, booking.user_id)
    // An unknown bookable needs no zone: it is refused.
    const found = await write.first<{ zone: string | null }>(`SELECT ${zoneOf('?')} AS zone`, [
      booking.bookable_id,
    ])
    const zone = found?.zone ?? 'UTC'
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

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7
const YEARS_MAX = 2

/** In order. The first one is at the given instants, if its day is one of the series. */
export function findOccurrences(first: TimeRange, zone: string, repeat: Repeating): TimeRange[] {
  const wallMs = toWallClock(first.from, zone)
  const lengthMs = toWallClock(first.to, zone) - wallMs
  const day = Math.floor(wallMs / DAY_MS)
  const lastDay = Math.floor(toWallClock(addYears(first.from, YEARS_MAX), zone) / DAY_MS)
  return findDays(repeat, day, lastDay).map((each) => {
    if (each === day) return first
    const startMs = wallMs + (each - day) * DAY_MS
    const from = fromWallClock(startMs, zone)
    const to = fromWallClock(startMs + lengthMs, zone)
    const span = { from: withFraction(from, first.from), to: withFraction(to, first.to) }
    if (!/^\d{4}-/.test(to))
      throw invalid({ to_time: [message`A booking of the series would end after the year 9999.`] })
    return span.to > span.from ? span : { ...span, to: addLength(span.from, first) }
  })
}

function findDays(repeat: Repeating, first: number, lastDay: number): number[] {
  const until = repeat.until == null ? undefined : Date.parse(`${repeat.until}T00:00:00Z`) / DAY_MS
  const days: number[] = []
  for (const day of candidates(repeat, first)) {
    if (until !== undefined && day > until) break
    const isTooMany = days.length === SERIES_MAX
    if (day > lastDay || isTooMany) throw tooLong(repeat, isTooMany)
    days.push(day)
    if (days.length === repeat.count) break
  }
  if (days.length > 0) return days
  throw invalid({ 'repeat.until': [message`There is no day of the series until then.`] })
}

function tooLong({ count }: Repeating, isTooMany: boolean) {
  const field = count == null ? 'repeat.until' : 'repeat.count'
  const sentence = isTooMany
    ? message`A series has at most ${SERIES_MAX} bookings.`
    : message`The last booking must begin within ${YEARS_MAX} years after the first.`
  return invalid({ [field]: [sentence] })
}

// Infinite; the caller stops.
function* candidates({ every, interval, on }: Repeating, first: number): Generator<number> {
  const step = interval ?? 1
  if (every === 'day') {
    for (let day = first; ; day += step) yield day
  }
  const weekday = weekdayOf(first)
  const weekdays = [...(on ?? [weekday])].sort((a, b) => a - b)
  for (let monday = first - weekday + 1; ; monday += step * WEEK_DAYS) {
    for (const each of weekdays) if (monday + each - 1 >= first) yield monday + each - 1
  }
}

// Local time is computed in seconds; the fraction of a second is kept.
const withFraction = (instant: string, of: string) => instant.slice(0, 20) + of.slice(20)

// For days when the clock change would make the booking end before it begins.
function addLength(from: string, first: TimeRange): string {
  const lengthMs = Date.parse(`${first.to.slice(0, 19)}Z`) - Date.parse(`${first.from.slice(0, 19)}Z`)
  const to = new Date(Date.parse(`${from.slice(0, 19)}Z`) + lengthMs).toISOString()
  return withFraction(to.replace('Z', '000Z'), first.to)
}
