// Empty states and notices. Loading states are in ui/skeleton.ts.
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import type { Tone } from '../page/notices.ts'

/** An empty state: one sentence, and what to do about it. */
export const showEmpty = (sentence: Content, more?: Content): Html =>
  html`<div class="empty"><strong>${sentence}</strong>${more && html`<div>${more}</div>`}</div>`

/** `below` follows the content; `more` are attributes of the box. */
export const showNotice = (
  tone: Tone,
  content: Content,
  below?: Content,
  more?: Parameters<typeof attributes>[0],
): Html =>
  html`<div class="notice ${tone}"${attributes({ role: tone === 'bad' ? 'alert' : 'status', ...more })}><p>${content}</p>${below}</div>`
