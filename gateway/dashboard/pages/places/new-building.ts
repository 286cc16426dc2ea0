// Places: making a building.

import { html } from '../../../html.ts'
import { form } from '../../forms.ts'
import { madeId } from '../../made.ts'
import { page } from '../../page.ts'
import { buildingFields, buildingForm } from '../../place-forms.ts'
import { latestTimezone } from '../../queries/buildings.ts'

export const newBuilding = page({
  path: '/places/buildings/new',
  title: 'New building',
  section: 'Places',
  actions: (action) => ({
    create: action(buildingForm, async (call) => {
      const id = madeId(await call.dispatch('buildings.create', call.form))
      return {
        to: call.link(`/places/buildings/${id}`),
        say: `${call.form.name} is there. Now add its locations.`,
      }
    }),
  }),
  async show(call) {
    const timezone = await latestTimezone(call.reads)
    return {
      above: [['Places', '/places']],
      content: html`<div class="card narrow">${form(
        call,
        { action: 'create', submit: 'Create the building', cancel: call.link('/places') },
        (fields) => buildingFields(fields, { timezone }, true),
      )}</div>`,
    }
  },
})
