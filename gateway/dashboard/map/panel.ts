// The map's panel about one bookable: who has it, and what users can do with it.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { mayOpen } from '../kit/roles.ts'
import { t } from '../locales/translate.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { showLink, showLinkOrText } from '../ui/parts.ts'
import { showState } from './descriptions.ts'
import type { MapBookable, MapHolder, MapMoment } from './queries.ts'

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
