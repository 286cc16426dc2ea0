// Places many bookables on a floor plan in rows with one form: which, how many per row, where the first
// stands and how far apart they are. browser/floor-plan-editor/place-in-rows.ts previews the positions before they are saved.
import { MANY_MAX } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import {
  choice,
  integer,
  list,
  object,
  queryId,
  queryNumber,
  required,
} from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { type MapLayout, STEP } from '../../../reads/map/map-layouts.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { optionsOf } from '../../pages/search/choices.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { parsePercent, percent } from '../bookables/form.ts'
import type { PositionedBookable } from '../bookables/queries.ts'

const WHICH = ['waiting', 'chosen'] as const
const PER_ROW_MAX = 100
// Suggested rows keep this distance (in percent) from both edges.
const EDGE = 10

const BEYOND_RIGHT = message`The last one would be off the floor plan. Use a smaller gap, or fewer in a row.`
const BEYOND_BOTTOM = message`The last one would be off the floor plan. Use a smaller gap, or more in a row.`

export const rowsForm = object({
  which: required(choice(WHICH, (name) => message`${name} must be waiting or chosen.`)),
  ids: list(required(queryId()), { max: MANY_MAX }),
  per_row: required(queryNumber(integer({ min: 1, max: PER_ROW_MAX }))),
  first_left: required(percent()),
  first_top: required(percent()),
  across: required(percent()),
  down: required(percent()),
})

type Rows = typeof rowsForm.__outputType
type Placed = { id: number; x: number; y: number; version?: string }

/** Goes row by row, in the order of the list. “All” does not move what another user has placed since. */
export function placeInRows(rows: Rows, bookables: PositionedBookable[]): Placed[] {
  const found = chosenOf(rows, bookables)
  const columns = Math.min(rows.per_row, found.length)
  const lines = Math.ceil(found.length / rows.per_row)
  if (rows.first_left + (columns - 1) * rows.across > 100) throw invalid({ across: [BEYOND_RIGHT] })
  if (rows.first_top + (lines - 1) * rows.down > 100) throw invalid({ down: [BEYOND_BOTTOM] })
  return found.map(({ id }, index) => ({
    id,
    x: parsePercent(rows.first_left + (index % rows.per_row) * rows.across),
    y: parsePercent(rows.first_top + Math.floor(index / rows.per_row) * rows.down),
    ...(rows.which === 'waiting' ? { version: 'none' } : {}),
  }))
}

function chosenOf({ which, ids = [] }: Rows, bookables: PositionedBookable[]): PositionedBookable[] {
  const chosen = new Set(ids)
  const found = bookables.filter(({ id, x }) => (which === 'waiting' ? x === null : chosen.has(id)))
  if (which === 'chosen' && found.length < chosen.size) {
    throw invalid({ ids: [message`Some of these are no longer on this floor. Choose again.`] })
  }
  if (found.length > MANY_MAX) throw invalid({ which: [message`Up to ${MANY_MAX} can be placed at once.`] })
  if (found.length > 0) return found
  if (which === 'chosen') throw invalid({ ids: [message`Choose at least one.`] })
  throw invalid({ which: [message`Everything is on the floor plan already.`] })
}

/** Suggests as many per row as fit, so that cells do not overlap if there is room. */
function suggestRows({ width, floorPlanHeight, scale }: MapLayout, number: number) {
  const room = 100 - 2 * EDGE
  const across = Math.min(room, Math.ceil((STEP.x * scale * 200) / width) / 2)
  const perRow = Math.min(PER_ROW_MAX, Math.floor(room / across) + 1)
  const gaps = Math.max(1, Math.ceil(number / perRow) - 1)
  const step = Math.ceil((STEP.y * scale * 200) / floorPlanHeight) / 2
  return { perRow, across, down: Math.min(step, Math.floor((room / gaps) * 1_000) / 1_000) }
}

/** The checkboxes select for the form and, with a script, what moves together. */
export function showRowsForm(call: Call, bookables: PositionedBookable[], layout: MapLayout): Html {
  const waiting = bookables.filter(({ x }) => x === null).length
  const suggested = suggestRows(layout, waiting || bookables.length)
  const isOpen = call.refusedForm?.action === 'place-in-rows'
  return html`<details class="card" data-rows${isOpen ? html` open` : ''}><summary>${t`Place in rows`}</summary>
${form(call, { action: 'place-in-rows', submit: t`Place in rows`, tone: 'quiet' }, (fields) => [
  fields.radios('which', t`What to place`, {
    value: waiting > 0 ? 'waiting' : 'chosen',
    options: [
      { value: 'waiting', label: t`Everything not yet on the floor plan` },
      { value: 'chosen', label: t`Only those selected below` },
    ],
    required: true,
  }),
  number(fields, 'per_row', t`How many in a row`, suggested.perRow),
  html`<div class="pair">${number(fields, 'first_left', t`First one from the left (%)`, EDGE)}${number(fields, 'first_top', t`First one from the top (%)`, EDGE)}</div>`,
  html`<div class="pair">${number(fields, 'across', t`Gap between desks (%)`, suggested.across)}${number(fields, 'down', t`Gap between rows (%)`, suggested.down)}</div>`,
  html`<div class="select-list">${fields.checkboxes('ids', t`Select`, { options: optionsOf(bookables) })}</div>`,
])}</details>`
}

const number = (fields: Fields, name: string, label: string, value: number) =>
  fields.text(name, label, { value, required: true })
