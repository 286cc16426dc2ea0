// Shows administrators which webhooks Berth has disabled. Without monitoring, nothing else would tell them.
import { includesRole } from '../../../shared/administrators/roles.ts'
import { type Content, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { formatMessage, t, tHtml } from '../locales/translate.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { listDisabledWebhooks } from './queries.ts'

const NAMED_MAX = 5

export async function showDisabledWebhooks(call: Call): Promise<Content> {
  if (!includesRole(call.requireAdmin().role, 'administrator')) return null
  const found = await listDisabledWebhooks(call.reads, NAMED_MAX + 1)
  if (found.length === 0) return null
  const sentences = found.slice(0, NAMED_MAX).map(({ id, name, reason }) => {
    const link = showLinkOrText(call.link(`/settings/webhooks/${id}`), name)
    return html`<p>${tHtml`Berth has switched off the webhook ${link}.`} ${formatMessage({ text: reason })}</p>`
  })
  return html`<div class="notice warn" role="status">${sentences}
${found.length > NAMED_MAX && html`<p>${showLink(call.link('/settings/webhooks'), t`All webhooks`)}</p>`}</div>`
}
