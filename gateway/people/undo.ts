// Undoes what the person has just done, such as cancelling a booking. The notice posts to it directly.
import { object, pathId } from '../../shared/schemas/fields.ts'
import { backPath, backQuery } from '../pages/kit/back.ts'
import { page } from '../pages/kit/page.ts'
import { sentence, t } from '../pages/locales/translate.ts'
import { formCard } from '../pages/ui/forms.ts'

export const undo = page({
  path: '/undo/{id}',
  title: sentence`Undo`,
  section: 'My day',
  params: object({ id: pathId() }),
  query: object(backQuery),
  actions: (action) => ({
    undo: action(object({}), async (call) => {
      await call.dispatch('audit-entries.undo', call.params)
      return { redirectTo: call.link(backPath(call, '/')), notice: t`Undone.` }
    }),
  }),
  show: (call) => ({
    title: t`Undo this change?`,
    lead: t`It is undone only if nobody has changed it since.`,
    content: formCard(call, { action: 'undo', submit: t`Undo`, cancel: call.link(backPath(call, '/')) }),
  }),
})
