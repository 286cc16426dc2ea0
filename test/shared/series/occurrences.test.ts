// Compares the times of a series with an independent calculation, which checks the local time at every quarter of an
// hour and reads the calendar day by day.
import { expect } from 'chai'
import fc from 'fast-check'
import { type Refusal, writeErrors } from '../../../shared/messages/refusal.ts'
import { findOccurrences } from '../../../shared/series/occurrences.ts'

const QUARTER_MS = 15 * 60_000
const DAY_MS = 24 * 3_600_000
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  // Time zones whose clocks change by half an hour, or at midnight.
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Kolkata',
  'UTC',
]

const formats = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }),
  ]),
)

/** Returns a local time such as “2026-03-29 02:30”. */
const shown = (ms: number, zone: string) => formats.get(zone)?.format(ms) ?? ''

// Returns the first instant with a local time. If the clocks skip that time, counts on from the last earlier local
// time.
function instantAt(local: string, zone: string): number {
  const wall = Date.parse(`${local.replace(' ', 'T')}Z`)
  let before = Number.NaN
  for (let ms = wall - DAY_MS; ms <= wall + DAY_MS; ms += QUARTER_MS) {
    const seen = shown(ms, zone)
    if (seen === local) return ms
    if (seen < local) before = ms
    else break
  }
  return before + wall - Date.parse(`${shown(before, zone).replace(' ', 'T')}Z`)
}

const instant = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')
const dateOf = (date: string, days: number) =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
const weekdayOf = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay() || 7
const weekOf = (date: string) => Date.parse(`${dateOf(date, 1 - weekdayOf(date))}T00:00:00Z`) / (7 * DAY_MS)

type Repeat = { every: 'day' | 'week'; interval: number; on?: number[] } & (
  | { count: number }
  | { until: string }
)

/** Computes a series by checking every day one by one. */
function reckon(first: { from: number; to: number }, zone: string, repeat: Repeat) {
  const [start, end] = [shown(first.from, zone), shown(first.to, zone)]
  const [day, lastDay] = [start.slice(0, 10), end.slice(0, 10)]
  const nights = (Date.parse(lastDay) - Date.parse(day)) / DAY_MS
  const on = repeat.on ?? [weekdayOf(day)]
  const isOne = (date: string, number: number) =>
    repeat.every === 'day'
      ? number % repeat.interval === 0
      : on.includes(weekdayOf(date)) && Math.round(weekOf(date) - weekOf(day)) % repeat.interval === 0
  const spans: Array<{ from: string; to: string }> = []
  for (let number = 0; number <= 800; number++) {
    const date = dateOf(day, number)
    if ('until' in repeat && date > repeat.until) break
    if ('count' in repeat && spans.length === repeat.count) break
    if (!isOne(date, number)) continue
    const from = number === 0 ? first.from : instantAt(`${date}${start.slice(10)}`, zone)
    const to = number === 0 ? first.to : instantAt(`${dateOf(date, nights)}${end.slice(10)}`, zone)
    spans.push({ from: instant(from), to: instant(to > from ? to : from + first.to - first.from) })
  }
  return spans
}

const times = fc.record({
  zone: fc.constantFrom(...ZONES),
  // Any quarter of an hour within a year, including clock changes.
  start: fc.integer({ min: 0, max: 365 * 96 }).map((quarter) => Date.UTC(2026, 0, 1) + quarter * QUARTER_MS),
  quarters: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 300 })),
})
const repeats = fc
  .record({
    every: fc.constantFrom('day' as const, 'week' as const),
    interval: fc.integer({ min: 1, max: 8 }),
    on: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), { nil: undefined }),
    length: fc.integer({ min: 1, max: 40 }),
    isCounted: fc.boolean(),
  })
  .map(({ on, ...rest }) => ({ ...rest, ...(rest.every === 'week' && on ? { on } : {}) }))

describe('the bookings of a series', function suite() {
  this.timeout(120_000)

  it('are on the right days at the same local times, despite clock changes', () => {
    fc.assert(
      fc.property(times, repeats, ({ zone, start, quarters }, { length, isCounted, ...repeat }) => {
        const first = { from: start, to: start + quarters * QUARTER_MS }
        const day = shown(start, zone).slice(0, 10)
        const wanted = isCounted
          ? { ...repeat, count: Math.min(length, 12) }
          : { ...repeat, until: dateOf(day, 56 + length * 7) }
        const spans = { from: instant(first.from), to: instant(first.to) }
        expect(findOccurrences(spans, zone, wanted)).to.deep.equal(reckon(first, zone, wanted))
      }),
      { numRuns: 100 },
    )
  })

  const berlin = (from: string, to: string, count: number) =>
    findOccurrences({ from: `${from}.000000Z`, to: `${to}.000000Z` }, 'Europe/Berlin', {
      every: 'day',
      count,
    }).map((span) => `${span.from.slice(5, 16)} ${span.to.slice(5, 16)}`)

  it('keep their local times when the clocks go forward or back', () => {
    expect(berlin('2026-03-28T08:00:00', '2026-03-28T16:00:00', 2)).to.deep.equal([
      '03-28T08:00 03-28T16:00',
      '03-29T07:00 03-29T15:00',
    ])
    expect(berlin('2026-10-24T07:00:00', '2026-10-24T15:00:00', 2)).to.deep.equal([
      '10-24T07:00 10-24T15:00',
      '10-25T08:00 10-25T16:00',
    ])
  })

  it('start an hour later if the clocks skip their start, and never have a duration of zero', () => {
    // A booking from 02:30 to 04:00 local time, which starts at 03:30 on the 29th.
    expect(berlin('2026-03-28T01:30:00', '2026-03-28T03:00:00', 2)[1]).to.equal('03-29T01:30 03-29T02:00')
    // A booking from 02:30 to 03:00 local time.
    expect(berlin('2026-03-28T01:30:00', '2026-03-28T02:00:00', 2)[1]).to.equal('03-29T01:30 03-29T02:00')
  })

  it('start in the first of two hours if the clocks repeat an hour', () => {
    expect(berlin('2026-10-24T00:30:00', '2026-10-24T01:00:00', 2)[1]).to.equal('10-25T00:30 10-25T02:00')
  })

  it('are at most 366 within two years, and keep fractions of a second', () => {
    const first = { from: '2026-11-20T09:00:00.123456Z', to: '2026-11-20T10:00:00.654321Z' }
    const refused = (repeat: Parameters<typeof findOccurrences>[2]) => {
      try {
        return findOccurrences(first, 'UTC', repeat).length
      } catch (error) {
        return writeErrors((error as Refusal).errors ?? {})
      }
    }
    expect(refused({ every: 'day', until: '2027-11-20' })).to.equal(366)
    expect(refused({ every: 'day', until: '2027-11-21' })).to.deep.equal({
      'repeat.until': ['A series has at most 366 dates.'],
    })
    expect(refused({ every: 'week', interval: 8, count: 14 })).to.equal(14)
    expect(refused({ every: 'week', interval: 8, count: 15 })).to.deep.equal({
      'repeat.count': ['The last date must be within 2 years after the first.'],
    })
    expect(refused({ every: 'day', until: '2026-11-19' })).to.deep.equal({
      'repeat.until': ['The series contains no days up to that date.'],
    })
    expect(findOccurrences(first, 'UTC', { every: 'week', count: 2 })[1]).to.deep.equal({
      from: '2026-11-27T09:00:00.123456Z',
      to: '2026-11-27T10:00:00.654321Z',
    })
  })
})
