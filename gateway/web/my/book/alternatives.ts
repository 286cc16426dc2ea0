// Offers alternatives to a refused booking at the top of the page. One press books another place or another time, sends
// a request, or gives up another booking of the person.
import { message } from '../../../../shared/messages/message.ts'
import type { RefusalCode } from '../../../../shared/messages/refusal.ts'
import { findStartOfDay, formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { formatSpan } from '../../pages/time/spans.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { findNearestTime, readPlaceTimes } from './bookable-times.ts'
import { type BookedSpan, type HeldBooking, listFreeSeats, listOwnBookingsAt, type Seat } from './seats.ts'
import { isMeetingRoomType } from './wanted.ts'

type AlternativeKind = 'place' | 'time' | 'place-or-time' | 'give-up' | 'request' | 'open-requests'

const ALTERNATIVES: Partial<Record<RefusalCode, AlternativeKind>> = {
  booking_conflict: 'place',
  bookable_assigned: 'place',
  bookable_blocked: 'place',
  not_for_this_user: 'place',
  closed: 'place-or-time',
  outside_opening_hours: 'time',
  outside_slots: 'time',
  too_far_ahead: 'time',
  too_short: 'time',
  too_long: 'time',
  too_many_bookings: 'give-up',
  already_booked: 'give-up',
  already_booked_that_day: 'give-up',
  needs_approval: 'request',
  too_many_open_requests: 'open-requests',
}

const OFFERED_PLACES_MAX = 3
const OFFERED_BOOKINGS_MAX = 3
/** The limit on the distance of a place that is “beside” another, as a share of the floor plan's height. */
const BESIDE_DISTANCE_MAX = 0.2

export type ShownOffer = { label: string; tone: 'primary' | 'quiet' }

/** A refused booking, and the forms that book an alternative with the person's input. */
export type RefusedBooking = {
  seat: Pick<Seat, 'id' | 'name' | 'type' | 'tags' | 'capacity' | 'buildingId' | 'locationId' | 'zone'>
  span: BookedSpan
  /** Whether others have the place, so that other places are offered before a booking is refused. */
  isTaken?: boolean
  /** The id of the booking that is being changed. Its present time does not count as taken. */
  except?: number
  showPlace(seat: Seat, offer: ShownOffer): Html
  showTime(span: BookedSpan, offer: ShownOffer): Html
  /** Shows the form that gives up a booking for this one. */
  showGivenUp?: (booking: HeldBooking, offer: ShownOffer) => Html
  /** Shows the form that sends a request. */
  showRequest?: (offer: ShownOffer) => Html
}

/** Shows why the booking was refused, and the alternatives to it. Returns undefined if there are none. */
export async function showAlternatives(call: Call, refused: RefusedBooking): Promise<Html | undefined> {
  const { refusedForm } = call
  if (!refusedForm) return refused.isTaken ? showOtherPlaces(call, refused) : undefined
  const kind = ALTERNATIVES[refusedForm.code]
  if (!kind) return undefined
  const offers = await listOffers(call, kind, refused)
  if (offers.length === 0) return undefined
  refusedForm.isExplained = true
  refusedForm.isShown = true
  const isTaken = refusedForm.code === 'booking_conflict'
  const reason = isTaken ? message`${refused.seat.name} was just taken.` : refusedForm.detail
  return html`<section class="notice bad my-alternatives" role="alert" tabindex="-1" autofocus><p>${formatMessage(reason)}</p>
<div class="buttons">${offers}</div></section>`
}

async function showOtherPlaces(call: Call, refused: RefusedBooking): Promise<Html | undefined> {
  const offers = await offerPlaces(call, refused)
  if (offers.length === 0) return undefined
  return html`<section class="my-alternatives"><h2>${t`Taken. Free instead:`}</h2><div class="buttons">${offers}</div></section>`
}

async function listOffers(call: Call, kind: AlternativeKind, refused: RefusedBooking): Promise<Html[]> {
  switch (kind) {
    case 'place':
      return offerPlaces(call, refused)
    case 'time':
      return offerTime(call, refused, 'primary')
    case 'place-or-time': {
      const [places, times] = await Promise.all([
        offerPlaces(call, refused),
        offerTime(call, refused, 'quiet'),
      ])
      return [...places.slice(0, 2), ...times]
    }
    case 'give-up':
      return offerBookings(call, refused)
    case 'request':
      return refused.showRequest ? [refused.showRequest({ label: t`Send request`, tone: 'primary' })] : []
    case 'open-requests': {
      const link = showLink(call.link('/requests'), t`Withdraw a request`, { class: 'button primary' })
      return link ? [link] : []
    }
  }
}

const chooseTone = (index: number) => (index === 0 ? 'primary' : 'quiet')

async function offerPlaces(call: Call, { seat, span, showPlace }: RefusedBooking): Promise<Html[]> {
  const { id: near, type, buildingId: building, tags } = seat
  const place = { building, type, near }
  const people = isMeetingRoomType(type) ? (seat.capacity ?? undefined) : undefined
  const [alike, all] = await Promise.all([
    listFreeSeats(call, { ...place, tags, people }, span, OFFERED_PLACES_MAX),
    listFreeSeats(call, place, span, OFFERED_PLACES_MAX),
  ])
  const known = new Set(alike.map(({ id }) => id))
  return [...alike, ...all.filter(({ id }) => !known.has(id))]
    .slice(0, OFFERED_PLACES_MAX)
    .map((each, index) => showPlace(each, { label: formatPlaceOffer(seat, each), tone: chooseTone(index) }))
}

function formatPlaceOffer(
  seat: RefusedBooking['seat'],
  { name, location, locationId, distance, needsApproval }: Seat,
): string {
  const place = locationId === seat.locationId ? name : `${name} (${location})`
  if (needsApproval) return t`Request ${place} instead`
  return distance !== null && distance <= BESIDE_DISTANCE_MAX
    ? t`Book ${place} beside it`
    : t`Book ${place} instead`
}

async function offerTime(call: Call, refused: RefusedBooking, tone: ShownOffer['tone']): Promise<Html[]> {
  const { seat, span, except, showTime } = refused
  const place = { bookableId: seat.id, zone: seat.zone, ...(except !== undefined && { except }) }
  const found = findNearestTime(await readPlaceTimes(call, place, span.from), span, call.now)
  return found ? [showTime(found, { label: t`Book ${formatSpan(found, seat.zone, call.now)}`, tone })] : []
}

async function offerBookings(
  call: Call,
  { seat, span, except, showGivenUp }: RefusedBooking,
): Promise<Html[]> {
  if (!showGivenUp) return []
  const held = await listOwnBookingsAt(
    call,
    seat.type,
    findCountedTime(call, seat, span),
    OFFERED_BOOKINGS_MAX + 1,
  )
  return held
    .filter(({ id }) => id !== except)
    .slice(0, OFFERED_BOOKINGS_MAX)
    .map((each, index) => {
      const label = t`Move ${each.bookable}, ${formatSpan(each, each.zone, call.now)}, here`
      return showGivenUp(each, { label, tone: chooseTone(index) })
    })
}

/** Returns the period in which the broken rule counts the person's other bookings. */
function findCountedTime({ refusedForm, now }: Call, { zone }: RefusedBooking['seat'], span: BookedSpan) {
  if (refusedForm?.code === 'already_booked') return span
  if (refusedForm?.code === 'too_many_bookings') return { from: now, to: null }
  const day = formatLocalDate(span.from, zone)
  return { from: findStartOfDay(day, zone), to: findStartOfDay(addDaysToDate(day, 1), zone) }
}
