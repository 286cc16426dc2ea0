// A range of days as rows of figures: each day once, in whole months where possible.
import { expect } from 'chai'
import fc from 'fast-check'
import { periodsSql, wholeMonths } from '../../../shared/reports/conditions.ts'

const DAY_MS = 24 * 3_600_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

describe('a range of days', () => {
  it('includes all of its whole months, and no part of another', () => {
    const day = fc.integer({ min: Date.parse('2019-01-01') / DAY_MS, max: Date.parse('2027-12-31') / DAY_MS })
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 1_500 }), (start, length) => {
        const days = Array.from({ length: length + 1 }, (_, index) => dayOf((start + index) * DAY_MS))
        const [first = '', last = ''] = [days[0], days.at(-1)]
        const { from, before } = wholeMonths(first, last)
        const counts = new Map<string, number>()
        for (const each of days) counts.set(each.slice(0, 7), (counts.get(each.slice(0, 7)) ?? 0) + 1)
        const isWhole = (month: string) => {
          const next = new Date(`${month}-01`)
          next.setUTCMonth(next.getUTCMonth() + 1)
          return (next.getTime() - Date.parse(month)) / DAY_MS === counts.get(month)
        }
        for (const month of counts.keys())
          expect(`${month}-01` >= from && `${month}-01` < before, `${month} of ${first} to ${last}`).to.equal(
            isWhole(month),
          )
      }),
      { numRuns: 500 },
    )
  })

  it('is read from months and the days around them, or from days alone', () => {
    expect(periodsSql({ first_day: '2025-01-31', last_day: '2025-03-01' }).replace(/\s+/g, ' ')).to.equal(
      "(period = 1 AND first_day >= '2025-02-01' AND first_day < '2025-03-01'" +
        " OR period = 0 AND first_day >= '2025-01-31' AND first_day <= '2025-03-01'" +
        " AND (first_day < '2025-02-01' OR first_day >= '2025-03-01'))",
    )
    for (const last_day of ['2025-12-31', '9999-12-31'])
      expect(periodsSql({ first_day: last_day, last_day })).to.equal(
        `period = 0 AND first_day >= '${last_day}' AND first_day <= '${last_day}'`,
      )
  })
})
