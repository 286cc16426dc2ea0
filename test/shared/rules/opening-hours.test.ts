// Compares opening hours with a simple model, in steps of 15 minutes, even around clock changes.
import { expect } from 'chai'
import fc from 'fast-check'
import { findClosedWeekday, type OpeningHours } from '../../../shared/rules/opening-hours.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'

const MINUTE_MS = 60_000
const TIME_ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

const open = fc
  .tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 0, max: 95 }), fc.integer({ min: 1, max: 96 }))
  .filter(([, from, to]) => from < to)
  .map(([day, from, to]) => ({ day, from: clock(from * 15), to: clock(to * 15) }))
const always = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }))
const weeks = fc.oneof(
  fc.array(open, { minLength: 1, maxLength: 12 }),
  fc.constant(always),
) as fc.Arbitrary<OpeningHours>

/** Returns whether a local time is within the opening hours. */
function isOpenAt(hours: OpeningHours, local: string): boolean {
  const weekday = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay() || 7
  const time = local.slice(11, 16)
  return hours.some(({ day, from, to }) => day === weekday && from <= time && time < to)
}

const listQuarters = (from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / 15) }, (_, at) => (Math.floor(from / 15) + at + 1) * 15)

describe('opening hours', () => {
  // Clocks and opening hours change only at full quarters of an hour, so steps of a quarter are enough.
  it('contain a period exactly if they contain every minute of the period', () => {
    const start = fc.integer({
      min: Date.UTC(2027, 0, 1) / MINUTE_MS,
      max: Date.UTC(2027, 11, 31) / MINUTE_MS,
    })
    const length = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 600, max: 12_000 }))
    fc.assert(
      fc.property(weeks, fc.constantFrom(...TIME_ZONES), start, length, (hours, zone, minute, minutes) => {
        const span = {
          from: new Date(minute * MINUTE_MS).toISOString().replace('Z', '000Z'),
          to: new Date((minute + minutes) * MINUTE_MS).toISOString().replace('Z', '000Z'),
        }
        const last = minute + minutes - 1
        const locals = [minute, ...listQuarters(minute, last), last].map((each) =>
          formatLocalDateTime(new Date(each * MINUTE_MS).toISOString(), zone),
        )
        // Skipped and repeated hours have their own tests.
        const isEven =
          Date.parse(`${locals.at(-1)}Z`) - Date.parse(`${locals[0]}Z`) === (minutes - 1) * MINUTE_MS
        fc.pre(isEven)
        const isOpen = locals.every((local) => isOpenAt(hours, local))
        expect(findClosedWeekday(hours, zone, span) === undefined).to.equal(isOpen)
      }),
      { numRuns: 300 },
    )
  })

  const week = [{ day: 7, from: '01:00', to: '04:00' }] as OpeningHours
  const berlin = (from: string, to: string) => findClosedWeekday(week, 'Europe/Berlin', { from, to })

  it('follow local time when the clocks repeat an hour', () => {
    // 2027-10-31: at 03:00 clocks go back to 02:00.
    expect(berlin('2027-10-30T23:00:00.000000Z', '2027-10-31T03:00:00.000000Z')).to.equal(undefined)
    expect(berlin('2027-10-31T00:30:00.000000Z', '2027-10-31T01:15:00.000000Z')).to.equal(undefined)
    expect(berlin('2027-10-30T23:00:00.000000Z', '2027-10-31T03:00:00.000001Z')).to.equal(7)
  })

  it('do not contain an hour that begins and ends at midnight because the clocks repeat it', () => {
    // 2026-10-25, a Sunday: at 01:00 clocks go back to 00:00.
    const azores = (from: string) =>
      findClosedWeekday([{ day: 7, from, to: '18:00' }], 'Atlantic/Azores', {
        from: '2026-10-25T00:00:00.000000Z',
        to: '2026-10-25T01:00:00.000000Z',
      })
    expect([azores('08:00'), azores('00:00')]).to.deep.equal([7, undefined])
  })

  it('follow local time when the clocks skip an hour', () => {
    // 2027-03-28: at 02:00 clocks go to 03:00.
    expect(berlin('2027-03-28T00:00:00.000000Z', '2027-03-28T02:00:00.000000Z')).to.equal(undefined)
    expect(berlin('2027-03-28T00:00:00.000000Z', '2027-03-28T02:01:00.000000Z')).to.equal(7)
    expect(berlin('2027-03-27T23:59:00.000000Z', '2027-03-28T02:00:00.000000Z')).to.equal(7)
  })

  it('continue across midnight if both days are open then', () => {
    const night = [
      { day: 5, from: '22:00', to: '24:00' },
      { day: 6, from: '00:00', to: '02:00' },
    ] as OpeningHours
    const at = (to: string) => findClosedWeekday(night, 'UTC', { from: '2027-01-01T22:00:00.000000Z', to })
    expect(at('2027-01-02T00:00:00.000000Z')).to.equal(undefined)
    expect(at('2027-01-02T02:00:00.000000Z')).to.equal(undefined)
    expect(at('2027-01-02T02:00:00.000001Z')).to.equal(6)
  })
})
