// Compares the check of slots and its SQL with a simple model, for random slots and times, including clock changes.
import { expect } from 'chai'
import fc from 'fast-check'
import { findLongestSlotSpan, isInSlots, type Slot, slotOnly } from '../../../shared/rules/slots.ts'
import { toWallClock } from '../../../shared/schemas/wall-clock.ts'
import { useWorld } from '../../support/world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const TIME_ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']
const formatHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`

const slot = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 12 }))
  .map(([from, hours]) => ({ from: formatHour(from), to: formatHour(Math.min(24, from + hours)) }))
const slotLists = fc
  .array(slot, { minLength: 1, maxLength: 12 })
  .map((all) => all.map((each, index): Slot => ({ name: `Slot ${index}`, ...each })))

type Span = { from: string; to: string }

/** Follows the slots of each day from the start of the booking to its end, on the clock of the zone. */
function isWholeSlots(slots: Slot[], zone: string, { from, to }: Span): boolean {
  const [begins, ends] = [toWallClock(from, zone), toWallClock(to, zone)]
  const reached = new Set([begins])
  for (let day = Math.floor(begins / DAY_MS) * DAY_MS; day < ends; day += DAY_MS)
    for (const each of slots.toSorted((a, b) => (a.from < b.from ? -1 : 1)))
      if (reached.has(day + parse(each.from))) reached.add(day + parse(each.to))
  return ends > begins && reached.has(ends)
}
const parse = (time: string) => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS

const format = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')
// Starts near the nights in which clocks change.
const starts = fc
  .tuple(fc.constantFrom(Date.UTC(2027, 2, 27), Date.UTC(2027, 9, 30), Date.UTC(2027, 5, 1)), fc.nat(72))
  .map(([ms, hour]) => ms + hour * 60 * MINUTE_MS)
const spans = fc
  .tuple(starts, fc.integer({ min: 1, max: 100 }))
  .map(([ms, hours]) => ({ from: format(ms), to: format(ms + hours * 60 * MINUTE_MS) }))

describe('bookings of whole slots', () => {
  const world = useWorld({ workers: [] })

  it('are allowed alike by the model, the check and its SQL', async () => {
    if (!('allows' in slotOnly)) throw new Error('The rule has no SQL.')
    const sql = slotOnly.allows("'true'::json", {
      user: 'NULL',
      now: 'now()',
      from: 'asked.from_time',
      to: 'asked.to_time',
      slots: 'CAST(:slots AS json)',
      local: (moment) => `timezone(CAST(:zone AS text), ${moment})`,
    })
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(
        slotLists,
        fc.constantFrom(...TIME_ZONES),
        fc.array(spans, { minLength: 100, maxLength: 100 }),
        async (slots, zone, asked) => {
          const { rows } = await world.database.raw(
            `SELECT ${sql} AS allowed FROM unnest(CAST(:from AS timestamptz[]), CAST(:to AS timestamptz[]))
               WITH ORDINALITY AS asked (from_time, to_time, place) ORDER BY place`,
            {
              slots: JSON.stringify(slots),
              zone,
              from: asked.map(({ from }) => from),
              to: asked.map(({ to }) => to),
            },
          )
          const bySql = rows.map((row: { allowed: boolean }) => row.allowed)
          const expected = asked.map((span) => isWholeSlots(slots, zone, span))
          expect(asked.map((span) => isInSlots(slots, zone, span))).to.deep.equal(expected)
          expect(bySql).to.deep.equal(expected)
          allowed += expected.filter(Boolean).length
        },
      ),
      { numRuns: 60 },
    )
    expect(allowed).to.be.above(20)
  })

  const HALVES = [
    { name: 'Morning', from: '08:00', to: '12:00' },
    { name: 'Afternoon', from: '12:00', to: '17:00' },
  ]
  const utc = (from: string, to: string | null) => isInSlots(HALVES, 'UTC', { from, to })

  it('need an end, and must match the slot to the microsecond', () => {
    expect(utc('2027-03-01T08:00:00.000000Z', '2027-03-01T12:00:00.000000Z')).to.equal(true)
    expect(utc('2027-03-01T08:00:00.000001Z', '2027-03-01T12:00:00.000000Z')).to.equal(false)
    expect(utc('2027-03-01T08:00:00.000000Z', '2027-03-01T12:00:01.000000Z')).to.equal(false)
    expect(utc('2027-03-01T08:00:00.000000Z', null)).to.equal(false)
  })

  it('are proposed from the current slot to the last adjoining slot', () => {
    expect(findLongestSlotSpan(HALVES)).to.deep.equal({ from: '08:00', to: '17:00' })
    expect(findLongestSlotSpan(HALVES, '11:59')).to.deep.equal({ from: '08:00', to: '17:00' })
    expect(findLongestSlotSpan(HALVES, '12:00')).to.deep.equal({ from: '12:00', to: '17:00' })
    expect(findLongestSlotSpan(HALVES, '17:00')).to.equal(undefined)
    const apart = [...HALVES, { name: 'Evening', from: '18:00', to: '24:00' }]
    expect(findLongestSlotSpan(apart)).to.deep.equal({ from: '08:00', to: '17:00' })
    expect(findLongestSlotSpan(apart, '17:30')).to.deep.equal({ from: '18:00', to: '24:00' })
  })
})
