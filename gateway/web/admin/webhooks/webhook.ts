// Integrations: the page of one webhook, with its state, its deliveries, and its actions.
import { object, queryFlag, required } from '../../../../shared/schemas/fields.ts'
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { requirePublicUrl } from '../../../../shared/webhooks/webhook-urls.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, plural, sentence, t, tHtml } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showInstant, showRelativeInstant } from '../../pages/time/instants.ts'
import { choices } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { pageNumber } from '../../pages/ui/paging.ts'
import { showCard, showFactList, showLink } from '../../pages/ui/parts.ts'
import { parseSort, sortChoice } from '../../pages/ui/sorting.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { showDeliveries } from './deliveries.ts'
import { DELIVERY_ORDERS, type WebhookRow } from './queries.ts'
import {
  parseTypes,
  showSecretOnce,
  showWebhookFields,
  showWebhookState,
  webhookForm,
  webhookPages,
} from './webhooks.ts'

/** The choices of the period to resend, in hours. */
const PERIOD_CHOICES = choices(
  ['1', sentence`In the last hour`],
  ['24', sentence`In the last day`],
  ['168', sentence`In the last week`],
  ['720', sentence`In the last 30 days`],
)

export const webhookPage = webhookPages.page({
  title: sentence`Webhook`,
  query: object({ sort: sortChoice(DELIVERY_ORDERS), page: pageNumber(1_000), undelivered: queryFlag() }),
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
      const { url, description } = requirePublicUrl(call.form, call.services.config)
      const types = parseTypes(call.form)
      const { version } = call
      await call.dispatch('webhooks.update', { id: call.params.id, version, url, description, types })
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
    enable: action(object({}), async (call) => {
      await call.dispatch('webhooks.update', { id: call.params.id, enabled: true })
      return { redirectTo: call.linkHere(), notice: t`Switched on. Waiting deliveries are being sent.` }
    }),
    disable: action(object({}), async (call) => {
      await call.dispatch('webhooks.update', { id: call.params.id, enabled: false })
      return { redirectTo: call.linkHere(), notice: t`Switched off.` }
    }),
    test: action(object({}), async (call) => {
      await call.dispatch('webhook-deliveries.test', { webhook_id: call.params.id })
      return { redirectTo: call.linkHere(), notice: t`Test sent. The answer appears under Deliveries.` }
    }),
    'send-failed': action(object({ hours: required(PERIOD_CHOICES.rule()) }), async (call) => {
      const since = addHours(call.now, -Number(call.form.hours))
      const sending = { webhook_id: call.params.id, since }
      const { data } = await call.dispatch('webhook-deliveries.send-failed', sending)
      const sent = plural(data.deliveries, '# delivery is being resent.', '# deliveries are being resent.')
      return {
        redirectTo: call.linkHere(),
        notice: data.has_more ? `${sent} ${t`More remain. Resend again.`}` : sent,
      }
    }),
    'rotate-secret': action(object({}), async (call) => {
      const { data } = await call.dispatch('webhooks.rotate-secret', { id: call.params.id })
      const receiver = html`<strong>${data.description || data.url}</strong>`
      const lead = tHtml`Deliveries to ${receiver} are now signed with this secret and, for 24 hours, also with the previous one.`
      return { show: showSecretOnce(call, data, t`New secret`, lead) }
    }),
  }),
  async show(call, found) {
    const zone = await findCommonZone(call.reads)
    const save = { action: 'save', submit: t`Save changes`, version: found.version }
    const details = form(call, save, (fields) => showWebhookFields(fields, found))
    return {
      title: found.description || t`Webhook`,
      lead: html`${showWebhookState(found)} <code>${found.url}</code>`,
      tools: showMoreMenu([
        showLink(call.link(`/integrations/webhooks/${found.id}/delete`), t`Delete webhook`, {
          class: 'danger',
        }),
      ]),
      content: html`${showWarning(found)}
${showCard(t`State`, showState(call, found, zone))}
${showCard(t`Deliveries`, html`${await call.live('deliveries')}${found.isEnabled && html`<p class="soft">${t`You can resend all failed deliveries together.`}</p>${showResendForm(call)}`}`)}
${showCard(t`Details`, html`<div class="narrow">${details}</div>`)}
${showCard(t`Secret`, showSecret(call, found, zone))}`,
    }
  },
})

const showWarning = ({ disabledReason }: WebhookRow) =>
  disabledReason !== null &&
  showNotice(
    'bad',
    html`<strong>${t`Berth has switched this webhook off.`}</strong> ${formatMessage({ text: disabledReason })}`,
    html`<p>${t`Switch the webhook on again when the receiver works, and resend the failed deliveries.`}</p>`,
  )

function showState(
  call: Call,
  { isEnabled, disabledReason, failingSince, lastDeliveredAt, createdAt }: WebhookRow,
  zone: string,
): Html {
  const facts = showFactList([
    [t`Created`, showInstant(createdAt, zone)],
    [t`Last delivered`, lastDeliveredAt === null ? t`never` : showRelativeInstant(lastDeliveredAt, call.now)],
    [t`Failing since`, failingSince && showInstant(failingSince, zone)],
  ])
  if (!isEnabled)
    return html`${facts}<p>${t`While the webhook is off, Berth sends nothing to it. Changes made in that time are not sent later either.`}</p>
<div class="buttons">${form(call, { action: 'enable', submit: t`Switch on`, isInline: true })}
${disabledReason !== null && form(call, { action: 'disable', submit: t`Keep the webhook off`, tone: 'quiet', isInline: true })}</div>`
  return html`${facts}<div class="buttons">${form(call, { action: 'test', submit: t`Send test`, isInline: true })}
${form(call, { action: 'disable', submit: t`Switch off`, tone: 'quiet', isInline: true })}</div>`
}

function showResendForm(call: Call): Html {
  const submitLabel = t`Resend all failed deliveries`
  const options = {
    action: 'send-failed',
    submit: t`Resend`,
    submitLabel,
    tone: 'quiet',
    isInline: true,
  } as const
  const label = t`All failed deliveries`
  return form(call, options, (fields) =>
    fields.select('hours', label, { options: PERIOD_CHOICES.options(), value: '24' }),
  )
}

const showSecret = (call: Call, { previousSecretUntil }: WebhookRow, zone: string) =>
  html`<p>${t`Berth signs deliveries with this secret. A new secret is shown once, and the current one stays in use for 24 hours.`}${
    previousSecretUntil !== null &&
    html` ${tHtml`The previous secret is valid until ${showInstant(previousSecretUntil, zone)}. If you create a new secret, the previous one stops working.`}`
  }</p>
${form(call, { action: 'rotate-secret', submit: t`Create new secret`, tone: 'quiet' })}`
