// Links from a map to others: the building's floors at the same moment, what is listed, and how people are
// named. They update with the map, because its moment may have changed.
import { stateOf } from '../../api/livemap/cells.ts'
import { type Html, html } from '../../http/html.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'
import { tabs } from '../ui/parts.ts'
import { NAMES, type Names } from './names.ts'
import type { MapBookable, MapFacts } from './queries.ts'

export const SHOWN = ['taken', 'free'] as const
export type Shown = (typeof SHOWN)[number]

const LABELS = { taken: sentence`Taken`, free: sentence`Free`, all: sentence`All` }
const NAME_LABELS: Record<Names, Sentence> = {
  full: sentence`Full`,
  initials: sentence`Initials`,
  hidden: sentence`Hidden`,
}

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
  const items = [...SHOWN, undefined].map((each) => ({
    label: translate(LABELS[each ?? 'all']),
    address: addressOf(each),
    isCurrent: each === shown,
    count: bookables.filter((bookable) => isShown(bookable, each)).length,
  }))
  return tabs(t`Show`, items)
}

export function nameTabs(names: Names, addressOf: (names: Names) => string): Html {
  const items = NAMES.map((each) => ({
    label: translate(NAME_LABELS[each]),
    address: addressOf(each),
    isCurrent: each === names,
  }))
  return html`<div class="map-names"><span>${t`Names`}</span>${tabs(t`Names`, items)}</div>`
}
