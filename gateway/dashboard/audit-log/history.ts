// The history of one thing, shown on its own page: the newest entries of the audit log as sentences, and a
// link to all of them.
import { includesRole } from '../../../shared/administrators/roles.ts'
import { type Content, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { findCommonZone } from '../search/choices.ts'
import { showInstant } from '../time/instants.ts'
import { showLink } from '../ui/parts.ts'
import { findHistory } from './about.ts'
import { showActor } from './audit-log.ts'
import { showSentence } from './describe-entry.ts'
import { findNames } from './things.ts'

const SHOWN_MAX = 8

/** Empty for viewers who may not see the audit log. `zone` is the time zone of the place, if it has one. */
export async function showHistory(call: Call, resource: string, id: number, zone?: string): Promise<Content> {
  if (!includesRole(call.requireAdmin().role, 'administrator')) return null
  const found = await findHistory(call.reads, { resource, id, limit: SHOWN_MAX + 1 })
  const entries = found.slice(0, SHOWN_MAX)
  const [names, common] = await Promise.all([
    findNames(call.reads, entries),
    zone ?? findCommonZone(call.reads),
  ])
  const items = entries.map(
    (entry) => html`<li><p>${showActor(entry)} ${showSentence({ call, names, zone: common }, entry)}.</p>
<p class="soft">${showInstant(entry.at, common)} · ${showLink(call.link(`/audit-log/${entry.id}`), t`Details`, { 'aria-label': t`Details of entry ${entry.id}` })}</p></li>`,
  )
  return html`<section class="card" aria-labelledby="history"><h2 id="history">${t`History`}</h2>
${items.length === 0 ? html`<p>${t`Nothing has been recorded yet.`}</p>` : html`<ul class="rows">${items}</ul>`}
${items.length > 0 && html`<p>${showLink(call.link('/audit-log', { what: resource, id, whole: 'true' }), t`View in audit log`)}</p>`}</section>`
}
