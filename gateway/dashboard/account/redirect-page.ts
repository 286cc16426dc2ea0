// The page between ours and one of the provider: the browser continues automatically, or by a link if it does
// not.
import { html } from '../../http/html.ts'
import type { ActionResult } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { showLink } from '../ui/links.ts'

export function redirectView(address: string, title: string, notice?: string): ActionResult {
  const content = html`<div class="card narrow"><p>${t`You will be redirected in a moment.`}</p>
<div class="buttons">${showLink(address, t`Continue`, { class: 'button primary' })}</div></div>`
  return { externalRedirectTo: address, show: { title, content }, notice }
}
