// Closed times as lines: whatever is stored comes back from its line as it was, in any zone.
import { expect } from 'chai'
import fc from 'fast-check'
import { formatClosed, parseClosed } from '../../../../gateway/dashboard/rules/lines.ts'
import { instantOf } from '../../../../shared/utilities/date-times.ts'

const HOUR_MS = 3_600_000

describe('lines of closed times', () => {
  it('begin at the start of the day, even if the clocks skip midnight', () => {
    // In Beirut the clocks go from 2026-03-28 24:00 to 2026-03-29 01:00.
    const closed = parseClosed('2026-03-28 x\n2026-03-29 y', 'Asia/Beirut')
    expect(closed).to.deep.equal([
      { from: '2026-03-27T22:00:00.000000Z', to: '2026-03-28T22:00:00.000000Z', reason: 'x' },
      { from: '2026-03-28T22:00:00.000000Z', to: '2026-03-29T21:00:00.000000Z', reason: 'y' },
    ])
    expect(formatClosed(closed ?? [], 'Asia/Beirut')).to.equal('2026-03-28 x\n2026-03-29 y')
  })

  it('accept a reason that begins with a number, and distinguish it from a range', () => {
    const [closed] = parseClosed('2026-12-26 2. Weihnachtstag', 'UTC') ?? []
    expect(closed?.reason).to.equal('2. Weihnachtstag')
    const day = { from: '2026-11-27T00:00:00.000000Z', to: '2026-11-28T00:00:00.000000Z' }
    const reasons = ['to be announced', '- none', 'moved from 2026-11-26']
    const lines = formatClosed(
      reasons.map((reason) => ({ ...day, reason })),
      'UTC',
    )
    expect(parseClosed(lines, 'UTC')).to.deep.equal(reasons.map((reason) => ({ ...day, reason })))
    for (const reason of [...reasons, '12:00 lunch']) {
      expect(() => parseClosed(`2026-11-27 ${reason}`, 'UTC'), reason).to.throw('is not a line such as')
    }
  })

  it('give back the stored times if nothing was typed', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/Havana',
      'Australia/Lord_Howe',
      'Asia/Beirut',
    )
    const reason = fc.constantFrom('Christmas', 'to be announced', '2. Mai', 'a\n b', '2026-11-27 x')
    const start = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
    const round = fc.constantFrom(1, 60_000, HOUR_MS, 24 * HOUR_MS)
    const span = fc.tuple(start, fc.integer({ min: 1, max: 400 }), round, reason)
    fc.assert(
      fc.property(zone, fc.array(span, { maxLength: 4 }), (where, spans) => {
        const closed = spans.map(([ms, length, unit, said]) => {
          const from = Math.floor(ms / unit) * unit
          return { from: instantOf(from), to: instantOf(from + length * unit), reason: said }
        })
        const lines = formatClosed(closed, where)
        expect(parseClosed(lines, where, closed) ?? []).to.deep.equal(closed)
      }),
    )
  })
})
