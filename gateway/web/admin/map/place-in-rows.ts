// Places many bookables on a floor plan in rows with one form, which asks which bookables, how many per row,
// where the first one is and how far apart they are. browser/floor-plan-editor/place-in-rows.ts previews the
// positions before they are saved.
import { BOOKABLES_PER_WRITE_MAX } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
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
import { GRID_STEP, type MapLayout } from '../../../reads/map/map-layouts.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { toOptions } from '../../pages/search/choices.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { parsePercent, percentSchema } from '../bookables/form.ts'
import type { PositionedBookable } from '../bookables/queries.ts'

const WHICH_BOOKABLES = ['waiting', 'chosen'] as const
const BOOKABLES_PER_ROW_MAX = 100
// The distance of suggested rows from both edges, in percent.
const EDGE_PERCENT = 10

const TOO_WIDE = message`The last desk would be off the floor plan. Use a smaller gap, or place fewer desks in each row.`
const TOO_HIGH = message`The last desk would be off the floor plan. Use a smaller gap, or place more desks in each row.`

export const rowsForm = object({
  which: required(choice(WHICH_BOOKABLES, (name) => message`${name} must be “waiting” or “chosen”.`)),
  ids: list(required(queryId()), { max: BOOKABLES_PER_WRITE_MAX }),
  per_row: required(queryNumber(integer({ min: 1, max: BOOKABLES_PER_ROW_MAX }))),
  first_left: required(percentSchema()),
  first_top: required(percentSchema()),
  across: required(percentSchema()),
  down: required(percentSchema()),
})

type RowsValues = typeof rowsForm.__outputType
type PlacedBookable = { id: number; x: number; y: number; version?: string }

/** Places the bookables row by row, in the order of the list. “All” does not move bookables that another user
 * has placed in the meantime. */
export function placeInRows(rows: RowsValues, bookables: PositionedBookable[]): PlacedBookable[] {
  const found = chooseBookables(rows, bookables)
  const columns = Math.min(rows.per_row, found.length)
  const lines = Math.ceil(found.length / rows.per_row)
  if (rows.first_left + (columns - 1) * rows.across > 100) throw invalidFields({ across: [TOO_WIDE] })
  if (rows.first_top + (lines - 1) * rows.down > 100) throw invalidFields({ down: [TOO_HIGH] })
  return found.map(({ id }, index) => ({
    id,
    x: parsePercent(rows.first_left + (index % rows.per_row) * rows.across),
    y: parsePercent(rows.first_top + Math.floor(index / rows.per_row) * rows.down),
    ...(rows.which === 'waiting' ? { version: 'none' } : {}),
  }))
}

function chooseBookables(
  { which, ids = [] }: RowsValues,
  bookables: PositionedBookable[],
): PositionedBookable[] {
  const chosen = new Set(ids)
  const found = bookables.filter(({ id, x }) => (which === 'waiting' ? x === null : chosen.has(id)))
  if (which === 'chosen' && found.length < chosen.size) {
    throw invalidFields({
      ids: [message`Some of the selected desks and rooms are no longer on this floor. Choose again.`],
    })
  }
  if (found.length > BOOKABLES_PER_WRITE_MAX)
    throw invalidFields({ which: [message`Up to ${BOOKABLES_PER_WRITE_MAX} can be placed at once.`] })
  if (found.length > 0) return found
  if (which === 'chosen') throw invalidFields({ ids: [message`Choose at least one.`] })
  throw invalidFields({ which: [message`Everything is on the floor plan already.`] })
}

/** Suggests as many bookables per row as fit without overlapping cells, if there is enough room. */
function suggestRows({ width, floorPlanHeight, scale }: MapLayout, number: number) {
  const room = 100 - 2 * EDGE_PERCENT
  const across = Math.min(room, Math.ceil((GRID_STEP.x * scale * 200) / width) / 2)
  const perRow = Math.min(BOOKABLES_PER_ROW_MAX, Math.floor(room / across) + 1)
  const gaps = Math.max(1, Math.ceil(number / perRow) - 1)
  const step = Math.ceil((GRID_STEP.y * scale * 200) / floorPlanHeight) / 2
  return { perRow, across, down: Math.min(step, Math.floor((room / gaps) * 1_000) / 1_000) }
}

/** Shows the form. Its checkboxes select bookables for the form and, with a script, bookables that move together. */
export function showRowsForm(call: Call, bookables: PositionedBookable[], layout: MapLayout): Html {
  const waiting = bookables.filter(({ x }) => x === null).length
  const suggested = suggestRows(layout, waiting || bookables.length)
  const isOpen = call.refusedForm?.action === 'place-in-rows'
  return html`<details class="card" data-rows${isOpen ? html` open` : ''}><summary>${t`Place in rows`}</summary>
${form(call, { action: 'place-in-rows', submit: t`Place in rows`, tone: 'quiet' }, (fields) => [
  fields.radios('which', t`Desks and rooms to place`, {
    value: waiting > 0 ? 'waiting' : 'chosen',
    options: [
      { value: 'waiting', label: t`Everything not yet on the floor plan` },
      { value: 'chosen', label: t`Only those selected below` },
    ],
    required: true,
  }),
  number(fields, 'per_row', t`Number per row`, suggested.perRow),
  html`<div class="pair">${number(fields, 'first_left', t`First desk: distance from the left (%)`, EDGE_PERCENT)}${number(fields, 'first_top', t`First desk: distance from the top (%)`, EDGE_PERCENT)}</div>`,
  html`<div class="pair">${number(fields, 'across', t`Gap between desks (%)`, suggested.across)}${number(fields, 'down', t`Gap between rows (%)`, suggested.down)}</div>`,
  html`<div class="select-list">${fields.checkboxes('ids', t`Select`, { options: toOptions(bookables) })}</div>`,
])}</details>`
}

const number = (fields: Fields, name: string, label: string, value: number) =>
  fields.text(name, label, { value, required: true })
