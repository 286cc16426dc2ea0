// Shows what users copy: lines of code, and secrets that only one answer contains.
import { attributes, type Content, type Html, html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import { showLink } from './links.ts'

/** `label` describes the button to screen readers. */
export function copyable(id: string, text: string, label?: string): Html {
  const own = attributes({ 'data-copy': id, 'aria-label': label, hidden: true })
  return html`<div class="copied"><code id="${id}">${text}</code><button type="button" class="button quiet"${own}>${t`Copy`}</button></div>`
}

/** `done`: where the user goes once they have copied the secret. */
type Shown = { id: string; secret: string; done: string; before?: Html; warning?: Content; after?: Content }

export function secretCard({ id, secret, done, before, warning, after }: Shown): Html {
  return html`<div class="card">
${before}<div class="notice warn"><p>${warning ?? t`Copy it now: nobody can see it again once you have left this page.`}</p></div>
${copyable(id, secret)}
${after}
<div class="buttons">${showLink(done, t`Done`, { class: 'button primary' })}</div></div>`
}
