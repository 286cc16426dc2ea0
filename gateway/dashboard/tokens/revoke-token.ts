// Settings: taking a token back.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { page } from '../framework/page.ts'
import { confirmation } from '../ui/forms.ts'
import { findToken } from './queries.ts'

const missing = 'There is no such token.'

export const revokeToken = page({
  path: '/settings/tokens/{id}/revoke',
  title: 'Revoke a token',
  section: 'Settings',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    revoke: action(object({}), async (call) => {
      await call.dispatch('tokens.revoke', { id: call.params.id })
      return { redirectTo: call.link('/settings'), notice: 'The token is revoked.' }
    }),
  }),
  async show(call) {
    const token = await findToken(call.reads, call.params.id)
    if (!token) throw new Refusal('not_found', missing)
    return {
      breadcrumbs: [['Settings', '/settings']],
      ...confirmation(call, {
        question: `Revoke “${token.name}”?`,
        consequence: 'Whatever uses it is shut out within a second, for good. What it has done stays.',
        action: 'revoke',
        submit: 'Revoke the token',
        cancel: call.link('/settings'),
      }),
    }
  },
})
