// The form of a new or existing location.
import { object, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { t } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'

export const locationForm = object({
  name: required(text({ max: 255, min: 1 })),
  code: text({ max: 255 }),
  building_id: queryId(),
})

export function locationFields(
  fields: Fields,
  value: { name?: string; code?: string; buildingId?: number } = {},
  buildings: Array<{ id: number; name: string }> = [],
) {
  return [
    fields.text({
      name: 'name',
      label: t`Name`,
      hint: t`A floor or an area, such as “3rd floor” or “Car park”.`,
      value: value.name,
      required: true,
      maxlength: 255,
      autofocus: value.buildingId === undefined,
    }),
    fields.text({
      name: 'code',
      label: t`Code`,
      hint: t`A short code for signs and lists, such as “HH-3”.`,
      value: value.code,
      maxlength: 255,
    }),
    value.buildingId !== undefined &&
      fields.select({
        name: 'building_id',
        label: t`Building`,
        options: buildings.map(({ id, name }) => ({ value: id, label: name })),
        value: value.buildingId,
        required: true,
      }),
  ]
}
