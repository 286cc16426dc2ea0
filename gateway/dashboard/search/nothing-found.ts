// What to do where a search by days found nothing: its last part is offered to those only who may do it.
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { tHtml } from '../language/translate.ts'

export function tryOthers(call: Call, all: Html, address: string, words: string): Html {
  if (!call.mayOpen(address)) return tHtml`Try other days or fewer words, or ${all}.`
  const create = html`<a href="${address}">${words}</a>`
  return tHtml`Try other days or fewer words, ${all}, or ${create}.`
}
