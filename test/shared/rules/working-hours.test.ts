// Tests the working hours of a building, after which a request lapses.
import { expect } from 'chai'
import { addWorkingHours } from '../../../shared/rules/working-hours.ts'

const BERLIN_BUILDING = { zone: 'Europe/Berlin', hours: null, closed: [] }
const LATEST_TIME = '2027-12-31T00:00:00.000000Z'
const ALWAYS_OPEN_HOURS = ([1, 2, 3, 4, 5, 6, 7] as const).map((day) => ({ day, from: '00:00', to: '24:00' }))
type Calendar = Parameters<typeof addWorkingHours>[2]

const addHours = (from: string, hours: number, calendar: Calendar, latest = LATEST_TIME) =>
  addWorkingHours(from, hours, calendar, latest).slice(0, 16)

describe('the working hours of a building', () => {
  it('are Monday to Friday from 8:00 to 18:00 if the building has no opening hours', () => {
    // Counts from a Saturday: 10 hours on Monday, 10 on Tuesday, 4 on Wednesday.
    expect(addHours('2026-11-28T12:00:00.000000Z', 24, BERLIN_BUILDING)).to.equal('2026-12-02T11:00')
    // Counts from a Monday at 9: 9 hours on that day.
    expect(addHours('2026-11-30T08:00:00.000000Z', 24, BERLIN_BUILDING)).to.equal('2026-12-02T12:00')
    // The last working hour of a Friday ends at its closing time.
    expect(addHours('2026-11-27T16:00:00.000000Z', 1, BERLIN_BUILDING)).to.equal('2026-11-27T17:00')
  })

  it('are the building’s opening hours, and overlapping hours count once', () => {
    const hours: Calendar['hours'] = [
      { day: 6, from: '09:00', to: '12:00' },
      { day: 6, from: '11:00', to: '13:00' },
      { day: 7, from: '20:00', to: '24:00' },
      { day: 1, from: '00:00', to: '02:00' },
    ]
    expect(addHours('2026-11-28T09:00:00.000000Z', 4, { ...BERLIN_BUILDING, hours })).to.equal(
      '2026-11-29T20:00',
    )
    expect(addHours('2026-11-28T09:00:00.000000Z', 8, { ...BERLIN_BUILDING, hours })).to.equal(
      '2026-11-30T00:00',
    )
  })

  it('exclude the times at which the building is closed', () => {
    const closed = [
      // The building is closed on Christmas Day and the day after, and for some hours of the following
      // Monday.
      { from: '2026-12-24T23:00:00.000000Z', to: '2026-12-26T23:00:00.000000Z' },
      { from: '2026-12-28T08:00:00.000000Z', to: '2026-12-28T10:00:00.000000Z' },
      { from: '2026-12-28T09:00:00.000000Z', to: '2026-12-28T11:00:00.000000Z' },
    ]
    // Counts from a Thursday at 17: 1 hour, none on Friday, 7 on Monday.
    expect(addHours('2026-12-24T16:00:00.000000Z', 8, { ...BERLIN_BUILDING, closed })).to.equal(
      '2026-12-28T17:00',
    )
  })

  it('are counted in elapsed time when the clocks change', () => {
    const berlin = { ...BERLIN_BUILDING, hours: ALWAYS_OPEN_HOURS }
    // Clocks in Berlin skip an hour on 29 March and repeat one on 25 October.
    expect(addHours('2026-03-28T12:00:00.000000Z', 24, berlin)).to.equal('2026-03-29T12:00')
    expect(addHours('2026-10-24T12:00:00.000000Z', 24, berlin)).to.equal('2026-10-25T12:00')
    // Counts from a Friday at 17 in winter time to Monday from 8 in summer time.
    expect(addHours('2026-03-27T16:00:00.000000Z', 2, BERLIN_BUILDING)).to.equal('2026-03-30T07:00')
  })

  it('follow the local time of the building', () => {
    const auckland = { ...BERLIN_BUILDING, zone: 'Pacific/Auckland' }
    // Friday evening in Berlin is Saturday in Auckland, where Monday begins on Sunday.
    expect(addHours('2026-11-27T19:00:00.000000Z', 1, auckland)).to.equal('2026-11-29T20:00')
  })

  it('are not searched beyond the given latest time, even if the building stays closed for long', () => {
    const closed = [{ from: '2026-01-01T00:00:00.000000Z', to: '9999-12-31T00:00:00.000000Z' }]
    expect(addHours('2026-11-28T12:00:00.000000Z', 24, { ...BERLIN_BUILDING, closed })).to.equal(
      '2027-12-31T00:00',
    )
    expect(
      addHours(
        '2026-11-28T12:00:00.000000Z',
        24,
        { ...BERLIN_BUILDING, closed },
        '9999-12-31T00:00:00.000000Z',
      ),
    ).to.equal('9999-12-31T00:00')
    expect(
      addHours('2026-11-30T08:00:00.000000Z', 24, BERLIN_BUILDING, '2026-11-30T09:30:00.000000Z'),
    ).to.equal('2026-11-30T09:30')
  })
})
