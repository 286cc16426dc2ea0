// Places: deleting a building.
import { object, pathId } from '../../../../shared/contracts/fields.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { page } from '../../framework/page.ts'
import { confirmation } from '../../ui/forms.ts'
import { findBuilding } from './queries.ts'

const missing = 'This building does not exist, or it has been deleted.'

export const deleteBuilding = page({
  path: '/places/buildings/{id}/delete',
  title: 'Delete building',
  section: 'Places',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    delete: action(object({}), async (call) => {
      await call.dispatch('buildings.delete', { id: call.params.id })
      return { redirectTo: call.link('/places'), notice: 'Building deleted.' }
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
        consequence: 'A building can only be deleted once it has no locations. This cannot be undone.',
        action: 'delete',
        submit: 'Delete building',
        cancel: call.link(`/places/buildings/${found.id}`),
      }),
    }
  },
})
