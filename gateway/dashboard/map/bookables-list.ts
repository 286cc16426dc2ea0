// The map in words: its bookables as a list beside it.
import { type Html, html } from '../../http/html.ts'
import { plural, t } from '../language/translate.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import type { MapBookable } from './queries.ts'
import { showState } from './states.ts'

// Beside more of them nobody reads the list: the map, the search and the table of the location have them all.
const LISTED_MAX = 60

type ListOptions = {
  /** Of each one, where it is shown. */
  addressOf(one: MapBookable): string
  describe(one: MapBookable): string
  /** Where all of them are listed. */
  all: string
}

export function bookablesList(bookables: MapBookable[], { addressOf, describe, all }: ListOptions): Html {
  const entries = bookables.slice(0, LISTED_MAX).map(
    (each) => html`<li><p>${showLinkOrText(addressOf(each), each.name)} ${showState(each)}</p>
<p>${describe(each)}.</p></li>`,
  )
  const more = bookables.length - entries.length
  return html`<ul class="rows">${entries}</ul>${
    more > 0 &&
    html`<p class="soft">${plural(more, '# more is on the map.', '# more are on the map.')} ${showLink(all, t`Search all of them`)}</p>`
  }`
}
