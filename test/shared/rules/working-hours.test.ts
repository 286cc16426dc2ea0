// The working hours of a building, after which a request lapses.
import { expect } from 'chai'
import { addWorkingHours } from '../../../shared/rules/working-hours.ts'

const BERLIN = { zone: 'Europe/Berlin', hours: null, closed: [] }
const LATEST = '2027-12-31T00:00:00.000000Z'
const DAY_AND_NIGHT = ([1, 2, 3, 4, 5, 6, 7] as const).map((day) => ({ day, from: '00:00', to: '24:00' }))
type Calendar = Parameters<typeof addWorkingHours>[2]

const add = (from: string, hours: number, calendar: Calendar, latest = LATEST) =>
  addWorkingHours(from, hours, calendar, latest).slice(0, 16)

describe('working hours of a building', () => {
  it('are Monday to Friday from 8 to 18 where it has no opening hours', () => {
    // A Saturday: 10 hours on Monday, 10 on Tuesday, 4 on Wednesday.
    expect(add('2026-11-28T12:00:00.000000Z', 24, BERLIN)).to.equal('2026-12-02T11:00')
    // A Monday at 9: 9 hours on that day.
    expect(add('2026-11-30T08:00:00.000000Z', 24, BERLIN)).to.equal('2026-12-02T12:00')
    // The last working hour of a Friday ends with it.
    expect(add('2026-11-27T16:00:00.000000Z', 1, BERLIN)).to.equal('2026-11-27T17:00')
  })

  it('are its opening hours, counted once where they overlap', () => {
    const hours: Calendar['hours'] = [
      { day: 6, from: '09:00', to: '12:00' },
      { day: 6, from: '11:00', to: '13:00' },
      { day: 7, from: '20:00', to: '24:00' },
      { day: 1, from: '00:00', to: '02:00' },
    ]
    expect(add('2026-11-28T09:00:00.000000Z', 4, { ...BERLIN, hours })).to.equal('2026-11-29T20:00')
    expect(add('2026-11-28T09:00:00.000000Z', 8, { ...BERLIN, hours })).to.equal('2026-11-30T00:00')
  })

  it('leave out the times at which it is closed', () => {
    const closed = [
      // Christmas Day to the day after, and some hours of the Monday that follows.
      { from: '2026-12-24T23:00:00.000000Z', to: '2026-12-26T23:00:00.000000Z' },
      { from: '2026-12-28T08:00:00.000000Z', to: '2026-12-28T10:00:00.000000Z' },
      { from: '2026-12-28T09:00:00.000000Z', to: '2026-12-28T11:00:00.000000Z' },
    ]
    // A Thursday at 17: 1 hour, none on Friday, 7 on Monday.
    expect(add('2026-12-24T16:00:00.000000Z', 8, { ...BERLIN, closed })).to.equal('2026-12-28T17:00')
  })

  it('count real time when the clocks change', () => {
    const berlin = { ...BERLIN, hours: DAY_AND_NIGHT }
    // Clocks in Berlin skip an hour on 29 March and repeat one on 25 October.
    expect(add('2026-03-28T12:00:00.000000Z', 24, berlin)).to.equal('2026-03-29T12:00')
    expect(add('2026-10-24T12:00:00.000000Z', 24, berlin)).to.equal('2026-10-25T12:00')
    // A Friday at 17 in winter time, then Monday from 8 in summer time.
    expect(add('2026-03-27T16:00:00.000000Z', 2, BERLIN)).to.equal('2026-03-30T07:00')
  })

  it('follow the clocks of the building', () => {
    const auckland = { ...BERLIN, zone: 'Pacific/Auckland' }
    // Friday evening in Berlin is Saturday in Auckland, where Monday begins on Sunday.
    expect(add('2026-11-27T19:00:00.000000Z', 1, auckland)).to.equal('2026-11-29T20:00')
  })

  it('end at the given latest moment, however long the building stays closed', () => {
    const closed = [{ from: '2026-01-01T00:00:00.000000Z', to: '9999-12-31T00:00:00.000000Z' }]
    expect(add('2026-11-28T12:00:00.000000Z', 24, { ...BERLIN, closed })).to.equal('2027-12-31T00:00')
    expect(
      add('2026-11-28T12:00:00.000000Z', 24, { ...BERLIN, closed }, '9999-12-31T00:00:00.000000Z'),
    ).to.equal('9999-12-31T00:00')
    expect(add('2026-11-30T08:00:00.000000Z', 24, BERLIN, '2026-11-30T09:30:00.000000Z')).to.equal(
      '2026-11-30T09:30',
    )
  })
})
