// What stands where nothing is yet, and what tells how something went. What is loading: ui/skeleton.ts.
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import type { Tone } from '../page/notices.ts'

/** Nothing is there: one sentence, and what to do about it. */
export const showEmpty = (sentence: Content, more?: Content): Html =>
  html`<div class="empty"><strong>${sentence}</strong>${more && html`<div>${more}</div>`}</div>`

/** `below` stands in it too, `more` are attributes of its box. */
export const showNotice = (
  tone: Tone,
  content: Content,
  below?: Content,
  more?: Parameters<typeof attributes>[0],
): Html =>
  html`<div class="notice ${tone}"${attributes({ role: tone === 'bad' ? 'alert' : 'status', ...more })}><p>${content}</p>${below}</div>`
