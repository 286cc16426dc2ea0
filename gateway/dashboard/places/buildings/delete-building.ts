// Places: deleting a building.
import { object, pathId } from '../../../../shared/contracts/fields.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { page } from '../../framework/page.ts'
import { confirmation } from '../../ui/forms.ts'
import { findBuilding } from './queries.ts'

const missing = 'There is no such building, or not any more.'

export const deleteBuilding = page({
  path: '/places/buildings/{id}/delete',
  title: 'Delete a building',
  section: 'Places',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    delete: action(object({}), async (call) => {
      await call.dispatch('buildings.delete', { id: call.params.id })
      return { redirectTo: call.link('/places'), notice: 'The building is deleted.' }
    }),
  }),
  async show(call) {
    const found = await findBuilding(call.reads, call.params.id)
    if (!found) throw new Refusal('not_found', missing)
    return {
      breadcrumbs: [
        ['Places', '/places'],
        [found.name, `/places/buildings/${found.id}`],
      ],
      ...confirmation(call, {
        question: `Delete “${found.name}”?`,
        consequence: 'A building that has locations is not deleted; nothing else is lost.',
        action: 'delete',
        submit: 'Delete the building',
        cancel: call.link(`/places/buildings/${found.id}`),
      }),
    }
  },
})
