// The forms of places: what a building, a location and a bookable are asked for, and what of it the workers get.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import {
  email,
  integer,
  object,
  queryFlag,
  queryId,
  queryNumber,
  required,
  text,
  timezone,
} from '../../../shared/contracts/fields.ts'
import { html } from '../../http/html.ts'
import { zoneOptions } from '../time/zones.ts'
import { numberChoice, STATUS_OPTIONS, TYPE_OPTIONS, typeChoice } from '../ui/bookables.ts'
import type { Fields, Option } from '../ui/fields.ts'
import type { BookableRow } from './bookables/queries.ts'

const name = () => required(text({ max: 255, min: 1 }))
const CAPACITY_MAX = 2 ** 31 - 1
const TAGS_MAX = 100

export const buildingForm = object({
  name: name(),
  address: text({ max: 1000 }),
  timezone: required(timezone()),
})

export function buildingFields(
  fields: Fields,
  value: { name?: string; address?: string; timezone: string },
  isNew = false,
) {
  return [
    fields.text({
      name: 'name',
      label: 'Name',
      value: value.name,
      required: true,
      maxlength: 255,
      autofocus: isNew,
    }),
    fields.area({ name: 'address', label: 'Address', value: value.address, rows: 3 }),
    fields.select({
      name: 'timezone',
      label: 'Time zone',
      hint: 'Days and times at this building are in this time zone.',
      options: zoneOptions(value.timezone),
      value: value.timezone,
      required: true,
    }),
  ]
}

export const locationForm = object({ name: name(), code: text({ max: 255 }), building_id: queryId() })

export function locationFields(
  fields: Fields,
  value: { name?: string; code?: string } = {},
  buildings?: { options: Option[]; chosen: number },
) {
  return [
    fields.text({
      name: 'name',
      label: 'Name',
      hint: 'A floor or an area, such as “3rd floor” or “Car park”.',
      value: value.name,
      required: true,
      maxlength: 255,
      autofocus: !buildings,
    }),
    fields.text({
      name: 'code',
      label: 'Code',
      hint: 'A short code for signs and lists, such as “HH-3”.',
      value: value.code,
      maxlength: 255,
    }),
    buildings &&
      fields.select({
        name: 'building_id',
        label: 'Building',
        options: buildings.options,
        value: buildings.chosen,
        required: true,
      }),
  ]
}

const furnished = {
  description: text({ max: 255 }),
  type: required(typeChoice()),
  status: numberChoice([BOOKABLE_STATUSES.flexible, BOOKABLE_STATUSES.blocked] as const),
  tags: text({ max: TAGS_MAX * 256 }),
  capacity: queryNumber(integer({ min: 0, max: CAPACITY_MAX })),
  requires_vehicle: queryFlag(),
}

export const newBookablesForm = object({
  ...furnished,
  names: required(text({ max: 300_000, min: 1 })),
  preview: queryFlag(),
})

export const bookableForm = object({
  ...furnished,
  name: name(),
  integration_email: email(),
  location_id: required(queryId()),
})

type Furnished = Partial<
  Pick<BookableRow, 'description' | 'type' | 'status' | 'capacity' | 'requiresVehicle'>
>
type FurnishedValue = Furnished & { tags?: string }

/** `hasStatus` where it may be set here: what is assigned is given back first. */
export function bookableFields(fields: Fields, value: FurnishedValue, hasStatus: boolean) {
  return [
    fields.select({
      name: 'type',
      label: 'Type',
      options: TYPE_OPTIONS,
      value: value.type ?? 0,
      required: true,
    }),
    hasStatus &&
      fields.radios({
        name: 'status',
        label: 'Status',
        options: STATUS_OPTIONS,
        value: value.status ?? BOOKABLE_STATUSES.flexible,
      }),
    html`<details class="more-fields"${value.description || value.tags || value.capacity || value.requiresVehicle ? html` open` : ''}>
<summary>Description, tags, capacity</summary>
${fields.text({ name: 'description', label: 'Description', value: value.description, maxlength: 255 })}
${fields.text({ name: 'tags', label: 'Tags', hint: 'Separated by commas, such as “window, standing desk”.', value: value.tags })}
${fields.text({ name: 'capacity', label: 'Capacity', type: 'number', min: 0, hint: 'How many people a room has seats for.', value: value.capacity })}
${fields.checkbox({ name: 'requires_vehicle', label: 'Bookings require a vehicle', checked: value.requiresVehicle ?? false })}
</details>`,
  ]
}

type Sent = {
  description?: string | undefined
  tags?: string | undefined
  capacity?: number | undefined
  requires_vehicle?: boolean | undefined
}

/** A field that was left empty is one that there is none of. */
export function furnishedInput({ description, tags = '', capacity, requires_vehicle }: Sent) {
  return {
    description: description ?? null,
    tags: tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    capacity: capacity ?? null,
    requires_vehicle: requires_vehicle ?? false,
  }
}
