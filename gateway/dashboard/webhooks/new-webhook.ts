// Settings: creating a webhook. Only the answer shows its secret.
import { requireReachable } from '../../../shared/webhooks/webhook-urls.ts'
import { html } from '../../http/html.ts'
import { page } from '../kit/page.ts'
import { sentence, t, tHtml } from '../locales/translate.ts'
import { formCard } from '../ui/forms.ts'
import { parseTypes, secretView, webhookBreadcrumbs, webhookFields, webhookForm } from './fields.ts'

export const newWebhook = page({
  path: '/settings/webhooks/new',
  title: sentence`New webhook`,
  section: 'Settings',
  actions: (action) => ({
    create: action(webhookForm, async (call) => {
      const { url, description = '' } = requireReachable(call.form, call.services.config)
      const { data } = await call.dispatch('webhooks.create', {
        url,
        description,
        types: parseTypes(call.form),
      })
      return {
        show: secretView(call, {
          title: t`Webhook created`,
          lead: tHtml`${html`<strong>${description || url}</strong>`} receives changes from now on.`,
          secret: data.secret,
          id: data.id,
        }),
      }
    }),
  }),
  show: (call) => ({
    breadcrumbs: webhookBreadcrumbs(),
    content: formCard(
      call,
      { action: 'create', submit: t`Create webhook`, cancel: call.link('/settings/webhooks') },
      (fields) => webhookFields(fields),
    ),
  }),
})
