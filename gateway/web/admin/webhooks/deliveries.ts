// Integrations: the list of a webhook's deliveries, and the page of one delivery: its state, the response,
// and a button that sends it again.

import { Refusal } from '../../../../shared/messages/refusal.ts'
import { writeEnglish } from '../../../../shared/messages/write-message.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { COUNTED_ROWS_MAX } from '../../../reads/rows/slices.ts'
import { formatMessage, sentence, t, tHtml } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { formatDuration, showInstant, showRelativeInstant } from '../../pages/time/instants.ts'
import { form } from '../../pages/ui/forms.ts'
import { createPageSlice, showPagedTable } from '../../pages/ui/paging.ts'
import {
  type Column,
  formatNumber,
  showCard,
  showFactList,
  showLink,
  showLinkOrText,
} from '../../pages/ui/parts.ts'
import type { Order } from '../../pages/ui/sorting.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import {
  type DeliveryOrder,
  type DeliveryRow,
  type DeliverySearch,
  findDeliveryOrder,
  findWebhook,
  listDeliveries,
  missingDelivery,
  requireDelivery,
} from './queries.ts'
import { webhookPages } from './webhooks.ts'

const ROWS_PER_PAGE = 20
const PAGES_MAX = 1_000

type DeliveryListOptions = DeliverySearch & { number: number; asked: Order<DeliveryOrder> }

/** Shows the deliveries of a webhook, by default with the newest first. */
export async function showDeliveries(
  call: Call,
  { number, asked, ...search }: DeliveryListOptions,
): Promise<Html> {
  const { webhookId, isUndelivered } = search
  const order = await findDeliveryOrder(call.reads, search, asked)
  const found = await listDeliveries(call.reads, search, createPageSlice(number, ROWS_PER_PAGE), order)
  const other = isUndelivered
    ? showLink(call.linkHere({ page: null, undelivered: null }), t`Show all`)
    : showLink(call.linkHere({ page: null, undelivered: 'true' }), t`Show only undelivered`)
  return html`<p>${other}</p>
${order.key !== asked.key && html`<p class="soft">${t`More than ${formatNumber(COUNTED_ROWS_MAX)} entries match, so they cannot be sorted by this column. The newest come first.`}</p>`}
${showPagedTable(call, {
  caption: t`Deliveries`,
  columns: createColumns(call, webhookId),
  found,
  rowsPerPage: ROWS_PER_PAGE,
  page: number,
  pagesMax: PAGES_MAX,
  order,
  empty: isUndelivered
    ? html`<p>${t`All changes have been delivered.`}</p>`
    : showEmptyState(
        t`Nothing was sent in the last 30 days.`,
        t`Send a test, or change something that this webhook covers.`,
      ),
})}`
}

function createColumns(call: Call, webhookId: number): Column<DeliveryRow>[] {
  return [
    {
      label: t`Type`,
      sort: 'type',
      show: ({ id, type }) =>
        showLinkOrText(call.link(`/integrations/webhooks/${webhookId}/deliveries/${id}`), type, {
          'aria-label': t`${type}, delivery ${id}`,
        }),
    },
    { label: t`Created`, sort: 'created', show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    { label: t`State`, sort: 'state', show: showDeliveryState },
    { label: t`Answer`, sort: 'answer', show: formatAnswer },
    { label: t`Duration`, isNumber: true, sort: 'took', show: (row) => formatResponseTime(row) ?? '–' },
    { label: t`Attempts`, isNumber: true, sort: 'attempts', show: ({ attempts }) => attempts },
    {
      label: t`Next attempt`,
      sort: 'next',
      isShort: true,
      show: (row) => showNextAttempt(row, call.now) ?? '–',
    },
  ]
}

export const deliveryPage = definePage({
  path: '/integrations/webhooks/{id}/deliveries/{delivery_id}',
  title: sentence`Delivery`,
  section: 'Integrations',
  params: object({ id: pathId(), delivery_id: pathId() }),
  missing: missingDelivery,
  actions: (action) => ({
    'send-again': action(object({}), async (call) => {
      const { id: webhook_id, delivery_id: id } = call.params
      await call.dispatch('webhook-deliveries.send-again', { webhook_id, id })
      return {
        redirectTo: call.link(`/integrations/webhooks/${webhook_id}`),
        notice: t`Sent again. The answer appears under Deliveries.`,
      }
    }),
  }),
  async show(call) {
    const { id, delivery_id } = call.params
    const [found, webhook, zone] = await Promise.all([
      requireDelivery(call.reads, id, delivery_id),
      findWebhook(call.reads, id),
      findCommonZone(call.reads),
    ])
    if (!webhook) throw new Refusal('not_found', missingDelivery)
    return {
      title: t`Delivery ${found.id}`,
      lead: html`${showDeliveryState(found)} ${tHtml`to ${html`<code>${webhook.url}</code>`}`}`,
      breadcrumbs: webhookPages.breadcrumbs(webhook, call),
      content: html`${showCard(t`Details`, showFacts(call, found, zone))}
${
  found.answer &&
  showCard(
    t`Response from the receiver`,
    html`<p class="hint">${t`The first 1,024 characters.`}</p><pre tabindex="0">${found.answer}</pre>`,
  )
}
${showCard(
  t`Resend`,
  webhook.isEnabled
    ? html`<p>${tHtml`Berth resends the delivery immediately, with the same ${html`<code>webhook-id</code>`}, so that the receiver can recognize a duplicate.`}</p>
${form(call, { action: 'send-again', submit: t`Resend`, tone: 'quiet' })}`
    : html`<p>${t`The webhook is switched off. Switch it on first.`}</p>`,
)}`,
    }
  },
})

const showFacts = (call: Call, found: DeliveryRow, zone: string) =>
  showFactList([
    [t`Type`, html`<code>${found.type}</code>`],
    [t`ID`, found.resourceId],
    [t`Sequence number`, found.sequence],
    [t`webhook-id`, html`<code>${found.message}</code>`],
    [t`Created`, showInstant(found.createdAt, zone)],
    [t`Delivered`, found.deliveredAt && showInstant(found.deliveredAt, zone)],
    [t`Attempts`, found.attempts],
    [t`Next attempt`, showNextAttempt(found, call.now)],
    [t`Answer`, formatAnswer(found)],
    [t`Duration`, formatResponseTime(found)],
  ])

function showDeliveryState({ deliveredAt, nextAt, attempts, tookMs }: DeliveryRow): Html {
  if (deliveredAt !== null) return html`${t`delivered`}`
  if (nextAt === null) return html`<span class="badge bad">${t`failed`}</span>`
  // The current attempt is in progress, or the first attempt has not started.
  if (attempts === 0 || tookMs === null) return html`<span class="badge">${t`waiting`}</span>`
  return html`<span class="badge warn">${t`trying again`}</span>`
}

/** Shows the status of the response, or why there was no response. */
function formatAnswer({ status, error, errorMessage }: DeliveryRow): string {
  if (status !== null) return String(status)
  if (error === null) return '–'
  // The previous release, which may have made the last attempt, stores only the sentence.
  const isOfThisAttempt = errorMessage !== null && writeEnglish(errorMessage) === error
  return isOfThisAttempt ? formatMessage(errorMessage) : error
}

const formatResponseTime = ({ tookMs }: DeliveryRow) => (tookMs === null ? null : formatDuration(tookMs))

function showNextAttempt({ nextAt, tookMs }: DeliveryRow, now: string): Html | string | null {
  if (nextAt === null) return null
  return tookMs === null || nextAt <= now ? t`now` : showRelativeInstant(nextAt, now)
}
