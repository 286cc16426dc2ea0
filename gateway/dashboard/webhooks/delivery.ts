// Settings: one delivery of a webhook: what became of it, what was answered, and sending it again.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { html } from '../../http/html.ts'
import { page } from '../framework/page.ts'
import { formatDuration } from '../time/durations.ts'
import { showInstant } from '../time/instants.ts'
import { card } from '../ui/cards.ts'
import { showFacts } from '../ui/facts.ts'
import { form } from '../ui/forms.ts'
import { webhookBreadcrumbs } from './fields.ts'
import { findDelivery, findWebhook } from './queries.ts'
import { formatAnswer, showDeliveryState, showNextAttempt } from './words.ts'

const missing = 'This delivery does not exist. Deliveries are kept for 30 days.'

export const delivery = page({
  path: '/settings/webhooks/{id}/deliveries/{delivery_id}',
  title: 'Delivery',
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
        notice: 'Sent again. The answer appears under Deliveries.',
      }
    }),
  }),
  async show(call) {
    const { id, delivery_id } = call.params
    const [found, webhook] = await Promise.all([
      findDelivery(call.reads, id, delivery_id),
      findWebhook(call.reads, id),
    ])
    if (!found || !webhook) throw new Refusal('not_found', missing)
    const facts = [
      ['Type', html`<code>${found.type}</code>`],
      ['Sequence', found.sequence],
      ['webhook-id', html`<code>msg_${found.message.replaceAll('-', '')}</code>`],
      ['Created', showInstant(found.createdAt)],
      ['Delivered', found.deliveredAt && showInstant(found.deliveredAt)],
      ['Attempts', found.attempts],
      ['Next attempt', found.nextAt && showNextAttempt(found, call.now)],
      ['Answer', formatAnswer(found)],
      ['Took', found.tookMs === null ? null : formatDuration(found.tookMs)],
    ] as const
    return {
      title: `Delivery ${found.id}`,
      lead: html`${showDeliveryState(found)} to <code>${webhook.url}</code>`,
      breadcrumbs: [...webhookBreadcrumbs, [webhook.description || webhook.url, `/settings/webhooks/${id}`]],
      content: html`${card('Details', showFacts(facts))}
${
  found.answer &&
  card(
    'What the receiver answered',
    html`<p class="hint">The first 1,024 characters.</p><pre tabindex="0">${found.answer}</pre>`,
  )
}
${card(
  'Send again',
  webhook.isEnabled
    ? html`<p>It is sent at once, under the same <code>webhook-id</code>, so that the receiver can tell that it has it already.</p>
${form(call, { action: 'send-again', submit: 'Send again', tone: 'quiet' })}`
    : html`<p>The webhook is switched off. Switch it on first.</p>`,
)}`,
    }
  },
})
