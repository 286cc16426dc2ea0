// Shows a new secret, which only this answer contains.
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { showLink } from '../ui/links.ts'

export function showSecret(call: Call, secret: string, more: Content = ''): Html {
  return html`<div class="card">
<div class="notice warn"><p>${t`Copy it now: nobody can see it again once you have left this page.`}</p></div>
<div class="copied"><code id="token">${secret}</code><button type="button" class="button quiet" data-copy="token" hidden>${t`Copy`}</button></div>
${more}
<div class="buttons">${showLink(call.link('/settings'), t`Done`, { class: 'button primary' })}</div></div>`
}
