// Settings: the list of webhooks and their states.
import { object } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { showRelativeInstant } from '../time/instants.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { pagedTable, pageNumber, sliceOf } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import type { Column } from '../ui/tables.ts'
import { listWebhooks, WEBHOOK_ORDERS, type WebhookRow } from './queries.ts'
import { showWebhookState } from './words.ts'

const ROWS_PER_PAGE = 50

export const webhooks = page({
  path: '/settings/webhooks',
  title: sentence`Webhooks`,
  section: 'Settings',
  query: object({ sort: sortChoice(WEBHOOK_ORDERS), page: pageNumber() }),
  async show(call) {
    const { page: number, sort } = call.query
    const order = parseSort(sort, 'created')
    const found = await listWebhooks(call.reads, sliceOf(number, ROWS_PER_PAGE), order)
    return {
      lead: t`They tell other programs what changes here, within seconds.`,
      breadcrumbs: [[t`Settings`, '/settings']],
      tools: showLink(call.link('/settings/webhooks/new'), t`New webhook`, { class: 'button primary' }),
      content: pagedTable(call, {
        caption: t`Webhooks`,
        columns: columns(call),
        found,
        rowsPerPage: ROWS_PER_PAGE,
        page: number,
        order,
        empty: noWebhooks(),
      }),
    }
  },
})

const noWebhooks = () => html`<p><strong>${t`No webhooks yet.`}</strong></p>
<p>${t`Create one for each program that needs to know about changes.`}</p>`

function columns(call: Call): Column<WebhookRow>[] {
  return [
    {
      label: t`Receiver`,
      isHead: true,
      sort: 'receiver',
      show: ({ id, url, description }) =>
        showLinkOrText(call.link(`/settings/webhooks/${id}`), description || url),
    },
    { label: t`State`, show: showWebhookState },
    { label: t`URL`, sort: 'url', show: ({ url }) => html`<code>${url}</code>` },
    { label: t`Sends`, show: ({ types }) => types.map((each) => html`<span class="badge">${each}</span> `) },
    {
      label: t`Last delivered`,
      show: ({ lastDeliveredAt }) =>
        lastDeliveredAt === null ? t`never` : showRelativeInstant(lastDeliveredAt, call.now),
    },
  ]
}
