// Tests the time that the Book page proposes.
import { expect } from 'chai'
import {
  findOpenHours,
  findWantedTime,
  listUsualSpans,
} from '../../../../../gateway/web/my/book/wanted-time.ts'
import type { OpeningHours } from '../../../../../shared/rules/opening-hours.ts'

const MONDAY = '2026-11-30'

const createPlace = (hours: OpeningHours) => ({ zone: 'UTC', hours, slots: null, slotOnly: false })

describe('the proposed time of a place', () => {
  it('is the whole day if its opening hours follow each other without a gap', () => {
    const hours: OpeningHours = [
      { day: 1, from: '12:00', to: '18:00' },
      { day: 1, from: '08:00', to: '12:00' },
    ]
    expect(findOpenHours(MONDAY, hours)).to.deep.equal({ from: '08:00', to: '18:00' })
    const place = createPlace(hours)
    const wanted = findWantedTime({ date: MONDAY }, place, '2026-11-26T10:00:00.000000Z')
    expect(wanted.query).to.deep.equal({ date: MONDAY, from: '08:00', to: '18:00' })
    expect(listUsualSpans(wanted, place, false)).to.have.deep.members([
      { label: 'All day', from: '08:00', to: '18:00' },
      { label: 'Morning', from: '08:00', to: '13:00' },
      { label: 'Afternoon', from: '13:00', to: '18:00' },
    ])
  })

  it('is within the longest opening hours of the day, and within a working day', () => {
    const hours: OpeningHours = [
      { day: 1, from: '08:00', to: '10:00' },
      { day: 1, from: '20:00', to: '24:00' },
      { day: 2, from: '00:00', to: '24:00' },
    ]
    expect(findOpenHours(MONDAY, hours)).to.deep.equal({ from: '20:00', to: '24:00' })
    expect(findOpenHours('2026-12-01', hours)).to.deep.equal({ from: '09:00', to: '17:00' })
    expect(findOpenHours('2026-12-02', hours)).to.equal(undefined)
  })
})
