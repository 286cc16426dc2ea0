// Tests closed times as rows of a form: a stored time is unchanged after a round trip through the form, in
// any time zone.
import { expect } from 'chai'
import fc from 'fast-check'
import { html } from '../../../../../gateway/html/html.ts'
import { parseClosedTimes, showClosedTimesRows } from '../../../../../gateway/web/admin/rules/closed-rows.ts'
import { type FormValues, readRows } from '../../../../../gateway/web/pages/page/form-body.ts'
import { Fields } from '../../../../../gateway/web/pages/ui/fields.ts'
import type { ClosedTimes } from '../../../../../shared/rules/closed-times.ts'
import { formatInstant } from '../../../../../shared/utilities/date-times.ts'
import { parseForms } from '../../../../support/dashboard/dashboard.ts'

const HOUR_MS = 3_600_000
const NOW = '2026-06-01T00:00:00.000000Z'

describe('form rows for closed times', () => {
  it('begin at the first minute of a day, even if a clock change skips midnight', () => {
    // In Beirut, clocks go from 2026-03-28 24:00 to 2026-03-29 01:00.
    const rows = [
      { from: '2026-03-28', reason: 'x' },
      { from: '2026-03-29', reason: 'y' },
    ]
    expect(parseClosedTimes({ closed: rows }, { closed: [], zone: 'Asia/Beirut' })).to.deep.equal([
      { from: '2026-03-27T22:00:00.000000Z', to: '2026-03-28T22:00:00.000000Z', reason: 'x' },
      { from: '2026-03-28T22:00:00.000000Z', to: '2026-03-29T21:00:00.000000Z', reason: 'y' },
    ])
  })

  it('keep the stored times exactly if the form is saved unchanged', () => {
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
          return { from: formatInstant(from), to: formatInstant(from + length * unit), reason: said }
        })
        const sent = readSentRows(closed, where)
        const parsed = parseClosedTimes({ closed: sent, shown_at: NOW }, { closed, zone: where })
        expect(parsed).to.have.deep.members(closed)
      }),
    )
  })
})

/** Returns the rows of the page as form fields that a browser would send. */
function readSentRows(closed: ClosedTimes[], zone: string) {
  const shown = showClosedTimesRows(new Fields('set'), { closed, zone }, NOW)
  const [form] = parseForms(html`<form>${shown}</form>`.text)
  const values: FormValues = {}
  for (const { name, value } of form?.controls ?? []) values[name] = [...(values[name] ?? []), value]
  return readRows(values, 'closed')
}
