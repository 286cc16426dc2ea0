// A range of days as rows of figures: each day once, in as few rows as there are.
import { expect } from 'chai'
import fc from 'fast-check'
import { PERIODS } from '../../../shared/reports/figures.ts'
import { type Span, signSql, spansOf, spansSql } from '../../../shared/reports/spans.ts'

const DAY_MS = 24 * 3_600_000
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** Of a row of this period. */
function daysOfRow(period: Span['period'], firstDay: string): string[] {
  const end = new Date(firstDay)
  if (period === PERIODS.year) end.setUTCFullYear(end.getUTCFullYear() + 1)
  else if (period === PERIODS.month) end.setUTCMonth(end.getUTCMonth() + 1)
  else end.setUTCDate(end.getUTCDate() + 1)
  const days: string[] = []
  for (let ms = Date.parse(firstDay); ms < end.getTime(); ms += DAY_MS) days.push(dayOf(ms))
  return days
}

function rowsOf({ period, from, before }: Span): string[] {
  const unit = { [PERIODS.day]: 10, [PERIODS.month]: 7, [PERIODS.year]: 4 }[period] ?? 10
  const starts = new Set<string>()
  for (let ms = Date.parse(from); ms < Date.parse(before); ms += DAY_MS)
    starts.add(`${dayOf(ms).slice(0, unit)}${'-01-01'.slice(0, 10 - unit)}`)
  return [...starts]
}

const pairsOf = (spans: Span[]) =>
  spans.flatMap((span, index) => spans.slice(index + 1).map((other) => [span, other] as const))

describe('a range of days', () => {
  it('is made of rows that have each of its days once', () => {
    const day = fc.integer({ min: Date.parse('2019-01-01') / DAY_MS, max: Date.parse('2027-12-31') / DAY_MS })
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 1_500 }), (from, length) => {
        const [first, last] = [dayOf(from * DAY_MS), dayOf((from + length) * DAY_MS)]
        const spans = spansOf(first, last)
        const times = new Map<string, number>()
        for (const span of spans)
          for (const counted of rowsOf(span).flatMap((row) => daysOfRow(span.period, row)))
            times.set(counted, (times.get(counted) ?? 0) + span.sign)
        const days = [...times].filter(([, number]) => number !== 0).sort()
        const wanted = Array.from({ length: length + 1 }, (_, index) => dayOf((from + index) * DAY_MS))
        expect(days).to.deep.equal(wanted.map((each) => [each, 1]))
        for (const [first, second] of pairsOf(spans))
          expect(
            first.period !== second.period || first.before <= second.from || second.before <= first.from,
          ).to.equal(true)
        const rows = spans.flatMap(rowsOf).length
        expect(rows, `${first} to ${last}`).to.be.at.most(2 * (16 + 6 + 2) + 5)
      }),
      { numRuns: 500 },
    )
  })

  it('is a whole year less what is missing, where that is little', () => {
    expect(spansOf('2025-01-02', '2025-12-31')).to.deep.equal([
      { period: PERIODS.year, from: '2025-01-01', before: '2026-01-01', sign: 1 },
      { period: PERIODS.day, from: '2025-01-01', before: '2025-01-02', sign: -1 },
    ])
    expect(signSql(spansOf('2025-01-02', '2025-12-31'))).to.equal(
      "CASE WHEN ((period = 0 AND first_day >= '2025-01-01' AND first_day < '2025-01-02')) THEN -1 ELSE 1 END",
    )
  })

  it('is one row where it is a month or a year, and the days themselves where it is less', () => {
    expect(spansOf('2025-02-01', '2025-02-28')).to.deep.equal([
      { period: PERIODS.month, from: '2025-02-01', before: '2025-03-01', sign: 1 },
    ])
    expect(spansOf('2025-01-01', '2025-12-31')).to.deep.equal([
      { period: PERIODS.year, from: '2025-01-01', before: '2026-01-01', sign: 1 },
    ])
    expect(spansSql(spansOf('2025-11-24', '2025-11-30'))).to.equal(
      "((period = 0 AND first_day >= '2025-11-24' AND first_day < '2025-12-01'))",
    )
    expect(spansOf('2025-12-31', '2025-12-31')).to.deep.equal([
      { period: PERIODS.day, from: '2025-12-31', before: '2026-01-01', sign: 1 },
    ])
  })
})
