// Settings: one webhook: its state, its deliveries, and its actions.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { choice, object, pathId, queryFlag, required } from '../../../shared/schemas/fields.ts'
import { addHours } from '../../../shared/utilities/date-times.ts'
import { requireReachable } from '../../../shared/webhooks/webhook-urls.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../kit/page.ts'
import { formatMessage, plural, sentence, t, tHtml, translate } from '../locales/translate.ts'
import { findCommonZone } from '../search/choices.ts'
import { showInstant, showRelativeInstant } from '../time/instants.ts'
import { card } from '../ui/cards.ts'
import { showFacts } from '../ui/facts.ts'
import { form } from '../ui/forms.ts'
import { showLink } from '../ui/links.ts'
import { pageNumber } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import { showDeliveries } from './deliveries-table.ts'
import { parseTypes, secretView, webhookBreadcrumbs, webhookFields, webhookForm } from './fields.ts'
import { DELIVERY_ORDERS, findWebhook, missingWebhook, type WebhookRow } from './queries.ts'
import { showWebhookState } from './words.ts'

const HOURS = ['1', '24', '168', '720'] as const
const periods = [
  { value: '1', label: sentence`In the last hour` },
  { value: '24', label: sentence`In the last day` },
  { value: '168', label: sentence`In the last week` },
  { value: '720', label: sentence`In the last 30 days` },
]

const sinceForm = object({
  hours: required(choice(HOURS, (name) => message`${name} must be one of the choices.`)),
})

export const webhook = page({
  path: '/settings/webhooks/{id}',
  title: sentence`Webhook`,
  section: 'Settings',
  params: object({ id: pathId() }),
  query: object({ sort: sortChoice(DELIVERY_ORDERS), page: pageNumber(1_000), undelivered: queryFlag() }),
  missing: missingWebhook,
  live: {
    deliveries: {
      everySeconds: 3,
      show: (call) =>
        showDeliveries(call, {
          webhookId: call.params.id,
          number: call.query.page,
          isUndelivered: call.query.undelivered ?? false,
          asked: parseSort(call.query.sort, '-created'),
        }),
    },
  },
  actions: (action) => ({
    save: action(webhookForm, async (call) => {
      const { url, description = '' } = requireReachable(call.form, call.services.config)
      await call.dispatch('webhooks.update', {
        id: call.params.id,
        url,
        description,
        types: parseTypes(call.form),
      })
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
    enable: action(object({}), async (call) => {
      await call.dispatch('webhooks.update', { id: call.params.id, enabled: true })
      return { redirectTo: call.linkHere(), notice: t`Switched on. What was waiting is sent now.` }
    }),
    disable: action(object({}), async (call) => {
      await call.dispatch('webhooks.update', { id: call.params.id, enabled: false })
      return { redirectTo: call.linkHere(), notice: t`Switched off.` }
    }),
    test: action(object({}), async (call) => {
      await call.dispatch('webhook-deliveries.test', { webhook_id: call.params.id })
      return { redirectTo: call.linkHere(), notice: t`Test sent. The answer appears under Deliveries.` }
    }),
    'send-failed': action(sinceForm, async (call) => {
      const since = addHours(call.now, -Number(call.form.hours))
      const { data } = await call.dispatch('webhook-deliveries.send-failed', {
        webhook_id: call.params.id,
        since,
      })
      const sent = plural(data.deliveries, '# delivery is sent again.', '# deliveries are sent again.')
      return {
        redirectTo: call.linkHere(),
        notice: data.has_more ? `${sent} ${t`More remain. Resend again.`}` : sent,
      }
    }),
    'rotate-secret': action(object({}), async (call) => {
      const { data } = await call.dispatch('webhooks.rotate-secret', { id: call.params.id })
      const receiver = html`<strong>${data.description || data.url}</strong>`
      return {
        show: secretView(call, {
          title: t`New secret`,
          lead: tHtml`Deliveries to ${receiver} are signed with this secret now, and for 24 hours with the one before too.`,
          secret: data.secret,
          id: data.id,
        }),
      }
    }),
  }),
  async show(call) {
    const [found, zone] = await Promise.all([
      findWebhook(call.reads, call.params.id),
      findCommonZone(call.reads),
    ])
    if (!found) throw new Refusal('not_found', missingWebhook)
    return {
      title: found.description || t`Webhook`,
      lead: html`${showWebhookState(found)} <code>${found.url}</code>`,
      breadcrumbs: webhookBreadcrumbs(),
      content: html`${warning(found)}
${card(t`State`, state(call, found, zone))}
${card(t`Deliveries`, html`${await call.live('deliveries')}${found.isEnabled && html`<p class="soft">${t`What was tried and not delivered can be sent again at once.`}</p>${sendFailed(call)}`}`)}
${card(
  t`Details`,
  html`<div class="narrow">${form(call, { action: 'save', submit: t`Save changes` }, (fields) =>
    webhookFields(fields, found),
  )}</div>`,
)}
${card(t`Secret`, secret(call, found, zone))}
${card(t`Delete`, html`<p>${showLink(call.link(`/settings/webhooks/${found.id}/delete`), t`Delete webhook`, { class: 'button danger' })}</p>`)}`,
    }
  },
})

const warning = ({ disabledReason }: WebhookRow) =>
  disabledReason !== null &&
  html`<div class="notice bad" role="status"><p><strong>${t`Berth has switched this webhook off.`}</strong> ${formatMessage({ text: disabledReason })}</p>
<p>${t`Switch it on again when the receiver works, and resend what failed.`}</p></div>`

function state(
  call: Call,
  { isEnabled, disabledReason, failingSince, lastDeliveredAt, createdAt }: WebhookRow,
  zone: string,
): Html {
  const facts = showFacts([
    [t`Created`, showInstant(createdAt, zone)],
    [t`Last delivered`, lastDeliveredAt === null ? t`never` : showRelativeInstant(lastDeliveredAt, call.now)],
    [t`Failing since`, failingSince && showInstant(failingSince, zone)],
  ])
  if (!isEnabled)
    return html`${facts}<p>${t`Nothing is sent. Changes made while it is off are not sent later.`}</p>
<div class="buttons">${form(call, { action: 'enable', submit: t`Switch on`, isInline: true })}
${disabledReason !== null && form(call, { action: 'disable', submit: t`Leave it off`, tone: 'quiet', isInline: true })}</div>`
  return html`${facts}<div class="buttons">${form(call, { action: 'test', submit: t`Send test`, isInline: true })}
${form(call, { action: 'disable', submit: t`Switch off`, tone: 'quiet', isInline: true })}</div>`
}

const sendFailed = (call: Call) =>
  form(
    call,
    {
      action: 'send-failed',
      submit: t`Resend`,
      tone: 'quiet',
      isInline: true,
      submitLabel: t`Resend all failed deliveries`,
    },
    (fields) =>
      fields.select({
        name: 'hours',
        label: t`All failed deliveries`,
        options: periods.map(({ value, label }) => ({ value, label: translate(label) })),
        value: '24',
        required: true,
      }),
  )

const secret = (call: Call, { previousSecretUntil }: WebhookRow, zone: string) =>
  html`<p>${t`Deliveries are signed with it. A new one is shown once, and the current one keeps signing for 24 hours.`}${
    previousSecretUntil !== null &&
    html` ${tHtml`The previous secret signs until ${showInstant(previousSecretUntil, zone)}. Creating a new one replaces it.`}`
  }</p>
${form(call, { action: 'rotate-secret', submit: t`Create new secret`, tone: 'quiet' })}`
