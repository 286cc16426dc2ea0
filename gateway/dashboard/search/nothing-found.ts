// Suggests what to do if a search by days found nothing. Only viewers who may take the last suggestion see
// it.
import type { Html } from '../../http/html.ts'
import { mayOpen } from '../kit/roles.ts'
import { tHtml } from '../locales/translate.ts'
import { showLinkOrText } from '../ui/links.ts'

export function suggestOtherSearch(all: Html, address: string, words: string): Html {
  if (!mayOpen(address)) return tHtml`Try other days or fewer words, or ${all}.`
  return tHtml`Try other days or fewer words, ${all}, or ${showLinkOrText(address, words)}.`
}
