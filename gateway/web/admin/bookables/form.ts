// The form fields of bookables, and the conversion of their values to the input of jobs. A position is in percent from
// the left and from the top of the floor plan, or empty.
import * as yup from 'yup'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { createFieldMessage, turnOffTypeConversion } from '../../../../shared/messages/strict.ts'
import {
  email,
  integer,
  object,
  queryFlag,
  queryId,
  queryNumber,
  required,
  text,
} from '../../../../shared/schemas/fields.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { numberChoice, STATUS_OPTIONS, TYPE_OPTIONS, tagsText, typeChoice } from '../../pages/ui/bookables.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { formatNumber } from '../../pages/ui/parts.ts'
import type { BookableRow } from './queries.ts'

// Fields that clear the stored value if they are left empty.
const detailsFields = {
  description: text({ max: 255 }).nullable().default(null),
  type: required(typeChoice()),
  status: numberChoice([BOOKABLE_STATUSES.flexible, BOOKABLE_STATUSES.blocked] as const),
  tags: tagsText(),
  capacity: queryNumber(integer({ min: 0, max: 2 ** 31 - 1 }))
    .nullable()
    .default(null),
  requires_vehicle: queryFlag().default(false),
}

export const newBookablesForm = object({
  ...detailsFields,
  names: required(text({ max: 300_000, min: 1 })),
  preview: queryFlag(),
})

export const bookableForm = object({
  ...detailsFields,
  name: required(text({ max: 255, min: 1 })),
  integration_email: email().nullable().default(null),
  location_id: required(queryId()),
})

/** `hasStatus` says whether the form can set the status. An assigned bookable must be unassigned first. */
export function showBookableFields(fields: Fields, hasStatus: boolean) {
  const open = formatAttributes({
    open: fields.isFilled('description', 'tags', 'capacity', 'requires_vehicle'),
  })
  return [
    fields.select('type', t`Type`, { options: TYPE_OPTIONS }),
    hasStatus && fields.radios('status', t`Status`, { options: STATUS_OPTIONS }),
    html`<details class="more-fields"${open}><summary>${t`Description, tags, capacity`}</summary>
${fields.text('description', t`Description`)}
${fields.text('tags', t`Tags`, { hint: t`Separated by commas, such as “window, standing desk”.` })}
${fields.text('capacity', t`Capacity`, { type: 'number', min: 0, hint: t`The number of seats in a room.` })}
${fields.checkbox('requires_vehicle', t`Bookings require a vehicle`)}
</details>`,
  ]
}

export const percentSchema = () => {
  const sentence = createFieldMessage((name) => message`${name} must be a number from 0 to 100.`)
  return turnOffTypeConversion(yup.number())
    .transform((_value: unknown, original: unknown) =>
      typeof original === 'string' && /^\d{1,3}([.,]\d{1,9})?$/.test(original.trim())
        ? Number(original.trim().replace(',', '.'))
        : Number.NaN,
    )
    .typeError(sentence)
    .min(0, sentence)
    .max(100, sentence)
}

export const positionShape = { left: percentSchema(), top: percentSchema() }
export const positionForm = object(positionShape)

type SharePosition = Pick<BookableRow, 'x' | 'y'>

/** Parses a position. If both fields are empty, the bookable is taken off the floor plan. */
export function parsePosition({ left, top }: Partial<yup.InferType<typeof positionForm>>): SharePosition {
  if (left === undefined && top === undefined) return { x: null, y: null }
  if (left === undefined || top === undefined) {
    const missing = left === undefined ? 'left' : 'top'
    throw invalidFields({
      [missing]: [message`Enter both numbers, or leave both empty to take it off the floor plan.`],
    })
  }
  return { x: parsePercent(left), y: parsePercent(top) }
}

// Converts a percentage to a share, without a rounding error: 33.3 / 100 is 0.33299999999999996.
export const parsePercent = (percent: number): number => Math.round(percent * 1_000) / 100_000

export function showPositionFields(fields: Fields, { x, y }: SharePosition): Html {
  const number = (name: string, label: string, share: number | null) => {
    const value = share === null ? '' : formatNumber(Math.round(share * 100_000) / 1_000)
    return fields.text(name, label, { value })
  }
  return html`<div class="pair">${number('left', t`Distance from the left (%)`, x)}${number('top', t`Distance from the top (%)`, y)}</div>`
}
