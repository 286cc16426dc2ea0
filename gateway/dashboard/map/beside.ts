// What stands beside the map: links to the building's other floors, and the bookables as a list that names
// people as chosen. It updates with the map, because its moment may have changed.

import { stateOf } from '../../api/livemap/picture.ts'
import { type Html, html } from '../../http/html.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { choices } from '../ui/fields.ts'
import { showLink, showLinkOrText, tabs } from '../ui/parts.ts'
import { NAMES, type Names, showState } from './descriptions.ts'
import type { MapBookable, MapFacts } from './queries.ts'

// Nobody reads a longer list: the map, the search and the location's table show all bookables.
const LISTED_MAX = 60

export const SHOWN = choices(['taken', sentence`Taken`], ['free', sentence`Free`])
export type Shown = (typeof SHOWN.values)[number]

/** Shows nothing if there is only one floor. */
export function floorTabs({ moment, floors }: MapFacts, addressOf: (location: number) => string): Html {
  if (floors.length < 2) return html``
  const items = floors.map(({ id, name }) => ({
    label: name,
    address: addressOf(id),
    isCurrent: id === moment.id,
  }))
  return tabs(t`Floors`, items)
}

export function isShown(bookable: MapBookable, shown: Shown | undefined): boolean {
  if (shown === undefined) return true
  return shown === 'taken' ? bookable.occupied : stateOf(bookable).label === 'free'
}

export function shownTabs(
  bookables: MapBookable[],
  shown: Shown | undefined,
  addressOf: (shown: Shown | undefined) => string,
): Html {
  const items = [...SHOWN.options(), { value: undefined, label: t`All` }].map(({ value, label }) => ({
    label,
    address: addressOf(value),
    isCurrent: value === shown,
    count: bookables.filter((bookable) => isShown(bookable, value)).length,
  }))
  return tabs(t`Show`, items)
}

export function nameTabs(names: Names, addressOf: (names: Names) => string): Html {
  const items = NAMES.options().map(({ value, label }) => ({
    label,
    address: addressOf(value),
    isCurrent: value === names,
  }))
  return html`<div class="map-names"><span>${t`Names`}</span>${tabs(t`Names`, items)}</div>`
}

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
