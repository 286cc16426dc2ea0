// What the map tells of one bookable when it is chosen: who has it, and what can be done about it.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import { formatLocalDateTime } from '../../../shared/utilities/wall-clock.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../framework/page.ts'
import { t } from '../language/translate.ts'
import { formatBookableType } from '../ui/bookables.ts'
import type { MapBookable, MapHolder, MapMoment } from './queries.ts'
import { showState } from './states.ts'

type Links = Pick<Call, 'link'>

/** `description` names people, however the map does: whoever chose it wants to know. */
export function showPanel(links: Links, bookable: MapBookable, description: string, moment: MapMoment): Html {
  const { id, name, type, status, occupied, isDeleted, assignees, holders } = bookable
  const isOwned = occupied && status === BOOKABLE_STATUSES.assigned
  const own = isDeleted ? [] : ownLinks(links, bookable, moment)
  const actions = [...holders.flatMap((each) => holderLinks(links, each)), ...own]
  return html`<h2><span data-name>${name}</span> ${showState(bookable)}</h2>
<p>${description}.${isOwned && ` ${t`Assigned to ${assignees.join(', ')}`}.`}</p>
<p class="soft">${isDeleted ? t`${formatBookableType(type)}, deleted` : html`${formatBookableType(type)} · <a href="${links.link(`/places/bookables/${id}`)}" aria-label="${t`Open ${name}`}">${t`Open`}</a>`}</p>
${actions.length > 0 && html`<ul class="map-actions">${actions.map((each) => html`<li>${each}</li>`)}</ul>`}`
}

function holderLinks(
  { link }: Links,
  { bookingId, userId, eventId, event, who, awaitsCheckIn }: MapHolder,
): Html[] {
  const open =
    eventId === null
      ? html`<a href="${link(`/bookings/${bookingId}`)}">${t`Open booking`}</a>`
      : html`<a href="${link(`/events/${eventId}`)}">${t`Open ${event ?? ''}`}</a>`
  const checkIn = awaitsCheckIn
    ? [html`<a href="${link(`/bookings/${bookingId}`)}#check-in">${t`Check in`}</a>`]
    : []
  return userId === null
    ? [open]
    : [open, ...checkIn, html`<a href="${link(`/people/${userId}`)}">${who}</a>`]
}

function ownLinks({ link }: Links, bookable: MapBookable, moment: MapMoment): Html[] {
  const { id, status } = bookable
  const isBlocked = status === BOOKABLE_STATUSES.blocked
  const from = moment.isNow ? undefined : `${moment.date}T${moment.time}`
  return [
    ...(isBlocked
      ? []
      : [
          html`<a href="${link('/bookings/new', { bookable: id, from: from && freeFrom(bookable, moment, from) })}">${t`Book here`}</a>`,
        ]),
    html`<a href="${link(`/places/bookables/${id}`)}#edit">${isBlocked ? t`Unblock` : t`Block`}</a>`,
    ...(isBlocked
      ? []
      : [html`<a href="${link(`/places/bookables/${id}/block`, { from })}">${t`Block for a time`}</a>`]),
  ]
}

/** What somebody has at that moment is free later on that day, where it is. */
function freeFrom({ occupied, holders }: MapBookable, { date, timezone }: MapMoment, from: string): string {
  if (!occupied) return from
  const ends = holders.flatMap(({ to }) => (to === null ? [] : [formatLocalDateTime(to, timezone)])).sort()
  return ends.findLast((end) => end.startsWith(date)) ?? from
}
