// Integrations: the page of a token's last requests, with the newest first.

import { object, queryFlag } from '../../../../shared/schemas/fields.ts'
import type { LoggedRequest } from '../../../../shared/tokens/tokens.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatDuration, showRelativeInstant } from '../../pages/time/instants.ts'
import { createPageSlice, pageNumber, showPagedTable } from '../../pages/ui/paging.ts'
import { type Column, showLink } from '../../pages/ui/parts.ts'
import { tokenPages } from './token-pages.ts'

const ROWS_PER_PAGE = 50

export const tokenRequestsPage = tokenPages.page({
  path: '/requests',
  title: sentence`Requests`,
  query: object({ page: pageNumber(), refused: queryFlag() }),
  async show(call, { id, name }) {
    const { requestLog } = call.services
    const title = t`Requests of “${name}”`
    if (!requestLog.isOn)
      return { title, content: html`<p>${t`The request log is switched off (REQUEST_LOG).`}</p>` }
    const { page, refused = false } = call.query
    const requests = (await requestLog.list(id)).filter(({ code }) => !refused || code !== null)
    const { offset, limit } = createPageSlice(page, ROWS_PER_PAGE)
    const other = refused
      ? showLink(call.linkHere({ page: null, refused: null }), t`Show all`)
      : showLink(call.linkHere({ page: null, refused: 'true' }), t`Show only refused requests`)
    const list = showPagedTable(call, {
      caption: t`Requests`,
      columns: createColumns(call),
      found: { rows: requests.slice(offset, offset + limit), total: requests.length },
      rowsPerPage: ROWS_PER_PAGE,
      page,
      empty: refused ? t`No request was refused in the last 7 days.` : t`No requests in the last 7 days.`,
    })
    const lead = t`The last 1,000 requests within 7 days, without their queries and bodies.`
    return { title, content: html`<p class="soft">${lead}</p><p>${other}</p>${list}` }
  },
})

function createColumns(call: Call): Column<LoggedRequest>[] {
  return [
    { label: t`Time`, isShort: true, show: ({ time }) => showRelativeInstant(time, call.now) },
    { label: t`Request`, isWide: true, show: ({ method, path }) => html`<code>${method} ${path}</code>` },
    { label: t`Status`, isNumber: true, show: ({ status }) => status },
    { label: t`Refusal`, show: ({ code }) => code && html`<code>${code}</code>` },
    { label: t`Duration`, isNumber: true, show: ({ duration_ms }) => formatDuration(duration_ms) },
    { label: t`Request ID`, show: ({ request_id }) => html`<code>${request_id}</code>` },
  ]
}
