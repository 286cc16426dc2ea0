// Shows empty states and notices. Loading states are in ui/skeleton.ts.
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import type { NoticeTone } from '../page/notices.ts'

/** Shows an empty state: one sentence, and what the user can do about it. */
export const showEmptyState = (sentence: Content, more?: Content): Html =>
  html`<div class="empty"><strong>${sentence}</strong>${more && html`<div>${more}</div>`}</div>`

/** Shows a notice. `below` is shown after the content. `more` has further attributes of the notice's box. */
export const showNotice = (
  tone: NoticeTone,
  content: Content,
  below?: Content,
  more?: Parameters<typeof formatAttributes>[0],
): Html =>
  html`<div class="notice ${tone}"${formatAttributes({ role: tone === 'bad' ? 'alert' : 'status', ...more })}><p>${content}</p>${below}</div>`
