// The map in words: its bookables as a list next to it.
import { type Html, html } from '../../http/html.ts'
import { plural, t } from '../locales/translate.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import type { MapBookable } from './queries.ts'
import { showState } from './states.ts'

// Nobody reads a longer list: the map, the search and the location's table show all bookables.
const LISTED_MAX = 60

type ListOptions = {
  /** The address that shows the bookable. */
  addressOf(one: MapBookable): string
  describe(one: MapBookable): string
  /** The address that lists all bookables. */
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
    html`<p class="soft">${plural(more, '# more on the map.', '# more on the map.')} ${showLink(all, t`Search all`)}</p>`
  }`
}
