// Shows the sidebar of the map: links to the building's other floors, a list of the bookables with people's
// names, and the panel about one bookable. The sidebar is updated with the map, because the time of the map
// may have changed.

import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { findMapState } from '../../../reads/map/picture.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { showState } from '../../pages/map/legend.ts'
import type { Call } from '../../pages/page/page.ts'
import { canOpen } from '../../pages/page/roles.ts'
import { createRangeUntilEvening } from '../../pages/time/requested-time.ts'
import { formatBookableType } from '../../pages/ui/bookables.ts'
import { choices } from '../../pages/ui/fields.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import { formatMoment, formatTimeAt, MAP_NAME_CHOICES, type MapNames } from './describe-bookables.ts'
import type { MapBookable, MapFacts, MapHolder, MapMoment } from './queries.ts'

// The maximum length of the list. It is short on purpose: the map, the search and the location's table show all
// bookables.
const LISTED_BOOKABLES_MAX = 25

export const SHOWN_CHOICES = choices(['taken', sentence`Taken`], ['free', sentence`Free`])
export type ShownBookables = (typeof SHOWN_CHOICES.values)[number]

/** Shows tabs for the floors, or nothing if there is only one floor. */
export function showFloorTabs({ moment, floors }: MapFacts, addressOf: (location: number) => string): Html {
  if (floors.length < 2) return html``
  const items = floors.map(({ id, name }) => ({
    label: name,
    address: addressOf(id),
    isCurrent: id === moment.id,
  }))
  return showTabs(t`Floors`, items)
}

export function isShown(bookable: MapBookable, shown: ShownBookables | undefined): boolean {
  if (shown === undefined) return true
  return shown === 'taken' ? bookable.occupied : findMapState(bookable).label === 'free'
}

export function showFilterTabs(
  bookables: MapBookable[],
  shown: ShownBookables | undefined,
  addressOf: (shown: ShownBookables | undefined) => string,
): Html {
  const items = [...SHOWN_CHOICES.options(), { value: undefined, label: t`All` }].map(({ value, label }) => ({
    label,
    address: addressOf(value),
    isCurrent: value === shown,
    count: bookables.filter((bookable) => isShown(bookable, value)).length,
  }))
  return showTabs(t`Show`, items)
}

export function showNameTabs(names: MapNames, addressOf: (names: MapNames) => string): Html {
  const items = MAP_NAME_CHOICES.options().map(({ value, label }) => ({
    label,
    address: addressOf(value),
    isCurrent: value === names,
  }))
  return html`<div class="map-names"><span>${t`Names`}</span>${showTabs(t`Names`, items)}</div>`
}

type ListOptions = {
  /** Returns the address of the map with this bookable marked. */
  addressOf(one: MapBookable): string
  describe(one: MapBookable): string
  /** The address of the map with all bookables listed. */
  all: string
}

export function showBookablesList(bookables: MapBookable[], { addressOf, describe, all }: ListOptions): Html {
  const entries = bookables.slice(0, LISTED_BOOKABLES_MAX).map(
    (each) => html`<li><p>${showLinkOrText(addressOf(each), each.name)} ${showState(each)}</p>
<p>${describe(each)}.</p></li>`,
  )
  const more = bookables.length - entries.length
  return html`<ul class="rows">${entries}</ul>${
    more > 0 &&
    html`<p class="soft">${plural(more, '# more on the map.', '# more on the map.')} ${showLink(all, t`Search all`)}</p>`
  }`
}

type LinkingCall = Pick<Call, 'link'>
type PanelAction = [address: string, label: string, attributes?: Record<string, string | undefined>]

/** Shows the panel. `description` names people in full, even if the map does not, because a user who opens
 * the panel wants to know the names. The most likely action is a button, and the other actions are behind
 * “…”. */
