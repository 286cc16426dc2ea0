// The page that copies a location with its floor plan and what can be booked there.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { listBuildingNames } from '../buildings/queries.ts'
import { page } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { type LocationRow, missingLocation, requireLocation } from '../places/location-queries.ts'
import { form } from '../ui/forms.ts'
import { locationFields, locationForm } from './form.ts'

export const copyLocation = page({
  path: '/places/locations/{id}/copy',
  title: sentence`Copy location`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing: missingLocation,
  actions: (action) => ({
    copy: action(locationForm, async (call) => {
      const { id } = call.params
      const { buildingId, bookables } = await requireLocation(call.reads, id)
      const { name, code, building_id = buildingId } = call.form
      const { data } = await call.dispatch('locations.copy', { id, name, code, building_id })
      return {
        redirectTo: call.link(`/places/locations/${data.id}`),
        notice: plural(
          bookables,
          'Location copied, with # desk or room.',
          'Location copied, with # desks and rooms.',
        ),
      }
    }),
  }),
  async show(call) {
    const { id } = call.params
    const [found, buildings] = await Promise.all([
      requireLocation(call.reads, id),
      listBuildingNames(call.reads),
    ])
    const own = `/places/locations/${id}`
    return {
      title: t`Copy ${found.name}`,
      breadcrumbs: [
        [t`Places`, '/places'],
        [found.building, `/places/buildings/${found.buildingId}`],
        [found.name, own],
      ],
      content: html`<div class="card narrow"><p>${describeCopy(found)}
${t`Bookings, assignments, rules and integration e-mails are not copied.`}</p>
${form(call, { action: 'copy', submit: t`Copy location`, cancel: call.link(own) }, (fields) =>
  locationFields(fields, { buildingId: found.buildingId }, buildings),
)}</div>`,
    }
  },
})

function describeCopy({ bookables, hasFloorPlan }: LocationRow): string {
  return hasFloorPlan
    ? plural(
        bookables,
        'The copy has its # desk or room and its floor plan, with positions, tags and capacities.',
        'The copy has its # desks and rooms and its floor plan, with positions, tags and capacities.',
      )
    : plural(
        bookables,
        'The copy has its # desk or room, with positions, tags and capacities.',
        'The copy has its # desks and rooms, with positions, tags and capacities.',
      )
}
