// The “…” menu beside the main button of a page or a panel, with the other actions. It opens without scripts;
// browser/navigation.ts closes it.

import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../page/page.ts'
import { showLink } from './parts.ts'

/** Shows the menu. `items` are links and inline forms. Returns null if the viewer may use none of them.
 * `about` names the menu's subject if the page has several menus. */
export function showMoreMenu(items: Content[], about?: string): Html | null {
  const shown = items.filter((item) => item !== null && item !== undefined && item !== false)
  if (shown.length === 0) return null
  const label = about === undefined ? t`More actions` : t`More actions for ${about}`
  return html`<details class="actions"><summary${formatAttributes({ class: 'button quiet', 'aria-label': label, title: label })}>…</summary>
<ul>${shown.map((item) => html`<li>${item}</li>`)}</ul></details>`
}

/** Links to the downloads `csv` and `xlsx` of a page, for its menu. */
export const createExportItems = (call: Call): Content[] =>
  ['csv', 'xlsx'].map((format) => showLink(call.download(format), t`Export as ${format}`, { download: true }))
