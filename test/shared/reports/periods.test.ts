// Tests how a report reads a range of days from daily figures and sums: each day once, no other days, and few rows.
import { expect } from 'chai'
import fc from 'fast-check'
import { PERIODS } from '../../../shared/reports/figures.ts'
import {
  coverDays,
  findHalfMonth,
  type ReportDays,
  type ReportPeriods,
} from '../../../shared/reports/periods.ts'

const DAY_MS = 24 * 3_600_000
const formatDay = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10)
const parseDay = (day: string) => Date.parse(day) / DAY_MS

/** Yields the first and the last day of each row. */
function* listRows({ period, from, to }: ReportPeriods): Generator<[first: number, last: number]> {
  for (let number = parseDay(from); number <= parseDay(to); number++) {
    const day = formatDay(number)
    if (period === PERIODS.day) yield [number, number]
    const { next } = findHalfMonth(day)
    if (period === PERIODS.month && day.endsWith('-01')) yield [number, findLastOfMonth(day)]
    if (period === PERIODS.yearSoFar && (day.endsWith('-01') || day.endsWith('-16')))
      yield [parseDay(`${day.slice(0, 4)}-01-01`), parseDay(next) - 1]
  }
}

function findLastOfMonth(day: string): number {
  const date = new Date(day)
  return date.setUTCMonth(date.getUTCMonth() + 1) / DAY_MS - 1
}

function countDays(range: ReportDays): Array<[day: string, count: number]> {
  const counts = new Map<number, number>()
  for (const each of coverDays(range))
    for (const [first, last] of listRows(each))
      for (let day = first; day <= last; day++) counts.set(day, (counts.get(day) ?? 0) + each.sign)
  const counted = [...counts].filter(([, count]) => count !== 0).sort(([one], [other]) => one - other)
  return counted.map(([day, count]) => [formatDay(day), count])
}

describe('the sums that a report reads for a range of days', () => {
  const day = fc.integer({ min: parseDay('2019-01-01'), max: parseDay('2027-12-31') })
  const length = fc.integer({ min: 0, max: 1_500 })
  const rangeOf = (start: number, more: number, summed?: string | null) => ({
    first_day: formatDay(start),
    last_day: formatDay(start + more),
    summed,
  })

  it('cover exactly the days of the range, each day once, regardless of which sums exist', () =>
    fc.assert(
      fc.property(day, length, fc.option(fc.integer({ min: -100, max: 1_600 })), (start, more, summed) => {
        const range = rangeOf(start, more, summed === null ? null : formatDay(start + summed))
        const days = Array.from({ length: more + 1 }, (_, index) => [formatDay(start + index), 1])
        expect(countDays(range)).to.deep.equal(days)
      }),
      { numRuns: 500 },
    ))

  it('include no year-to-date sum that is incomplete', () =>
    fc.assert(
      fc.property(day, length, fc.integer({ min: -100, max: 1_600 }), (start, more, later) => {
        const summed = formatDay(start + later)
        for (const { period, to } of coverDays(rangeOf(start, more, summed)))
          if (period === PERIODS.yearSoFar) expect(to <= summed, `${to} of ${summed}`).to.equal(true)
      }),
      { numRuns: 500 },
    ))

  it('are only a few rows, regardless of the first and last day of the range', () =>
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 1_825 }), (start, more) => {
        const periods = coverDays(rangeOf(start, more, formatDay(start + more)))
        const count = (isDay: boolean) =>
          periods
            .filter(({ period }) => (period === PERIODS.day) === isDay)
            .flatMap((each) => [...listRows(each)]).length
        expect(count(true), 'days').to.be.at.most(16)
        expect(count(false), 'sums').to.be.at.most(7)
      }),
      { numRuns: 1_000 },
    ))

  it('are sums of days only, of months and days, or of years and the days around their ends', () => {
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
