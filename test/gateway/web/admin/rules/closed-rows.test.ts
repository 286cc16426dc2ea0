// Closed times as rows of a form: whatever is stored comes back from its row as it was, in any zone.
import { expect } from 'chai'
import fc from 'fast-check'
import { html } from '../../../../../gateway/html/html.ts'
import { parseClosed, showClosedRows } from '../../../../../gateway/web/admin/rules/closed-rows.ts'
import { type FormValues, readRows } from '../../../../../gateway/web/pages/page/form-body.ts'
import { Fields } from '../../../../../gateway/web/pages/ui/fields.ts'
import type { Closed } from '../../../../../shared/rules/closed.ts'
import { instantOf } from '../../../../../shared/utilities/date-times.ts'
import { formsOf } from '../../../../support/dashboard/dashboard.ts'

const HOUR_MS = 3_600_000
const NOW = '2026-06-01T00:00:00.000000Z'

describe('rows of closed times', () => {
  it('begin at the start of the day, even if the clocks skip midnight', () => {
    // In Beirut the clocks go from 2026-03-28 24:00 to 2026-03-29 01:00.
    const rows = [
      { from: '2026-03-28', reason: 'x' },
      { from: '2026-03-29', reason: 'y' },
    ]
    expect(parseClosed({ closed: rows }, { closed: [], zone: 'Asia/Beirut' })).to.deep.equal([
      { from: '2026-03-27T22:00:00.000000Z', to: '2026-03-28T22:00:00.000000Z', reason: 'x' },
      { from: '2026-03-28T22:00:00.000000Z', to: '2026-03-29T21:00:00.000000Z', reason: 'y' },
    ])
  })

  it('keep the stored times if the form is unchanged', () => {
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
        const sent = sentRows(closed, where)
        const parsed = parseClosed({ closed: sent, shown_at: NOW }, { closed, zone: where })
        expect(parsed).to.have.deep.members(closed)
      }),
    )
  })
})

/** The rows of the page in the form in which a browser sends them. */
function sentRows(closed: Closed[], zone: string) {
  const shown = showClosedRows(new Fields('set'), { closed, zone }, NOW)
  const [form] = formsOf(html`<form>${shown}</form>`.text)
  const values: FormValues = {}
  for (const { name, value } of form?.controls ?? []) values[name] = [...(values[name] ?? []), value]
  return readRows(values, 'closed')
}
