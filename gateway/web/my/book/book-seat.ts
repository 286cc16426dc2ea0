// The page that books a desk, room or parking spot at a time with one press. If the place cannot be booked, the page
// says why and offers other places.
import type { InferType } from 'yup'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { html } from '../../../html/html.ts'
import { formatMessage, plural, sentence, t } from '../../locales/translate.ts'
import {
  createBookingsOnSeveralDays,
  describeSkippedDays,
  isForSeveralDays,
  listSpans,
  type SkippedDay,
  skippedDays,
} from '../../pages/bookings/several-days.ts'
import { type ActionCall, type Call, definePage, type PageView } from '../../pages/page/page.ts'
import { listVehicles } from '../../pages/search/choices.ts'
import { formatTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { formatFirstItems, showFactList, showLink } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { endLoanForm, endOwnLoan, lendForm, lendOwnDesk, showLoansOfDesk } from '../lend/lend-card.ts'
import { bookForColleague } from './book-for-colleague.ts'
import { formatBookInsteadAddress } from './book-instead.ts'
import { findFreeTimes } from './free-times.ts'
import { formatSuggestion, showFreeTimes } from './free-times-picture.ts'
import {
  formatDefaultTitle,
  formatPeople,
  type Invitee,
  listAmbiguousNames,
  requirePeople,
  toAttendees,
} from './invited.ts'
import {
  canReleaseForOtherKind,
  chooseOtherKind,
  listOtherKindBookings,
  releaseBookings,
} from './other-kind.ts'
import { findFirstTime, refuseUnseenConflicts, requireRepeat } from './repeat.ts'
import { showSeatAlternatives } from './seat-alternatives.ts'
import { findSeatDay, showHolder, showSeatDay } from './seat-day.ts'
import { bookingForm, requestForm, showBookingForm, showTimesButton } from './seat-form.ts'
import { findOwnBookingAt, requireSeat, type SeatDetails } from './seats.ts'
import { findOrAddVehicle } from './vehicles.ts'
import { isMeetingRoomType } from './wanted.ts'
import {
  findWantedTime,
  formatWantedTime,
  listNextOpenDays,
  timeQuery,
  toTimeQuery,
  type WantedTime,
} from './wanted-time.ts'

const TIME_IS_OVER = message`This time is over.`
const REPEATS_ONLY = message`To invite people on several days, choose a repeat.`
const OFFERED_DAYS = 10
/** The form that moves another booking of the person here. */
const moveHereForm = object({ booking: required(queryId()) })
const NAMED_APPROVERS_MAX = 4

export const bookSeatPage = definePage({
  path: '/book/{id}',
  title: sentence`Book`,
  section: 'Book',
  params: object({ id: required(queryId()) }),
  query: object(timeQuery),
  missing: message`This desk or room no longer exists.`,
  actions: (action) => ({
    book: action(bookingForm, async (call) => {
      const invited = await requirePeople(call, call.form)
      if (call.form.show_times) return showWithTimes(call, call.form, invited)
      const { seat, time, booking } = await prepareBooking(call)
      const typed = { ...call.form, more_days: listDays(call.form) }
      const repeat = requireRepeat(typed)
      const isSeveral = isForSeveralDays(typed)
      if (isMeeting(call.form)) {
        if (isSeveral && !repeat) throw invalidFields({ people: [REPEATS_ONLY] })
        return createMeeting(call, { seat, time, invited, repeat })
      }
      if (call.form.colleague)
        return bookForColleague(call, call.form.colleague, { seat, time, booking, isSeveral })
      if (repeat)
        refuseUnseenConflicts(call, seat.zone, await call.dispatch('series.check', { ...booking, repeat }))
      const spans = isSeveral
        ? listSpans(typed, booking, call.now, seat.zone)
        : [{ from: booking.from_time ?? call.now, to: booking.to_time }]
      const givenUp = await chooseOtherKind(call, seat, spans)
      if (isSeveral) {
        const created = await createBookingsOnSeveralDays(call, { ...typed, skips: true }, booking, seat.zone)
        const skipped = created.leftOut.map(({ date }) => date)
        const booked = spans.filter(({ from }) => !skipped.includes(formatLocalDate(from, seat.zone)))
        await releaseBookings(call, givenUp, booked)
        return confirmSeries(call, { seat, time, ...created })
      }
      const { data } = await call.dispatch('bookings.create', booking)
      await releaseBookings(call, givenUp, spans)
      const guest = booking.guest_name ?? booking.guest_email
      const notice = guest
        ? t`${formatSeatPlace(seat)} is booked for ${guest}: ${formatWantedTime(time)}.`
        : t`${formatSeatPlace(seat)} is booked: ${formatWantedTime(time)}.`
      return { redirectTo: call.link(`/bookings/${data[0].id}`), notice }
    }),
    lend: action(lendForm, lendOwnDesk),
    'end-loan': action(endLoanForm, endOwnLoan),
    'move-here': action(moveHereForm, async (call) => {
      const seat = await requireSeat(call, call.params.id)
      const time = findTime(call, seat)
      const times = { from_time: time.isNow ? null : time.from, to_time: time.to }
      await call.dispatch('bookings.move', { id: call.form.booking, bookable_id: seat.id, ...times })
      const notice = t`${formatSeatPlace(seat)} is booked: ${formatWantedTime(time)}.`
      return { redirectTo: call.link(`/bookings/${call.form.booking}`), notice }
    }),
    request: action(requestForm, async (call) => {
      const invited = await requirePeople(call, call.form)
      if (call.form.show_times) return showWithTimes(call, call.form, invited)
      const { seat, time, booking } = await prepareBooking(call)
      const meeting = isMeeting(call.form) && {
        title: call.form.title ?? formatDefaultTitle(call),
        attendees: toAttendees(invited),
        invite: true,
      }
      const { data } = await call.dispatch('booking-requests.create', { ...booking, ...meeting })
      const lapses = formatTimeBeside(data.expires_at, call.now, seat.zone)
      const requested = meeting
        ? t`${formatSeatPlace(seat)} is requested with everybody: ${formatWantedTime(time)}. They are invited once somebody approves it.`
        : t`${formatSeatPlace(seat)} is requested: ${formatWantedTime(time)}. It is yours once somebody approves it.`
      return {
        redirectTo: call.link('/'),
        notice: `${requested} ${t`Without a decision by ${lapses}, the request lapses.`}`,
      }
    }),
  }),
  show: (call) => showSeatPage(call),
})

/** Shows the page. `typed` is what the person has entered, if they asked when everybody is free. */
async function showSeatPage(call: SeatCall, typed?: TypedMeeting): Promise<PageView> {
  const seat = await requireSeat(call, call.params.id)
  const time = findTime(call, seat)
  const isSpot = seat.type === BOOKABLE_TYPES.parkingSpot
  const isRoom = isMeetingRoomType(seat.type)
  const day = await findSeatDay(call, seat, time)
  // A refused form stays, so that the person can change it.
  const holder = call.refusedForm ? undefined : day.holder
  const [vehicles, ambiguous, freeTimes, alternatives, own, otherKind, loans] = await Promise.all([
    isSpot ? listVehicles(call.reads, call.requirePerson().id) : [],
    isRoom ? listAmbiguousNames(call, call.refusedForm) : [],
    isRoom && typed ? showTimes(call, seat, time, typed.invited) : null,
    showSeatAlternatives(call, seat, time, holder !== undefined && time.to > call.now),
    call.refusedForm ? undefined : findOwnBookingAt(call, seat.type, time),
    listOtherKindBookings(call, seat.type, [time]),
    showLoansOfDesk(call, seat.id, time.from),
  ])
  const asked = seat.needsApproval ? [] : otherKind.filter((each) => canReleaseForOtherKind(each, [time]))
  const otherBookings = [...(own ? [own] : []), ...otherKind.filter((each) => !asked.includes(each))]
  // Names the time zone if another booking, such as a home office booking, is in a different one.
  const isZoneNamed = asked.some(({ zone }) => zone !== seat.zone)
  const when = formatWantedTime(time) + (isZoneNamed ? ` (${formatZone(seat.zone)})` : '')
  const back = call.link('/book', { ...time.query, location: seat.locationId, type: seat.type })
  const facts = showFactList([
    [t`When`, when],
    [t`Equipment`, seat.tags.join(', ')],
    [t`Seats`, isSpot ? null : seat.capacity],
    [t`Approved by`, seat.needsApproval ? formatFirstItems(seat.approvers, NAMED_APPROVERS_MAX) : null],
  ])
  const options = {
    seat,
    time,
    vehicles,
    meeting: isRoom ? { values: typed?.values, ambiguous } : undefined,
    days: listOtherDays(call, seat, time),
    otherKind: asked,
  }
  const fullForm = showBookingForm(call, options)
  const form = holder
    ? html`${showHolder(call, seat, time, holder)}<details class="more-fields"><summary>${t`Other days`}</summary>${fullForm}</details>`
    : fullForm
  return {
    title: seat.name,
    lead: `${seat.location}, ${seat.building}`,
    content: html`${alternatives}${otherBookings.map((each) => showNotice('warn', t`You already have ${formatPlace(each)}, ${describeSpan(each, seat.zone)}.`))}
<div class="card">
${facts}
${showSeatDay(call, seat, time, day)}
${time.to <= call.now ? showNotice('warn', formatMessage(TIME_IS_OVER)) : form}</div>${freeTimes}${loans}
<p class="my-back">${showLink(back, t`Other places and times`, { class: 'button quiet' })}</p>`,
  }
}

function listOtherDays({ now }: SeatCall, seat: SeatDetails, time: WantedTime): string[] {
  const today = formatLocalDate(now, seat.zone)
  return listNextOpenDays(seat, now, OFFERED_DAYS + 2)
    .filter((date) => date !== time.date && date > today)
    .slice(0, OFFERED_DAYS)
}

/** A room becomes a meeting if the person enters whom to invite, or a title. */
const isMeeting = ({ people, title }: TypedMeeting['values']) => Boolean(people || title)

/** Shows the page again with what the person has entered, and with the times when everybody is free. */
const showWithTimes = (call: SeatCall, typed: TypedMeeting['values'], invited: Invitee[]) => ({
  show: () => showSeatPage(call, { values: { ...typed, people: formatPeople(invited) }, invited }),
})

const formatSeatPlace = (seat: SeatDetails) => formatPlace({ ...seat, bookable: seat.name })

const describeSpan = ({ from, to }: { from: string; to: string | null }, zone: string) =>
  `${formatTime(from, zone)} – ${to === null ? t`open-ended` : formatTime(to, zone)}`

type SeatForm = InferType<typeof requestForm> & Partial<InferType<typeof bookingForm>>
type TypedMeeting = { values: Partial<InferType<typeof bookingForm>>; invited: Invitee[] }
type SeatQuery = { date?: string; from?: string; to?: string }
type SeatCall = Call<{ id: number }, SeatQuery>
type MeetingForm = { title?: string | undefined; seen_conflicts?: string | undefined }
type MeetingAction = ActionCall<SeatCall['params'], SeatQuery, MeetingForm>

async function prepareBooking(call: ActionCall<SeatCall['params'], SeatCall['query'], SeatForm>) {
  const seat = await requireSeat(call, call.form.seat)
  const time = findFirstTime(findTime(call, seat), call.form.repeat_on ?? [], seat, call.now)
  if (time.to <= call.now) throw invalidFields({ to: [TIME_IS_OVER] })
  const isSpot = seat.type === BOOKABLE_TYPES.parkingSpot
  const vehicle = isSpot ? await findOrAddVehicle(call) : null
  if (seat.requiresVehicle && vehicle === null)
    throw invalidFields({ license_plate: [message`${seat.name} can only be booked with a vehicle.`] })
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

const findTime = (call: SeatCall, seat: SeatDetails): WantedTime =>
  findWantedTime(call.query, seat, call.now, isMeetingRoomType(seat.type))

type TypedDays = { days?: string[] | undefined; more_days?: string | undefined }

const listDays = ({ days = [], more_days }: TypedDays): string | undefined =>
  [...days, more_days ?? ''].filter(Boolean).join(',') || undefined

type BookedDays = { seat: SeatDetails; time: WantedTime; ids: number[]; leftOut: SkippedDay[] }

/** Confirms a series. If others have taken the place on some days, the next page offers free places for these days. */
function confirmSeries(call: Call, { seat, time, ids, leftOut }: BookedDays) {
  const booked = plural(
    ids.length,
    '{0} is booked on # day.',
    '{0} is booked on # days.',
    formatSeatPlace(seat),
  )
  const taken = leftOut.filter(({ code }) => code === 'booking_conflict').map(({ date }) => date)
  const canReplace = taken.length > 0 && seat.type !== BOOKABLE_TYPES.parkingSpot
  return {
    redirectTo: canReplace
      ? formatBookInsteadAddress(call, seat.id, time, taken)
      : call.link(ids[0] === undefined ? '/' : `/bookings/${ids[0]}`),
    notice: `${booked}${describeSkippedDays(leftOut)}`,
  }
}

/** Shows when these people are free. Each suggested time is a button that shows the page at that time. */
async function showTimes(call: SeatCall, seat: SeatDetails, time: WantedTime, invited: Invitee[]) {
  const known = invited.flatMap(({ id }) => id ?? [])
  const found = await findFreeTimes(call, {
    userIds: [call.requirePerson().id, ...known],
    unknown: invited.length - known.length,
    room: { id: seat.id, hours: seat.hours },
    event: null,
    from: time.from,
    to: time.to,
    zone: seat.zone,
  })
  return showFreeTimes(found, (span) => {
    return showTimesButton(formatSuggestion(span, seat.zone), call.linkHere(toTimeQuery(span, seat.zone)))
  })
}

type WantedMeeting = {
  seat: SeatDetails
  time: WantedTime
  invited: Invitee[]
  repeat: ReturnType<typeof requireRepeat>
}

/** Creates a meeting, or a series of meetings that leaves out days on which the room is taken. */
async function createMeeting(call: MeetingAction, { seat, time, invited, repeat }: WantedMeeting) {
  const meeting = {
    name: call.form.title ?? formatDefaultTitle(call),
    from_time: time.isNow ? null : time.from,
    to_time: time.to,
    from_timezone: time.zone,
    to_timezone: time.zone,
    organizer_user_id: call.requirePerson().id,
    attendees: [{ type: 'bookable' as const, id: seat.id }, ...toAttendees(invited)],
    invite: true,
  }
  if (repeat) {
    refuseUnseenConflicts(call, seat.zone, await call.dispatch('event-series.check', { ...meeting, repeat }))
    const { data } = await call.dispatch('event-series.create', { ...meeting, repeat, on_conflict: 'skip' })
    const booked = plural(
      data.created.length,
      '{0} is booked on # day.',
      '{0} is booked on # days.',
      formatSeatPlace(seat),
    )
    const notice = `${booked}${describeSkippedDays(skippedDays(data, seat.zone))}`
    return { redirectTo: call.link(`/meetings/${data.created[0]?.id}`), notice }
  }
  const { data } = await call.dispatch('events.create', meeting)
  const notice = t`${formatSeatPlace(seat)} is booked: ${formatWantedTime(time)}.`
  return { redirectTo: call.link(`/meetings/${data.id}`), notice }
}
