// The pages that create, copy and delete a location, and the form of its details.
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { buildingPages } from '../buildings/buildings.ts'
import {
  findLocation,
  type LocationOfForm,
  type LocationRow,
  listBuildingOptions,
  locationPages,
} from '../places/location-pages.ts'

export const locationForm = object({
  name: required(text({ max: 255, min: 1 })),
  code: text({ max: 255 }).default(''),
  building_id: queryId(),
})

export const newLocationPage = buildingPages.form({
  path: '/locations/new',
  title: sentence`New floor`,
  action: 'create',
  submit: sentence`Create floor`,
  form: locationForm,
  fields: (fields) => showLocationFields(fields),
  async act(call) {
    const { name, code } = call.form
    const { data } = await call.dispatch('locations.create', { building_id: call.params.id, name, code })
    return {
      redirectTo: call.link(`/places/locations/${data.id}`),
      notice: t`Floor created. Now add its desks and rooms, and a floor plan.`,
    }
  },
})

export const copyLocationPage = locationPages.form({
  path: '/copy',
  title: sentence`Copy floor`,
  action: 'copy',
  form: locationForm,
  find: async (call) => ({
    ...(await locationPages.require(call)),
    buildings: await listBuildingOptions(call.reads),
  }),
  heading: ({ name }) => t`Copy ${name}`,
  intro: (found) =>
    [
      describeCopy(found),
      t`The copy does not include bookings, assignments, rules or e-mail addresses for calendars.`,
    ].join(' '),
  fields: (fields, { buildingId, buildings }) => showLocationFields(fields, { buildingId, buildings }),
  async act(call) {
    const { id } = call.params
    const { buildingId, bookables } = await locationPages.require(call)
    const { name, code, building_id = buildingId } = call.form
    const { data } = await call.dispatch('locations.copy', { id, name, code, building_id })
    return {
      redirectTo: call.link(`/places/locations/${data.id}`),
      notice: plural(
        bookables,
        'Location copied, with # desk or room.',
        'Floor copied, with # desks and rooms.',
      ),
    }
  },
})

function describeCopy({ bookables, hasFloorPlan }: LocationRow): string {
  return hasFloorPlan
    ? plural(
        bookables,
        'The copy includes # desk or room and the floor plan, with positions, tags and capacities.',
        'The copy includes # desks and rooms and the floor plan, with positions, tags and capacities.',
      )
    : plural(
        bookables,
        'The copy includes # desk or room, with positions, tags and capacities.',
        'The copy includes # desks and rooms, with positions, tags and capacities.',
      )
}

export const deleteLocationPage = locationPages.form({
  path: '/delete',
  title: sentence`Delete floor`,
  action: 'delete',
  tone: 'danger',
  heading: ({ name }) => t`Delete “${name}”?`,
  intro: () =>
    t`You can delete a floor only once it has no desks, rooms or parking. Its floor plan is deleted too. This cannot be undone.`,
  async act(call) {
    const found = await findLocation(call.reads, call.params.id)
    await call.dispatch('locations.delete', { id: call.params.id })
    const to = found ? `/places/buildings/${found.buildingId}` : '/places'
    return { redirectTo: call.link(to), notice: t`Floor deleted.` }
  },
})

/** Shows the fields of a location. If `value` has no building, the location is a new one. */
export function showLocationFields(fields: Fields, value: Partial<LocationOfForm> = {}) {
  const { buildingId, buildings = [] } = value
  return [
    fields.text('name', t`Name`, {
      hint: t`For example “3rd floor” or “Car park”.`,
      autofocus: buildingId === undefined,
    }),
    fields.text('code', t`Code`, { hint: t`A short code for signs and lists, such as “HH-3”.` }),
    buildingId !== undefined &&
      fields.select('building_id', t`Building`, { options: buildings, value: buildingId, required: true }),
  ]
}
