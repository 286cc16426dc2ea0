// Settings: deleting a webhook.

import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { webhookBreadcrumbs } from './fields.ts'
import { findWebhook, missingWebhook } from './queries.ts'

export const deleteWebhook = page({
  path: '/settings/webhooks/{id}/delete',
  title: sentence`Delete webhook`,
  section: 'Settings',
  params: object({ id: pathId() }),
  missing: missingWebhook,
  actions: (action) => ({
    delete: action(object({}), async (call) => {
      await call.dispatch('webhooks.delete', { id: call.params.id })
      return { redirectTo: call.link('/settings/webhooks'), notice: t`Webhook deleted.` }
    }),
  }),
  async show(call) {
    const found = await findWebhook(call.reads, call.params.id)
    if (!found) throw new Refusal('not_found', missingWebhook)
    return {
      breadcrumbs: webhookBreadcrumbs(),
      ...confirmation(call, {
        question: t`Delete the webhook “${found.description || found.url}”?`,
        consequence: t`Sending stops, and its deliveries are deleted. To stop for a while, switch it off instead.`,
        action: 'delete',
        submit: t`Delete webhook`,
        cancel: call.link(`/settings/webhooks/${found.id}`),
      }),
    }
  },
})
