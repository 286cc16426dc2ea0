// Places: adding a location to a building.
import { object, pathId } from '../../../../shared/contracts/fields.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { html } from '../../../http/html.ts'
import { page } from '../../framework/page.ts'
import { form } from '../../ui/forms.ts'
import { findBuilding } from '../buildings/queries.ts'
import { locationFields, locationForm } from '../forms.ts'

const missing = 'This building does not exist, or it has been deleted.'

export const newLocation = page({
  path: '/places/buildings/{id}/locations/new',
  title: 'New location',
  section: 'Places',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    create: action(locationForm, async (call) => {
      const { name, code } = call.form
      const { data } = await call.dispatch('locations.create', { building_id: call.params.id, name, code })
      return {
        redirectTo: call.link(`/places/locations/${data.id}`),
        notice: 'Location created. Now add bookables and a floor plan.',
      }
    }),
  }),
  async show(call) {
    const building = await findBuilding(call.reads, call.params.id)
    if (!building) throw new Refusal('not_found', missing)
    const back = `/places/buildings/${building.id}`
    return {
      breadcrumbs: [
        ['Places', '/places'],
        [building.name, back],
      ],
      content: html`<div class="card narrow">${form(
        call,
        { action: 'create', submit: 'Create location', cancel: call.link(back) },
        (fields) => locationFields(fields),
      )}</div>`,
    }
  },
})
