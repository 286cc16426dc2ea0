// The deliveries of a webhook, newest first by default. The table keeps itself up to date.
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { formatDuration } from '../time/durations.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { COUNTED_MAX, pagedTable, sliceOf } from '../ui/paging.ts'
import type { Order } from '../ui/sorting.ts'
import type { Column } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import {
  type DeliveryOrder,
  type DeliveryRow,
  type DeliverySearch,
  findDeliveryOrder,
  listDeliveries,
} from './queries.ts'
import { formatAnswer, showDeliveryState, showNextAttempt } from './words.ts'

const ROWS_PER_PAGE = 20
const PAGES_MAX = 1_000

type Shown = DeliverySearch & { number: number; asked: Order<DeliveryOrder> }

export async function showDeliveries(call: Call, { number, asked, ...search }: Shown): Promise<Html> {
  const { webhookId, isUndelivered } = search
  const order = await findDeliveryOrder(call.reads, search, asked)
  const found = await listDeliveries(call.reads, search, sliceOf(number, ROWS_PER_PAGE), order)
  const other = isUndelivered
    ? showLink(call.linkHere({ page: null, undelivered: null }), t`Show all`)
    : showLink(call.linkHere({ page: null, undelivered: 'true' }), t`Show only what is not delivered`)
  return html`<p>${other}</p>
${order.key !== asked.key && tooManyToSort()}
${pagedTable(call, {
  caption: t`Deliveries`,
  columns: columns(call, webhookId),
  found,
  rowsPerPage: ROWS_PER_PAGE,
  page: number,
  pagesMax: PAGES_MAX,
  order,
  empty: isUndelivered ? html`<p>${t`Everything is delivered.`}</p>` : noDeliveries(),
})}`
}

const tooManyToSort = () =>
  html`<p class="soft">${t`More than ${formatNumber(COUNTED_MAX)} are found, so they cannot be sorted by this column. The newest are first.`}</p>`

const noDeliveries = () => html`<p><strong>${t`Nothing was sent in the last 30 days.`}</strong></p>
<p>${t`Send a test, or change something that this webhook covers.`}</p>`

function columns(call: Call, webhookId: number): Column<DeliveryRow>[] {
  return [
    {
      label: t`Type`,
      isHead: true,
      sort: 'type',
      show: ({ id, type }) =>
        showLinkOrText(call.link(`/settings/webhooks/${webhookId}/deliveries/${id}`), type, {
          'aria-label': t`${type}, delivery ${id}`,
        }),
    },
    { label: t`Created`, sort: 'created', show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    { label: t`State`, sort: 'state', show: showDeliveryState },
    { label: t`Answer`, sort: 'answer', show: formatAnswer },
    {
      label: t`Took`,
      isNumber: true,
      sort: 'took',
      show: ({ tookMs }) => (tookMs === null ? '–' : formatDuration(tookMs)),
    },
    { label: t`Attempts`, isNumber: true, sort: 'attempts', show: ({ attempts }) => attempts },
    { label: t`Next attempt`, sort: 'next', show: (row) => showNextAttempt(row, call.now) },
  ]
}
