// Settings: one delivery of a webhook: its state, the answer, and sending it again.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { page } from '../kit/page.ts'
import { sentence, t, tHtml } from '../locales/translate.ts'
import { findCommonZone } from '../search/choices.ts'
import { formatDuration } from '../time/durations.ts'
import { showInstant } from '../time/instants.ts'
import { card } from '../ui/cards.ts'
import { showFacts } from '../ui/facts.ts'
import { form } from '../ui/forms.ts'
import { webhookBreadcrumbs } from './fields.ts'
import { findDelivery, findWebhook } from './queries.ts'
import { formatAnswer, showDeliveryState, showNextAttempt } from './words.ts'

const missing = message`This delivery does not exist. Deliveries are kept for 30 days.`

export const delivery = page({
  path: '/settings/webhooks/{id}/deliveries/{delivery_id}',
  title: sentence`Delivery`,
  section: 'Settings',
  params: object({ id: pathId(), delivery_id: pathId() }),
  missing,
  actions: (action) => ({
    'send-again': action(object({}), async (call) => {
      await call.dispatch('webhook-deliveries.send-again', {
        webhook_id: call.params.id,
        id: call.params.delivery_id,
      })
      return {
        redirectTo: call.link(`/settings/webhooks/${call.params.id}`),
        notice: t`Sent again. The answer appears under Deliveries.`,
      }
    }),
  }),
  async show(call) {
    const { id, delivery_id } = call.params
    const [found, webhook, zone] = await Promise.all([
      findDelivery(call.reads, id, delivery_id),
      findWebhook(call.reads, id),
      findCommonZone(call.reads),
    ])
    if (!found || !webhook) throw new Refusal('not_found', missing)
    const facts = [
      [t`Type`, html`<code>${found.type}</code>`],
      [t`Sequence`, found.sequence],
      [t`webhook-id`, html`<code>${found.message}</code>`],
      [t`Created`, showInstant(found.createdAt, zone)],
      [t`Delivered`, found.deliveredAt && showInstant(found.deliveredAt, zone)],
      [t`Attempts`, found.attempts],
      [t`Next attempt`, found.nextAt && showNextAttempt(found, call.now)],
      [t`Answer`, formatAnswer(found)],
      [t`Took`, found.tookMs === null ? null : formatDuration(found.tookMs)],
    ] as const
    return {
      title: t`Delivery ${found.id}`,
      lead: html`${showDeliveryState(found)} ${tHtml`to ${html`<code>${webhook.url}</code>`}`}`,
      breadcrumbs: [
        ...webhookBreadcrumbs(),
        [webhook.description || webhook.url, `/settings/webhooks/${id}`],
      ],
      content: html`${card(t`Details`, showFacts(facts))}
${
  found.answer &&
  card(
    t`What the receiver answered`,
    html`<p class="hint">${t`The first 1,024 characters.`}</p><pre tabindex="0">${found.answer}</pre>`,
  )
}
${card(
  t`Resend`,
  webhook.isEnabled
    ? html`<p>${tHtml`It is sent at once, under the same ${html`<code>webhook-id</code>`}, so that the receiver can tell that it has it already.`}</p>
${form(call, { action: 'send-again', submit: t`Resend`, tone: 'quiet' })}`
    : html`<p>${t`The webhook is switched off. Switch it on first.`}</p>`,
)}`,
    }
  },
})
