// Undoes what the person has just done, such as cancelling a booking. The notice posts to it directly.
import { message } from '../../../shared/messages/message.ts'
import { object, pathId, text } from '../../../shared/schemas/fields.ts'
import { sentence, t } from '../locales/translate.ts'
import { backPath, backQuery } from '../pages/page/back.ts'
import { page } from '../pages/page/page.ts'
import { formCard } from '../pages/ui/forms.ts'

const IDS = /^\d{1,16}(,\d{1,16})*$/

export const undo = page({
  path: '/undo/{id}',
  title: sentence`Undo`,
  section: 'My day',
  params: object({ id: pathId() }),
  query: object({
    ...backQuery,
    also: text({ max: 700 }).matches(IDS, () => message`This link is incomplete.`),
  }),
  actions: (action) => ({
    undo: action(object({}), async (call) => {
      const also = call.query.also?.split(',').map(Number)
      await call.dispatch('audit-entries.undo', { ...call.params, also })
      return { redirectTo: call.link(backPath(call, '/')), notice: t`Undone.` }
    }),
  }),
  show: (call) => ({
    title: t`Undo this change?`,
    lead: t`This works only if nobody has changed it since.`,
    content: formCard(call, { action: 'undo', submit: t`Undo`, cancel: call.link(backPath(call, '/')) }),
  }),
})
