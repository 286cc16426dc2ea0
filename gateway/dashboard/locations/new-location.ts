// The page that adds a location to a building.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { missingBuilding, requireBuilding } from '../buildings/queries.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { formCard } from '../ui/forms.ts'
import { locationFields, locationForm } from './form.ts'

export const newLocation = page({
  path: '/places/buildings/{id}/locations/new',
  title: sentence`New location`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing: missingBuilding,
  actions: (action) => ({
    create: action(locationForm, async (call) => {
      const { name, code } = call.form
      const { data } = await call.dispatch('locations.create', { building_id: call.params.id, name, code })
      return {
        redirectTo: call.link(`/places/locations/${data.id}`),
        notice: t`Location created. Now add its desks and rooms, and a floor plan.`,
      }
    }),
  }),
  async show(call) {
    const building = await requireBuilding(call.reads, call.params.id)
    const back = `/places/buildings/${building.id}`
    return {
      breadcrumbs: [
        [t`Places`, '/places'],
        [building.name, back],
      ],
      content: formCard(
        call,
        { action: 'create', submit: t`Create location`, cancel: call.link(back) },
        (fields) => locationFields(fields),
      ),
    }
  },
})
