// Tests how typed dates and times become instants, even around clock changes.
import { expect } from 'chai'
import fc from 'fast-check'
import { addDaysToDate } from '../../../gateway/web/pages/time/instants.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import {
  findStartOfDay,
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
} from '../../../shared/schemas/wall-clock.ts'

const TIME_ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Cairo',
]
const FIRST_MS = Date.parse('1971-01-01T00:00:00Z')
const LAST_MS = Date.parse('2035-01-01T00:00:00Z')
const MINUTE_MS = 60_000

describe('conversion of local times', () => {
  it('parses local times in the format in which they are shown', () => {
    const minutes = fc.integer({ min: FIRST_MS / MINUTE_MS, max: LAST_MS / MINUTE_MS })
    fc.assert(
      fc.property(minutes, fc.constantFrom(...TIME_ZONES), (minute, zone) => {
        const local = formatLocalDateTime(new Date(minute * MINUTE_MS).toISOString(), zone)
        const instant = parseLocalDateTime(local, zone, 'from_time')
        // A local time that occurs twice means its first occurrence.
        expect(formatLocalDateTime(instant, zone)).to.equal(local)
        expect(Date.parse(instant)).to.be.at.most(minute * MINUTE_MS)
      }),
      { numRuns: 2_000 },
    )
  })

  it('recognizes hours that the clocks skip or repeat', () => {
    const read = (local: string, zone: string) => parseLocalDateTime(local, zone, 'from_time')
    expect(read('2026-03-29T01:59', 'Europe/Berlin')).to.equal('2026-03-29T00:59:00.000000Z')
    expect(read('2026-03-29T03:00', 'Europe/Berlin')).to.equal('2026-03-29T01:00:00.000000Z')
    expect(() => read('2026-03-29T02:30', 'Europe/Berlin'))
      .to.throw(Refusal, 'The clocks in Europe/Berlin skip 2026-03-29 02:30 on that day.')
      .with.property('status', 422)
    expect(read('2026-10-25T02:30', 'Europe/Berlin')).to.equal('2026-10-25T00:30:00.000000Z')
    expect(read('2026-10-25T03:00', 'Europe/Berlin')).to.equal('2026-10-25T02:00:00.000000Z')
    expect(read('2026-11-20T09:30:15', 'Asia/Kolkata')).to.equal('2026-11-20T04:00:15.000000Z')
  })

  it('accepts times up to the year 9999 in every time zone', () => {
    expect(addDaysToDate('9999-12-31', 1)).to.equal('9999-12-31')
    expect(findStartOfDay('9999-12-31', 'America/New_York')).to.equal('9999-12-31T05:00:00.000000Z')
    expect(formatLocalDateTime('9999-12-31T23:30:00Z', 'Asia/Tokyo')).to.equal('+010000-01-01T08:30')
    expect(() => parseLocalDateTime('9999-12-31T23:30', 'America/New_York', 'to_time'))
      .to.throw(Refusal)
      .with.property('status', 422)
  })

  it('finds the start of a day, even if the clocks skip midnight', () => {
    expect(findStartOfDay('2026-11-20', 'Asia/Tokyo')).to.equal('2026-11-19T15:00:00.000000Z')
    // In Cairo the clocks go from 00:00 to 01:00.
    expect(formatLocalDateTime(findStartOfDay('2026-04-24', 'Africa/Cairo'), 'Africa/Cairo')).to.equal(
      '2026-04-24T01:00',
    )
    expect(formatLocalDate('2026-11-20T23:30:00Z', 'Europe/Berlin')).to.equal('2026-11-21')
    expect(addDaysToDate('2026-02-27', 2)).to.equal('2026-03-01')
  })
})
