// The page that deletes a location.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { findLocation, missingLocation, requireLocation } from '../places/location-queries.ts'
import { confirmation } from '../ui/forms.ts'

export const deleteLocation = page({
  path: '/places/locations/{id}/delete',
  title: sentence`Delete location`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing: missingLocation,
  actions: (action) => ({
    delete: action(object({}), async (call) => {
      const found = await findLocation(call.reads, call.params.id)
      await call.dispatch('locations.delete', { id: call.params.id })
      const to = found ? `/places/buildings/${found.buildingId}` : '/places'
      return { redirectTo: call.link(to), notice: t`Location deleted.` }
    }),
  }),
  async show(call) {
    const found = await requireLocation(call.reads, call.params.id)
    return {
      breadcrumbs: [
        [t`Places`, '/places'],
        [found.building, `/places/buildings/${found.buildingId}`],
        [found.name, `/places/locations/${found.id}`],
      ],
      ...confirmation(call, {
        question: t`Delete “${found.name}”?`,
        consequence: t`A location can only be deleted once it has no desks, rooms or parking. Its floor plan is deleted too. This cannot be undone.`,
        action: 'delete',
        submit: t`Delete location`,
        cancel: call.link(`/places/locations/${found.id}`),
      }),
    }
  },
})
