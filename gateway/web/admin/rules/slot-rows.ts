// Shows and parses the slots of a place as rows of a form, each with a name, a start and an end.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import {
  formatSlot,
  hasValidSlotTimes,
  SLOT_NAME_LENGTH_MAX,
  SLOTS_MAX,
  type Slot,
} from '../../../../shared/rules/slots.ts'
import { list, object, text } from '../../../../shared/schemas/fields.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { FormRow } from '../../pages/page/form-body.ts'
import { END_OF_DAY } from '../../pages/time/fields.ts'
import type { Fields } from '../../pages/ui/fields.ts'

const BLANK_ROWS_COUNT = 2
const TIME_LENGTH = 5
const MIDNIGHT_TIME = '00:00'

export const slotsField = list(
  object({
    name: text({ max: SLOT_NAME_LENGTH_MAX }),
    from: text({ max: TIME_LENGTH }),
    to: text({ max: TIME_LENGTH }),
  }),
  { max: SLOTS_MAX + BLANK_ROWS_COUNT },
)

export const formatSlots = (slots: Slot[]) => slots.map(formatSlot).join(', ')

export const showSlotRows = (fields: Fields, slots: Slot[]): Html =>
  fields.rows(
    {
      name: 'slots',
      label: t`Slots`,
      hint: t`Times that people choose from, such as “Morning” from 08:00 to 12:00. Enter midnight as 00:00, also as an end time. Empty rows are ignored.`,
    },
    slots.map(toRow),
    (rows) => rows.map(({ name, from, to }) => [name, from, '–', to].filter(Boolean).join(' ')).join(', '),
    (
      rows,
    ) => html`<table class="table fields" data-rows><thead><tr><th scope="col">${t`Name`}</th><th scope="col">${t`From`}</th>
<th scope="col">${t`Until`}</th><th></th></tr></thead>
<tbody>${[...rows, ...Array.from({ length: BLANK_ROWS_COUNT }, () => ({}))].map(showRow)}</tbody></table>
<button type="button" class="button quiet" data-add-row hidden>${t`Add a row`}</button>`,
  )

function showRow(row: FormRow): Html {
  const input = (name: keyof Slot, label: string, attributes: Record<string, string | number>) =>
    html`<td data-label="${label}"><div><input${formatAttributes({ ...attributes, name: `slots.${name}`, 'aria-label': label, value: row[name] })}></div></td>`
  return html`<tr>${input('name', t`Name`, { type: 'text', maxlength: SLOT_NAME_LENGTH_MAX })}${input('from', t`From`, { type: 'time' })}${input('to', t`Until`, { type: 'time' })}
<td class="tools"><button type="button" class="button quiet" data-remove-row hidden>${t`Remove`}</button></td></tr>`
}

/** Parses the rows. Returns undefined if there are none. */
export function parseSlots(rows: FormRow[] = []): Slot[] | undefined {
  const slots = rows.filter((row) => row['name'] || row['from'] || row['to']).map(parseRow)
  return slots.length > 0 ? slots : undefined
}

function parseRow({ name = '', from = '', to = '' }: FormRow): Slot {
  // Browsers without a time picker may send 8:00 instead of 08:00.
  const [start, end] = [from.padStart(TIME_LENGTH, '0'), to.padStart(TIME_LENGTH, '0')]
  const slot = { name, from: start, to: end === MIDNIGHT_TIME ? END_OF_DAY : end }
  if (name !== '' && hasValidSlotTimes(slot)) return slot
  throw invalidFields({
    slots: [message`Each slot needs a name and times such as 08:00 to 12:00, with the end after the start.`],
  })
}

// Browsers show the end of a day as 00:00.
const toRow = ({ name, from, to }: Slot): FormRow => ({
  name,
  from,
  to: to === END_OF_DAY ? MIDNIGHT_TIME : to,
})
