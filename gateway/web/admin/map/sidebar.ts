// What stands beside the map: links to the building's other floors, the bookables as a list that names people
// as chosen, and the panel about one bookable. It updates with the map, because its moment may have changed.

import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { stateOf } from '../../../reads/map/picture.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { showState } from '../../pages/map/legend.ts'
import type { Call } from '../../pages/page/page.ts'
import { mayOpen } from '../../pages/page/roles.ts'
import { untilEvening } from '../../pages/time/requested-time.ts'
import { formatBookableType } from '../../pages/ui/bookables.ts'
import { choices } from '../../pages/ui/fields.ts'
import { moreMenu } from '../../pages/ui/menu.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { tabs } from '../../pages/ui/tabs.ts'
import { formatMoment, formatTimeAt, NAMES, type Names } from './describe-bookables.ts'
import type { MapBookable, MapFacts, MapHolder, MapMoment } from './queries.ts'

// The list is short on purpose: the map, the search and the location's table show all bookables.
const LISTED_MAX = 25

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
type Action = [address: string, label: string, attributes?: Record<string, string | undefined>]

/**
 * `description` names people in full, whatever the map does: a user who opens the panel wants to know. What the user most
 * likely wants is a button, and the rest is behind “…”.
 */
export function showPanel(links: Links, bookable: MapBookable, description: string, moment: MapMoment): Html {
  const { name, type, status, occupied, isDeleted, assignees, holders } = bookable
  const isOwned = occupied && status === BOOKABLE_STATUSES.assigned
  const own = isDeleted ? [] : ownActions(links, bookable, moment)
  const actions = [...holders.flatMap((each) => holderActions(links, each, holders.length > 1)), ...own]
  const [main, ...more] = actions.filter(([address]) => mayOpen(address))
  const kind = formatBookableType(type)
  return html`<h2><span data-name>${name}</span> ${showState(bookable)}</h2>
<p>${description}.${isOwned && ` ${t`Assigned to ${assignees.join(', ')}`}.`}</p>
<p class="soft">${isDeleted ? t`${kind}, deleted` : kind}</p>
${
  main &&
  html`<div class="buttons">${showLink(main[0], main[1], { class: 'button primary', ...main[2] })}
${moreMenu(
  more.map(([address, label]) => showLink(address, label)),
  name,
)}</div>`
}`
}

function holderActions({ link }: Links, holder: MapHolder, isOneOfMany: boolean): Action[] {
  const { bookingId, userId, eventId, event, who, requestId, awaitsCheckIn } = holder
  const open: Action =
    eventId === null
      ? [link(`/bookings/${bookingId}`), isOneOfMany ? t`Open booking of ${who}` : t`Open booking`]
      : [link(`/events/${eventId}`), t`Open ${event ?? ''}`]
  const person: Action[] = userId === null ? [] : [[link(`/people/${userId}`), who]]
  if (requestId !== null) return [[link(`/bookings/requests/${requestId}`), t`Open request`], ...person]
  if (eventId !== null) return [open, ...person]
  const checkIn: Action = [`${link(`/bookings/${bookingId}`)}#check-in`, t`Check in`]
  const move: Action = [link(`/bookings/${bookingId}/move`), t`Move to another`]
  return [...(awaitsCheckIn ? [checkIn] : []), open, move, ...person]
}

function ownActions({ link }: Links, bookable: MapBookable, moment: MapMoment): Action[] {
  const { id, name, status, occupied, closed } = bookable
  const own = link(`/places/bookables/${id}`)
  const open: Action = [own, t`Open ${name}`]
  const edit = `${own}#edit`
  const from = `${moment.date}T${moment.time}`
  const block = link(`/places/bookables/${id}/block`, { from: moment.isNow ? undefined : from })
  const isEditor = mayOpen(block)
  if (closed) return [open, [`${own}/rules`, t`Rules`]]
  if (status === BOOKABLE_STATUSES.blocked) return isEditor ? [[edit, t`Unblock`], open] : [open]
  const start = moment.isNow ? undefined : freeFrom(bookable, moment, from)
  const book: Action = occupied
    ? [link('/bookings/new', { bookable: id, from: start }), t`Book for later`]
    : bookAction(link, bookable, moment, from)
  return [book, ...(isEditor ? [[edit, t`Block`] as Action] : []), [block, t`Block for a time`], open]
}

/** A script books by a form in the panel instead, for the time in these attributes. */
function bookAction(link: Links['link'], { id, next }: MapBookable, moment: MapMoment, from: string): Action {
  const { isNow, timezone } = moment
  const evening = parseLocalDateTime(untilEvening(from).to, timezone, 'to')
  const end = next !== null && Date.parse(next) < Date.parse(evening) ? next : evening
  const to = formatLocalDateTime(end, timezone).slice(0, from.length)
  const until = formatTimeAt(end, moment)
  return [
    link('/bookings/new', isNow ? { bookable: id } : { bookable: id, from, to }),
    t`Book`,
    {
      'data-book': String(id),
      'data-from': isNow ? '' : from,
      'data-to': to,
      'data-span': isNow ? t`Now until ${until}` : t`${formatMoment(moment)} until ${until}`,
    },
  ]
}

/** The start to propose: if the bookable is taken at that moment, the time when it becomes free that day. */
function freeFrom({ occupied, holders }: MapBookable, { date, timezone }: MapMoment, from: string): string {
  if (!occupied) return from
  const ends = holders.flatMap(({ to }) => (to === null ? [] : [formatLocalDateTime(to, timezone)])).sort()
  return ends.findLast((end) => end.startsWith(date)) ?? from
}
