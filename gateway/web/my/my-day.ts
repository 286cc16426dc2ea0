// My day: what the person has booked, today and next, with what they can do about it, and who else is in.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, queryFlag, queryId, required } from '../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../html/html.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, page } from '../pages/page/page.ts'
import { findCommonZone } from '../pages/search/choices.ts'
import { formatDate, formatTime } from '../pages/time/instants.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import { form } from '../pages/ui/forms.ts'
import { showLink } from '../pages/ui/parts.ts'
import { showEmpty } from '../pages/ui/states.ts'
import { otherKindAddress } from './book/other-kind.ts'
import { declineOffer, oneWait, showOffers, takeOffer } from './offers.ts'
import { listOwnBookings, listOwnMeetings } from './own-bookings.ts'
import { countOpenRequests } from './own-requests.ts'
import { listOwnWaits } from './own-waits.ts'
import { checkIn, endBooking, oneBooking } from './present-booking.ts'
import { formatSpan, showBookings, showMeeting } from './show-bookings.ts'
import { showOpenRequests } from './show-requests.ts'
import { findUsualDesk, type UsualDesk } from './usual-desk.ts'
import { listCircle, listPresent, type Present, showFloors, showPerson } from './who-is-in.ts'

const NEXT_MAX = 10
const IS_TAKEN = message`Your usual desk is no longer free today.`

export const myDay = page({
  path: '/',
  title: sentence`My day`,
  section: 'My day',
  query: object({ all: queryFlag() }),
  actions: (action) => ({
    'check-in': action(oneBooking, async (call) => {
      await checkIn(call)
      return { redirectTo: call.link('/'), notice: t`You are checked in.` }
    }),
    leave: action(oneBooking, end),
    cancel: action(oneBooking, end),
    'take-offer': action(oneWait, takeOffer),
    'decline-offer': action(oneWait, declineOffer),
    'book-usual': action(object({ id: required(queryId()) }), async (call) => {
      const desk = await findUsualDesk(call)
      if (desk?.bookableId !== call.form.id) throw new Refusal('booking_conflict', IS_TAKEN)
      const ask = await otherKindAddress(call, { ...desk, id: desk.bookableId }, desk)
      if (ask) return { redirectTo: ask }
      const times = { from_time: desk.from, to_time: desk.to }
      const place = { bookable_id: desk.bookableId, location_id: desk.locationId }
      await call.dispatch('bookings.create', { ...place, ...times, user_id: call.requirePerson().id })
      const until = formatTime(desk.to, desk.zone)
      return { redirectTo: call.link('/'), notice: t`${formatPlace(desk)} is yours until ${until}.` }
    }),
  }),
  async show(call) {
    const [bookings, meetings, waits, requests, circle, usual, zone] = await Promise.all([
      ...([
        listOwnBookings(call),
        listOwnMeetings(call),
        listOwnWaits(call),
        countOpenRequests(call),
      ] as const),
      ...([
        listCircle(call, [{ at: call.now, isToday: true }]),
        findUsualDesk(call),
        findCommonZone(call.reads),
      ] as const),
    ])
    const present = listPresent(circle)
    const isToday = (from: string, zone: string) =>
      formatLocalDate(from, zone) <= formatLocalDate(call.now, zone)
    const today = bookings.filter(({ from, zone }) => isToday(from, zone))
    const next = bookings.filter((each) => !today.includes(each))
    const shown = call.query.all ? next : next.slice(0, NEXT_MAX)
    const areZonesMixed = new Set([...bookings, ...meetings].map((each) => each.zone)).size > 1
    const hasMeeting = meetings.some((each) => isToday(each.from, each.zone))
    const hasDesk = today.some(({ type }) => type === usual?.type)
    return {
      title: formatDate(formatLocalDate(call.now, bookings[0]?.zone ?? zone), 'dayOfYear'),
      content: html`${showOffers(call, waits, bookings)}${showOpenRequests(call, requests)}
${today.length === 0 ? !hasMeeting && showNothingToday(call) : showBookings(call, today, areZonesMixed)}
${usual && !hasDesk && showUsual(call, usual)}
${meetings.length > 0 && html`<h2>${t`Meetings`}</h2><ul class="my-list">${meetings.map((each) => showMeeting(call, each, areZonesMixed))}</ul>`}
${circle.length > 0 && showWhoIsIn(call, present)}
${next.length > 0 && html`<h2>${t`Coming up`}</h2>${showBookings(call, shown, areZonesMixed)}`}
${shown.length < next.length && html`<p>${showLink(call.linkHere({ all: 'true' }), t`Show all`, { class: 'button quiet' })}</p>`}`,
    }
  },
})

async function end(call: Parameters<typeof endBooking>[0]) {
  const booking = await endBooking(call)
  if (!booking) return { redirectTo: call.link('/'), notice: t`Cancelled.` }
  const notice = booking.isRunning
    ? t`Your booking of ${formatPlace(booking)} ends now. Others can book it now.`
    : t`Cancelled: ${formatPlace(booking)}, ${formatSpan(booking, booking.zone, call.now)}.`
  return { redirectTo: call.link('/'), notice }
}

const showNothingToday = (call: Call): Html =>
  showEmpty(
    t`You have booked nothing for the rest of today.`,
    showLink(call.link('/book'), t`Book`, { class: 'button quiet' }),
  )

function showUsual(call: Call, desk: UsualDesk): Html {
  const { bookableId, bookable, location, building, zone } = desk
  return html`<section class="card my-booking"><div><span class="soft">${t`Your usual desk is free`}</span>
<strong>${bookable}</strong><span class="soft">${location}, ${building} · ${formatSpan(desk, zone, call.now)}</span></div>
${form(call, { action: 'book-usual', submit: t`Book my usual desk today`, hidden: { id: bookableId }, isInline: true })}</section>`
}

const SHOWN_MAX = 12

const showWhoIsIn = (call: Call, present: Present[]): Html =>
  html`<h2>${t`Who is in`}</h2>
${
  present.length === 0
    ? html`<p class="soft">${t`Nobody from your favourites or groups so far.`} ${showLink(call.link('/people'), t`Find colleagues`)}</p>`
    : showFloors(present, (each) => showPerson(call, each), SHOWN_MAX)
}`
