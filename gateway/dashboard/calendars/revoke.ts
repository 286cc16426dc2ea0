// Revoking the calendar address of a person, bookable or location.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { findCalendar } from './queries.ts'

const missing = message`This calendar address does not exist any more.`

export const revokeCalendar = page({
  path: '/calendars/{id}/revoke',
  title: sentence`Revoke calendar address`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    revoke: action(object({}), async (call) => {
      const { path } = await requireCalendar(call)
      await call.dispatch('calendars.delete', { id: call.params.id })
      return { redirectTo: call.link(path), notice: t`Calendar address revoked.` }
    }),
  }),
  async show(call) {
    const { name, path } = await requireCalendar(call)
    return {
      breadcrumbs: [[name, path]],
      ...confirmation(call, {
        question: t`Revoke address ${call.params.id} of the calendar of ${name}?`,
        consequence: t`Calendar programs lose access at once. This cannot be undone.`,
        action: 'revoke',
        submit: t`Revoke`,
        cancel: call.link(path),
      }),
    }
  },
})

async function requireCalendar(call: Call<{ id: number }>) {
  const found = await findCalendar(call.reads, call.params.id)
  if (!found) throw new Refusal('not_found', missing)
  return found
}
