// Places: copying a location, with its floor plan and what can be booked there.
import { object, pathId } from '../../../../shared/contracts/fields.ts'
import { html } from '../../../http/html.ts'
import { page } from '../../framework/page.ts'
import { form } from '../../ui/forms.ts'
import { formatCount } from '../../ui/words.ts'
import { listBuildingNames } from '../buildings/queries.ts'
import { locationFields, locationForm } from './form.ts'
import { missingLocation, requireLocation } from './queries.ts'

export const copyLocation = page({
  path: '/places/locations/{id}/copy',
  title: 'Copy location',
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
        notice: `Location copied, with ${formatCount(bookables, 'bookable')}.`,
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
    const what = `${formatCount(found.bookables, 'bookable')}${found.hasFloorPlan ? ' and its floor plan' : ''}`
    return {
      title: `Copy ${found.name}`,
      breadcrumbs: [
        ['Places', '/places'],
        [found.building, `/places/buildings/${found.buildingId}`],
        [found.name, own],
      ],
      content: html`<div class="card narrow"><p>The copy has its ${what}, with positions, tags and capacities. Bookings,
assignments, rules and integration e-mails are not copied.</p>
${form(call, { action: 'copy', submit: 'Copy location', cancel: call.link(own) }, (fields) =>
  locationFields(fields, { buildingId: found.buildingId }, buildings),
)}</div>`,
    }
  },
})
