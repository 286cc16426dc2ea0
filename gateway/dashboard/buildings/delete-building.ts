// The page that deletes a building.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { missingBuilding, requireBuilding } from './queries.ts'

export const deleteBuilding = page({
  path: '/places/buildings/{id}/delete',
  title: sentence`Delete building`,
  section: 'Places',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingBuilding,
  actions: (action) => ({
    delete: action(object({}), async (call) => {
      await call.dispatch('buildings.delete', { id: call.params.id })
      return { redirectTo: call.link(backPath(call, '/places')), notice: t`Building deleted.` }
    }),
  }),
  async show(call) {
    const found = await requireBuilding(call.reads, call.params.id)
    return {
      breadcrumbs: [
        [t`Places`, backPath(call, '/places')],
        [found.name, keepBack(call, `/places/buildings/${found.id}`)],
      ],
      ...confirmation(call, {
        question: t`Delete “${found.name}”?`,
        consequence: t`A building can only be deleted once it has no locations. This cannot be undone.`,
        action: 'delete',
        submit: t`Delete building`,
        cancel: call.link(keepBack(call, `/places/buildings/${found.id}`)),
      }),
    }
  },
})
