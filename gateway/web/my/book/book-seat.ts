// A desk, room or parking spot at a time: one press books it. If it cannot be booked, the page says why and offers others.
import type { InferType } from 'yup'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { html } from '../../../html/html.ts'
import { formatMessage, plural, sentence, t } from '../../locales/translate.ts'
import {
  createOnSeveralDays,
  describeLeftOut,
  isForSeveralDays,
  type LeftOut,
  listSpans,
} from '../../pages/bookings/several-days.ts'
import { type ActionCall, type Call, page } from '../../pages/page/page.ts'
import { listVehicles } from '../../pages/search/choices.ts'
import { formatTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { formatFirst, showFacts, showLink } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { insteadAddress } from './book-instead.ts'
import {
  attendeesOf,
  findTyped,
  type Invited,
  invitedQuery,
  inviteForm,
  listInvited,
  ownTitle,
  showInvitation,
  withInvited,
} from './invited.ts'
import { canGiveUp, chooseOtherKind, giveUp, listOtherKind } from './other-kind.ts'
import { showOthers } from './others.ts'
import { bookingForm, requestForm, showBookingForm } from './seat-form.ts'
import { findOwnAt, type OneSeat, requireSeat } from './seats.ts'
import { findVehicle } from './vehicles.ts'
import { isForMeetings } from './wanted.ts'
import { findWantedTime, formatWanted, nextDays, timeQuery, type WantedTime } from './wanted-time.ts'

const IS_OVER = message`This time is over.`
const DAYS = 10
const APPROVERS_NAMED = 4

export const bookSeat = page({
  path: '/book/{id}',
  title: sentence`Book`,
  section: 'Book',
  params: object({ id: required(queryId()) }),
  query: object({ ...timeQuery, ...invitedQuery }),
  missing: message`This desk or room does not exist any more.`,
  actions: (action) => ({
    book: action(bookingForm, async (call) => {
      const { seat, time, booking } = await prepare(call)
      const invited = await listInvited(call)
      if (invited.length > 0) return meet(call, { seat, time, invited })
      const typed = { ...call.form, more_days: listDays(call.form) }
      const isSeveral = isForSeveralDays(typed)
      const spans = isSeveral
        ? listSpans(typed, booking, call.now, seat.zone)
        : [{ from: booking.from_time ?? call.now, to: booking.to_time }]
      const givenUp = await chooseOtherKind(call, seat, spans)
      if (isSeveral) {
        const created = await createOnSeveralDays(call, { ...typed, skips: true }, booking, seat.zone)
        const skipped = created.leftOut.map(({ date }) => date)
        const booked = spans.filter(({ from }) => !skipped.includes(formatLocalDate(from, seat.zone)))
        await giveUp(call, givenUp, booked)
        return bookedOnDays(call, { seat, time, ...created })
      }
      await call.dispatch('bookings.create', booking)
      await giveUp(call, givenUp, spans)
      const guest = booking.guest_name ?? booking.guest_email
      const notice = guest
        ? t`${placeOf(seat)} is booked for ${guest}: ${formatWanted(time)}.`
        : t`${placeOf(seat)} is booked: ${formatWanted(time)}.`
      return { redirectTo: call.link('/'), notice }
    }),
    invite: action(inviteForm, async (call) => {
      const { who } = call.form
      const add = await findTyped(call, who)
      return { redirectTo: add ? withInvited(call, { add }) : call.linkHere({ person: who }) }
    }),
    request: action(requestForm, async (call) => {
      const { seat, time, booking } = await prepare(call)
      const { data } = await call.dispatch('booking-requests.create', booking)
      const lapses = formatTimeBeside(data.expires_at, call.now, seat.zone)
      return {
        redirectTo: call.link('/'),
        notice: t`${placeOf(seat)} is requested: ${formatWanted(time)}. It is yours once somebody approves it. If nobody decides by ${lapses}, the request lapses.`,
      }
    }),
  }),
  async show(call) {
    const seat = await requireSeat(call, call.params.id)
    const time = findTime(call, seat)
    const isSpot = seat.type === BOOKABLE_TYPES.parkingSpot
    const isMeeting = isForMeetings(seat.type) && !seat.needsApproval
    const [vehicles, invited, others, own, otherKind] = await Promise.all([
      isSpot ? listVehicles(call.reads, call.requirePerson().id) : [],
      isMeeting ? listInvited(call) : [],
      showOthers(call, seat, time),
      call.refusedForm ? undefined : findOwnAt(call, seat.type, time),
      listOtherKind(call, seat.type, [time]),
    ])
    const asked = seat.needsApproval ? [] : otherKind.filter((each) => canGiveUp(each, [time]))
    const told = [...(own ? [own] : []), ...otherKind.filter((each) => !asked.includes(each))]
    const today = formatLocalDate(call.now, seat.zone)
    const days = nextDays(seat, call.now, DAYS + 2).filter((date) => date !== time.date && date > today)
    // A home office may be in another time zone.
    const isZoneNamed = asked.some(({ zone }) => zone !== seat.zone)
    const when = formatWanted(time) + (isZoneNamed ? ` (${formatZone(seat.zone)})` : '')
    const back = call.link('/book', { ...time.query, location: seat.locationId, type: seat.type })
    return {
      title: seat.name,
      lead: `${seat.location}, ${seat.building}`,
      content: html`${told.map((each) => showNotice('warn', t`You already have ${formatPlace(each)}, ${describeSpan(each, seat.zone)}.`))}
<div class="card">
${showFacts([
  [t`When`, when],
  [t`Equipment`, seat.tags.join(', ')],
  [t`Seats`, isSpot ? null : seat.capacity],
  [t`Approved by`, seat.needsApproval ? formatFirst(seat.approvers, APPROVERS_NAMED) : null],
])}
${isMeeting && (await showInvitation(call, invited))}
${time.to <= call.now ? showNotice('warn', formatMessage(IS_OVER)) : showBookingForm(call, { seat, vehicles, isMeeting, hasInvited: invited.length > 0, days: days.slice(0, DAYS), otherKind: asked })}</div>${others}
<p>${showLink(back, t`Other places and times`, { class: 'button quiet' })}</p>`,
    }
  },
})

const placeOf = (seat: OneSeat) => formatPlace({ ...seat, bookable: seat.name })

const describeSpan = ({ from, to }: { from: string; to: string | null }, zone: string) =>
  `${formatTime(from, zone)} – ${to === null ? t`open-ended` : formatTime(to, zone)}`

type Typed = InferType<typeof requestForm>
type Query = { date?: string; from?: string; to?: string; invited?: string; person?: string }
type Called = Call<{ id: number }, Query>
type Meeting = ActionCall<Called['params'], Query, { title?: string | undefined }>

async function prepare(call: ActionCall<Called['params'], Called['query'], Typed>) {
  const seat = await requireSeat(call, call.form.seat)
  const time = findTime(call, seat)
  if (time.to <= call.now) throw invalid({ to: [IS_OVER] })
  const isSpot = seat.type === BOOKABLE_TYPES.parkingSpot
  const vehicle = isSpot ? await findVehicle(call) : null
  if (seat.requiresVehicle && vehicle === null)
    throw invalid({ license_plate: [message`${seat.name} can only be booked with a vehicle.`] })
  const { guest_name, guest_email, booking_info } = call.form
  const booking = {
    bookable_id: seat.id,
    location_id: seat.locationId,
    user_id: call.requirePerson().id,
    from_time: time.isNow ? null : time.from,
    to_time: time.to,
    guest_name,
    guest_email,
    booking_info,
    user_vehicle_id: vehicle,
  }
  return { seat, time, booking }
}

const findTime = (call: Called, seat: OneSeat): WantedTime =>
  findWantedTime(call.query, seat, call.now, isForMeetings(seat.type))

type TypedDays = { days?: string[] | undefined; more_days?: string | undefined }

const listDays = ({ days = [], more_days }: TypedDays): string | undefined =>
  [...days, more_days ?? ''].filter(Boolean).join(',') || undefined

type BookedDays = { seat: OneSeat; time: WantedTime; ids: number[]; leftOut: LeftOut[] }

/** For days on which others have taken the place, the next page offers what is free instead. */
function bookedOnDays(call: Call, { seat, time, ids, leftOut }: BookedDays) {
  const booked = plural(ids.length, '{0} is booked on # day.', '{0} is booked on # days.', placeOf(seat))
  const taken = leftOut.filter(({ code }) => code === 'booking_conflict').map(({ date }) => date)
  const canReplace = taken.length > 0 && seat.type !== BOOKABLE_TYPES.parkingSpot
  return {
    redirectTo: canReplace ? insteadAddress(call, seat.id, time, taken) : call.link('/'),
    notice: `${booked}${describeLeftOut(leftOut)}`,
  }
}

/** A room with people who are invited is a meeting. */
async function meet(
  call: Meeting,
  { seat, time, invited }: { seat: OneSeat; time: WantedTime; invited: Invited[] },
) {
  const { data } = await call.dispatch('events.create', {
    name: call.form.title ?? ownTitle(call),
    from_time: time.isNow ? null : time.from,
    to_time: time.to,
    from_timezone: time.zone,
    to_timezone: time.zone,
    organizer_user_id: call.requirePerson().id,
    attendees: [{ type: 'bookable', id: seat.id }, ...attendeesOf(invited)],
  })
  const notice = t`${placeOf(seat)} is booked: ${formatWanted(time)}.`
  return { redirectTo: call.link(`/meetings/${data.id}`), notice }
}
