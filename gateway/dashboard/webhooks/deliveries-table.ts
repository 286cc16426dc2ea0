// The deliveries of a webhook, the newest first; it keeps itself up to date.
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { formatDuration } from '../time/durations.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { pagedTable, sliceOf } from '../ui/paging.ts'
import type { Column } from '../ui/tables.ts'
import { type DeliveryRow, listDeliveries } from './queries.ts'
import { formatAnswer, showDeliveryState, showNextAttempt } from './words.ts'

const ROWS_PER_PAGE = 20
const PAGES_MAX = 1_000

type Shown = { webhookId: number; number: number; isUndelivered: boolean }

export async function showDeliveries(call: Call, { webhookId, number, isUndelivered }: Shown): Promise<Html> {
  const found = await listDeliveries(call.reads, { webhookId, isUndelivered }, sliceOf(number, ROWS_PER_PAGE))
  const other = isUndelivered
    ? html`<a href="${call.linkHere({ page: null, undelivered: null })}">Show all</a>`
    : html`<a href="${call.linkHere({ page: null, undelivered: 'true' })}">Show only what is not delivered</a>`
  return html`<p>${other}</p>
${pagedTable(call, {
  caption: 'Deliveries',
  columns: columns(call, webhookId),
  found,
  rowsPerPage: ROWS_PER_PAGE,
  page: number,
  pagesMax: PAGES_MAX,
  empty: isUndelivered ? html`<p>Everything is delivered.</p>` : noDeliveries,
})}`
}

const noDeliveries = html`<p><strong>Nothing was sent in the last 30 days.</strong></p>
<p>Send a test, or change something that this webhook is told of.</p>`

function columns(call: Call, webhookId: number): Column<DeliveryRow>[] {
  return [
    {
      label: 'Type',
      isHead: true,
      show: ({ id, type }) =>
        html`<a href="${call.link(`/settings/webhooks/${webhookId}/deliveries/${id}`)}" aria-label="${type}, delivery ${id}">${type}</a>`,
    },
    { label: 'Created', show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    { label: 'State', show: showDeliveryState },
    { label: 'Answer', show: formatAnswer },
    { label: 'Took', isNumber: true, show: ({ tookMs }) => (tookMs === null ? '–' : formatDuration(tookMs)) },
    { label: 'Attempts', isNumber: true, show: ({ attempts }) => attempts },
    { label: 'Next attempt', show: (row) => showNextAttempt(row, call.now) },
  ]
}
