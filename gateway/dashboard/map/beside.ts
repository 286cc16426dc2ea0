// What stands beside the map: links to the building's other floors, the bookables as a list that names people
// as chosen, and the panel about one bookable. It updates with the map, because its moment may have changed.

import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { stateOf } from '../../api/livemap/picture.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { mayOpen } from '../kit/roles.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { choices } from '../ui/fields.ts'
import { showLink, showLinkOrText } from '../ui/parts.ts'
import { tabs } from '../ui/tabs.ts'
import { NAMES, type Names, showState } from './descriptions.ts'
import type { MapBookable, MapFacts, MapHolder, MapMoment } from './queries.ts'

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

type Links = Pick<Call, 'link'>

/** `description` names people in full, whatever the map does: a user who opens the panel wants to know. */
export function showPanel(links: Links, bookable: MapBookable, description: string, moment: MapMoment): Html {
  const { id, name, type, status, occupied, isDeleted, assignees, holders } = bookable
  const isOwned = occupied && status === BOOKABLE_STATUSES.assigned
  const own = isDeleted ? [] : ownLinks(links, bookable, moment)
  const actions = [...holders.flatMap((each) => holderLinks(links, each)), ...own].filter(
    (each) => each !== null,
  )
  return html`<h2><span data-name>${name}</span> ${showState(bookable)}</h2>
<p>${description}.${isOwned && ` ${t`Assigned to ${assignees.join(', ')}`}.`}</p>
<p class="soft">${isDeleted ? t`${formatBookableType(type)}, deleted` : html`${formatBookableType(type)} · ${showLink(links.link(`/places/bookables/${id}`), t`Open`, { 'aria-label': t`Open ${name}` })}`}</p>
${actions.length > 0 && html`<ul class="map-actions">${actions.map((each) => html`<li>${each}</li>`)}</ul>`}`
}

function holderLinks(
  { link }: Links,
  { bookingId, userId, eventId, event, who, awaitsCheckIn }: MapHolder,
): Array<Html | null> {
  const open =
    eventId === null
      ? showLink(link(`/bookings/${bookingId}`), t`Open booking`)
      : showLink(link(`/events/${eventId}`), t`Open ${event ?? ''}`)
  const checkIn = awaitsCheckIn ? showLink(`${link(`/bookings/${bookingId}`)}#check-in`, t`Check in`) : null
  return userId === null ? [open] : [open, checkIn, showLinkOrText(link(`/people/${userId}`), who)]
}

function ownLinks({ link }: Links, bookable: MapBookable, moment: MapMoment): Array<Html | null> {
  const { id, status } = bookable
  const edit = `${link(`/places/bookables/${id}`)}#edit`
  const from = moment.isNow ? undefined : `${moment.date}T${moment.time}`
  const block = link(`/places/bookables/${id}/block`, { from })
  const isEditor = mayOpen(block)
  if (status === BOOKABLE_STATUSES.blocked) return isEditor ? [showLink(edit, t`Unblock`)] : []
  const start = from && freeFrom(bookable, moment, from)
  return [
    showLink(link('/bookings/new', { bookable: id, from: start }), t`Book here`),
    isEditor ? showLink(edit, t`Block`) : null,
    showLink(block, t`Block for a time`),
  ]
}

/** The start to propose: if the bookable is taken at that moment, the time when it becomes free that day. */
function freeFrom({ occupied, holders }: MapBookable, { date, timezone }: MapMoment, from: string): string {
  if (!occupied) return from
  const ends = holders.flatMap(({ to }) => (to === null ? [] : [formatLocalDateTime(to, timezone)])).sort()
  return ends.findLast((end) => end.startsWith(date)) ?? from
}
