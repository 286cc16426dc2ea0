// The page that undoes what the person has just done, such as cancelling a booking. The undo button of the
// notice posts to it directly.
import { message } from '../../../shared/messages/message.ts'
import { object, pathId, text } from '../../../shared/schemas/fields.ts'
import { sentence, t } from '../locales/translate.ts'
import { backQuery, findBackPath } from '../pages/page/back.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { showFormCard } from '../pages/ui/forms.ts'
import { findOwnBooking } from './bookings/own-bookings.ts'

const IDS_PATTERN = /^\d{1,16}(,\d{1,16})*$/

/** Returns whether the path is that of a booking that no longer exists, because its creation was undone. */
async function isGone(call: Call, path: string): Promise<boolean> {
  const id = /^\/bookings\/(\d{1,15})\b/.exec(path)?.[1]
  return id !== undefined && (await findOwnBooking(call, Number(id))) === undefined
}

export const undoPage = definePage({
  path: '/undo/{id}',
  title: sentence`Undo`,
  section: 'My day',
  params: object({ id: pathId() }),
  query: object({
    ...backQuery,
    also: text({ max: 700 }).matches(IDS_PATTERN, () => message`This link is incomplete.`),
  }),
  actions: (action) => ({
    undo: action(object({}), async (call) => {
      const also = call.query.also?.split(',').map(Number)
      await call.dispatch('audit-entries.undo', { ...call.params, also })
      const back = findBackPath(call, '/')
      return { redirectTo: call.link((await isGone(call, back)) ? '/' : back), notice: t`Undone.` }
    }),
  }),
  show: (call) => ({
    title: t`Undo this change?`,
    lead: t`You can undo a change only if nobody has changed the same thing since.`,
    content: showFormCard(call, {
      action: 'undo',
      submit: t`Undo`,
      cancel: call.link(findBackPath(call, '/')),
    }),
  }),
})
