// A section of a page in a card, labelled by its heading for screen readers too.
import { type Content, type Html, html } from '../../http/html.ts'

export function card(title: string, content: Content, id = title.toLowerCase().replaceAll(' ', '-')): Html {
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>`
}