export function showBookablePanel(
  links: LinkingCall,
  bookable: MapBookable,
  description: string,
  moment: MapMoment,
): Html {
  const { name, type, status, occupied, isDeleted, assignees, holders } = bookable
  const isOwned = occupied && status === BOOKABLE_STATUSES.assigned
  const own = isDeleted ? [] : listOwnActions(links, bookable, moment)
  const actions = [...holders.flatMap((each) => listHolderActions(links, each, holders.length > 1)), ...own]
  const [main, ...more] = actions.filter(([address]) => canOpen(address))
  const kind = formatBookableType(type)
  return html`<h2><span data-name>${name}</span> ${showState(bookable)}</h2>
<p>${description}.${isOwned && ` ${t`Assigned to ${assignees.join(', ')}`}.`}</p>
<p class="soft">${isDeleted ? t`${kind}, deleted` : kind}</p>
${
  main &&
  html`<div class="buttons">${showLink(main[0], main[1], { class: 'button primary', ...main[2] })}
${showMoreMenu(
  more.map(([address, label]) => showLink(address, label)),
  name,
)}</div>`
}`
}

function listHolderActions({ link }: LinkingCall, holder: MapHolder, isOneOfMany: boolean): PanelAction[] {
  const { bookingId, userId, eventId, event, who, requestId, awaitsCheckIn } = holder
  const open: PanelAction =
    eventId === null
      ? [link(`/bookings/${bookingId}`), isOneOfMany ? t`Open booking of ${who}` : t`Open booking`]
      : [link(`/events/${eventId}`), t`Open ${event ?? ''}`]
  const person: PanelAction[] = userId === null ? [] : [[link(`/people/${userId}`), who]]
  if (requestId !== null) return [[link(`/bookings/requests/${requestId}`), t`Open request`], ...person]
  if (eventId !== null) return [open, ...person]
  const checkIn: PanelAction = [`${link(`/bookings/${bookingId}`)}#check-in`, t`Check in`]
  const move: PanelAction = [link(`/bookings/${bookingId}/move`), t`Move to another place`]
  return [...(awaitsCheckIn ? [checkIn] : []), open, move, ...person]
}

function listOwnActions({ link }: LinkingCall, bookable: MapBookable, moment: MapMoment): PanelAction[] {
  const { id, name, status, occupied, closed } = bookable
  const own = link(`/places/bookables/${id}`)
  const open: PanelAction = [own, t`Open ${name}`]
  const edit = `${own}#edit`
  const from = `${moment.date}T${moment.time}`
  const block = link(`/places/bookables/${id}/block`, { from: moment.isNow ? undefined : from })
  const isEditor = canOpen(block)
  if (closed) return [open, [`${own}/rules`, t`Rules`]]
  if (status === BOOKABLE_STATUSES.blocked) return isEditor ? [[edit, t`Unblock`], open] : [open]
  const start = moment.isNow ? undefined : findFreeStart(bookable, moment, from)
  const book: PanelAction = occupied
    ? [link('/bookings/new', { bookable: id, from: start }), t`Book for later`]
    : createBookAction(link, bookable, moment, from)
  return [book, ...(isEditor ? [[edit, t`Block`] as PanelAction] : []), [block, t`Block for a time`], open]
}

/** Links to booking the bookable. A script uses a form in the panel instead, for the time in these attributes. */
function createBookAction(
  link: LinkingCall['link'],
  { id, next }: MapBookable,
  moment: MapMoment,
  from: string,
): PanelAction {
  const { isNow, timezone } = moment
  const evening = parseLocalDateTime(createRangeUntilEvening(from, timezone).to, timezone, 'to')
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

/** Returns the proposed start of a booking. If the bookable is taken at the time of the map, proposes the
 * time when it becomes free that day. */
function findFreeStart(
  { occupied, holders }: MapBookable,
  { date, timezone }: MapMoment,
  from: string,
): string {
  if (!occupied) return from
  const ends = holders.flatMap(({ to }) => (to === null ? [] : [formatLocalDateTime(to, timezone)])).sort()
  return ends.findLast((end) => end.startsWith(date)) ?? from
}
