// A range of days as rows of figures: each of its days once, no other day, and few rows.
import { expect } from 'chai'
import fc from 'fast-check'
import { PERIODS } from '../../../shared/reports/figures.ts'
import { coverDays, halfMonthAround, type Periods, type ReportDays } from '../../../shared/reports/periods.ts'

const DAY_MS = 24 * 3_600_000
const dayOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10)
const numberOf = (day: string) => Date.parse(day) / DAY_MS

/** The first and the last day of each row. */
function* rowsOf({ period, from, to }: Periods): Generator<[first: number, last: number]> {
  for (let number = numberOf(from); number <= numberOf(to); number++) {
    const day = dayOf(number)
    if (period === PERIODS.day) yield [number, number]
    const { next } = halfMonthAround(day)
    if (period === PERIODS.month && day.endsWith('-01')) yield [number, lastOfMonth(day)]
    if (period === PERIODS.yearSoFar && (day.endsWith('-01') || day.endsWith('-16')))
      yield [numberOf(`${day.slice(0, 4)}-01-01`), numberOf(next) - 1]
  }
}

function lastOfMonth(day: string): number {
  const date = new Date(day)
  return date.setUTCMonth(date.getUTCMonth() + 1) / DAY_MS - 1
}

function countDays(range: ReportDays): Array<[day: string, count: number]> {
  const counts = new Map<number, number>()
  for (const each of coverDays(range))
    for (const [first, last] of rowsOf(each))
      for (let day = first; day <= last; day++) counts.set(day, (counts.get(day) ?? 0) + each.sign)
  const counted = [...counts].filter(([, count]) => count !== 0).sort(([one], [other]) => one - other)
  return counted.map(([day, count]) => [dayOf(day), count])
}

describe('a range of days', () => {
  const day = fc.integer({ min: numberOf('2019-01-01'), max: numberOf('2027-12-31') })
  const length = fc.integer({ min: 0, max: 1_500 })
  const rangeOf = (start: number, more: number, summed?: string | null) => ({
    first_day: dayOf(start),
    last_day: dayOf(start + more),
    summed,
  })

  it('includes exactly its own days, each once, whichever sums exist', () =>
    fc.assert(
      fc.property(day, length, fc.option(fc.integer({ min: -100, max: 1_600 })), (start, more, summed) => {
        const range = rangeOf(start, more, summed === null ? null : dayOf(start + summed))
        const days = Array.from({ length: more + 1 }, (_, index) => [dayOf(start + index), 1])
        expect(countDays(range)).to.deep.equal(days)
      }),
      { numRuns: 500 },
    ))

  it('reads no sum of a year beyond the half month up to which they have been added up', () =>
    fc.assert(
      fc.property(day, length, fc.integer({ min: -100, max: 1_600 }), (start, more, later) => {
        const summed = dayOf(start + later)
        for (const { period, to } of coverDays(rangeOf(start, more, summed)))
          if (period === PERIODS.yearSoFar) expect(to <= summed, `${to} of ${summed}`).to.equal(true)
      }),
      { numRuns: 500 },
    ))

  it('takes few rows, whatever days it begins and ends with', () =>
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 1_825 }), (start, more) => {
        const periods = coverDays(rangeOf(start, more, dayOf(start + more)))
        const count = (isDay: boolean) =>
          periods
            .filter(({ period }) => (period === PERIODS.day) === isDay)
            .flatMap((each) => [...rowsOf(each)]).length
        expect(count(true), 'days').to.be.at.most(16)
        expect(count(false), 'sums').to.be.at.most(7)
      }),
      { numRuns: 1_000 },
    ))

  it('is read from days alone, months and days, or sums of years and the days around their ends', () => {
    const sum = (sign: number, half: string) => ({ sign, period: PERIODS.yearSoFar, from: half, to: half })
    const days = (sign: number, from: string, to: string) => ({ sign, period: PERIODS.day, from, to })
    expect(coverDays({ first_day: '2025-01-31', last_day: '2025-03-01' })).to.deep.equal([
      days(1, '2025-01-31', '2025-01-31'),
      { sign: 1, period: PERIODS.month, from: '2025-02-01', to: '2025-02-28' },
      days(1, '2025-03-01', '2025-03-01'),
    ])
    expect(
      coverDays({ first_day: '2023-01-14', last_day: '2025-12-18', summed: '2025-12-20' }),
    ).to.deep.equal([
      sum(1, '2023-12-16'),
      sum(1, '2024-12-16'),
      sum(1, '2025-12-01'),
      sum(-1, '2023-01-01'),
      days(1, '2025-12-16', '2025-12-18'),
      days(1, '2023-01-14', '2023-01-15'),
    ])
    for (const last of ['2025-12-31', '9999-12-31'])
      expect(coverDays({ first_day: last, last_day: last, summed: '2026-01-01' })).to.deep.equal([
        days(1, last, last),
      ])
  })
})
