// The form of a new or existing building.
import { object, required, text } from '../../../shared/schemas/fields.ts'
import { timezone } from '../../../shared/schemas/times.ts'
import { t } from '../locales/translate.ts'
import { zoneOptions } from '../time/zones.ts'
import type { Fields } from '../ui/fields.ts'

export const buildingForm = object({
  name: required(text({ max: 255, min: 1 })),
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
      label: t`Name`,
      value: value.name,
      required: true,
      maxlength: 255,
      autofocus: isNew,
    }),
    fields.area({ name: 'address', label: t`Address`, value: value.address, rows: 3 }),
    fields.select({
      name: 'timezone',
      label: t`Time zone`,
      hint: t`Days and times at this building are in this time zone.`,
      options: zoneOptions(value.timezone),
      value: value.timezone,
      required: true,
    }),
  ]
}
