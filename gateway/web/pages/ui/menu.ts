// The “…” beside the main button of a page or a panel: what else can be done there. It opens without scripts;
// browser/navigation.ts closes it.

import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { showLink } from './parts.ts'

/** `items` are links and inline forms. Null if the viewer may use none of them. `about` names the thing, where there are several. */
export function moreMenu(items: Content[], about?: string): Html | null {
  const shown = items.filter((item) => item !== null && item !== undefined && item !== false)
  if (shown.length === 0) return null
  const label = about === undefined ? t`More actions` : t`More actions for ${about}`
  return html`<details class="actions"><summary${attributes({ class: 'button quiet', 'aria-label': label, title: label })}>…</summary>
<ul>${shown.map((item) => html`<li>${item}</li>`)}</ul></details>`
}

/** The downloads `csv` and `xlsx` of a page, for its menu. */
export const exportItems = (call: Call): Content[] =>
  ['csv', 'xlsx'].map((format) => showLink(call.download(format), t`Export as ${format}`, { download: true }))
