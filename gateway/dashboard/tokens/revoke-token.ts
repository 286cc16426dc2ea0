// Settings: revoking a token.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { findToken } from './queries.ts'

const missing = message`This token does not exist.`

export const revokeToken = page({
  path: '/settings/tokens/{id}/revoke',
  title: sentence`Revoke token`,
  section: 'Settings',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    revoke: action(object({}), async (call) => {
      await call.dispatch('tokens.revoke', { id: call.params.id })
      return { redirectTo: call.link('/settings'), notice: t`Token revoked.` }
    }),
  }),
  async show(call) {
    const token = await findToken(call.reads, call.params.id)
    if (!token) throw new Refusal('not_found', missing)
    return {
      breadcrumbs: [[t`Settings`, '/settings']],
      ...confirmation(call, {
        question: t`Revoke “${token.name}”?`,
        consequence: t`Programs that use it lose access within a second. This cannot be undone. Their changes stay.`,
        action: 'revoke',
        submit: t`Revoke token`,
        cancel: call.link('/settings'),
      }),
    }
  },
})
