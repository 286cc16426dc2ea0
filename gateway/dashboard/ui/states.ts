// What stands where nothing is yet, and what tells how something went. What is loading: ui/skeleton.ts.
import { attributes, type Content, type Html, html } from '../../http/html.ts'

/** Nothing is there: one sentence, and what to do about it. */
export const showEmpty = (sentence: Content, more?: Content): Html =>
  html`<div class="empty"><strong>${sentence}</strong>${more && html`<div>${more}</div>`}</div>`

/** It worked, needs attention, or failed. */
export const showNotice = (tone: string, content: Content): Html =>
  html`<div class="notice ${tone}"${attributes({ role: tone === 'bad' ? 'alert' : 'status' })}><p>${content}</p></div>`
