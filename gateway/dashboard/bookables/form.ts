// The forms of new and existing bookables: their fields, and the conversion of their values to job input.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import {
  email,
  integer,
  object,
  queryFlag,
  queryId,
  queryNumber,
  required,
  text,
} from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import {
  numberChoice,
  STATUS_OPTIONS,
  splitTags,
  TYPE_OPTIONS,
  tagsText,
  typeChoice,
} from '../ui/bookables.ts'
import type { Fields } from '../ui/fields.ts'
import type { BookableRow } from './queries.ts'

const CAPACITY_MAX = 2 ** 31 - 1

const details = {
  description: text({ max: 255 }),
  type: required(typeChoice()),
  status: numberChoice([BOOKABLE_STATUSES.flexible, BOOKABLE_STATUSES.blocked] as const),
  tags: tagsText(),
  capacity: queryNumber(integer({ min: 0, max: CAPACITY_MAX })),
  requires_vehicle: queryFlag(),
}

export const newBookablesForm = object({
  ...details,
  names: required(text({ max: 300_000, min: 1 })),
  preview: queryFlag(),
})

export const bookableForm = object({
  ...details,
  name: required(text({ max: 255, min: 1 })),
  integration_email: email(),
  location_id: required(queryId()),
})

type Details = Partial<
  Pick<BookableRow, 'description' | 'type' | 'status' | 'capacity' | 'requiresVehicle'>
> & { tags?: string }

/** `hasStatus`: whether the form can set the status. An assigned bookable has to be unassigned first. */
export function bookableFields(fields: Fields, value: Details, hasStatus: boolean) {
  return [
    fields.select({
      name: 'type',
      label: t`Type`,
      options: TYPE_OPTIONS,
      value: value.type ?? BOOKABLE_TYPES.desk,
      required: true,
    }),
    hasStatus &&
      fields.radios({
        name: 'status',
        label: t`Status`,
        options: STATUS_OPTIONS,
        value: value.status ?? BOOKABLE_STATUSES.flexible,
      }),
    html`<details class="more-fields"${value.description || value.tags || value.capacity || value.requiresVehicle ? html` open` : ''}>
<summary>${t`Description, tags, capacity`}</summary>
${fields.text({ name: 'description', label: t`Description`, value: value.description, maxlength: 255 })}
${fields.text({ name: 'tags', label: t`Tags`, hint: t`Separated by commas, such as “window, standing desk”.`, value: value.tags })}
${fields.text({ name: 'capacity', label: t`Capacity`, type: 'number', min: 0, hint: t`The number of seats in a room.`, value: value.capacity })}
${fields.checkbox({ name: 'requires_vehicle', label: t`Bookings require a vehicle`, checked: value.requiresVehicle ?? false })}
</details>`,
  ]
}

type Typed = {
  description?: string | undefined
  tags?: string | undefined
  capacity?: number | undefined
  requires_vehicle?: boolean | undefined
}

/** An empty field clears the value. */
export function parseBookableDetails({ description, tags, capacity, requires_vehicle }: Typed) {
  return {
    description: description ?? null,
    tags: splitTags(tags),
    capacity: capacity ?? null,
    requires_vehicle: requires_vehicle ?? false,
  }
}
