// The page that creates a building.
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { findCommonZone } from '../search/choices.ts'
import { formCard } from '../ui/forms.ts'
import { buildingFields, buildingForm } from './form.ts'

export const newBuilding = page({
  path: '/places/buildings/new',
  title: sentence`New building`,
  section: 'Places',
  actions: (action) => ({
    create: action(buildingForm, async (call) => {
      const { data } = await call.dispatch('buildings.create', call.form)
      return {
        redirectTo: call.link(`/places/buildings/${data.id}`),
        notice: t`Building created. Now add its locations.`,
      }
    }),
  }),
  async show(call) {
    const timezone = await findCommonZone(call.reads)
    return {
      breadcrumbs: [[t`Places`, '/places']],
      content: formCard(
        call,
        { action: 'create', submit: t`Create building`, cancel: call.link('/places') },
        (fields) => buildingFields(fields, { timezone }, true),
      ),
    }
  },
})
