// The My day page: what the person has today and later on one line of time, and who else is in.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { object, queryFlag, queryId, required } from '../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../html/html.ts'
import { numberColumn, selectRows } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { findCommonZone } from '../pages/search/choices.ts'
import { formatDate } from '../pages/time/instants.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { form } from '../pages/ui/forms.ts'
import { showLink } from '../pages/ui/parts.ts'
import { toTimeQuery } from './book/wanted-time.ts'
import { endAndDescribe } from './bookings/booking.ts'
import {
  listBookedForOthers,
  listOwnBookings,
  listOwnMeetings,
  type OwnMeeting,
} from './bookings/own-bookings.ts'
import { bookingIdForm, checkIn } from './bookings/present-booking.ts'
import { endLoanForm, endOwnLoan, lendForm, lendOwnDesk, showOwnDesksToday } from './lend/lend-card.ts'
import { addRoomToMeeting, showOfferedRooms, takeRoomForm } from './lost-room.ts'
import { declineOffer, showOffers, takeOffer, waitlistEntryIdForm } from './offers.ts'
import { countRequestsToDecide, listOwnRequests, PENDING } from './own-requests.ts'
import { listOwnWaitlistEntries } from './own-waits.ts'
import { showRequestsToDecide } from './show-requests.ts'
import {
  compareEntries,
  createBookingEntry,
  createEntryForOther,
  createMeetingEntry,
  createRequestEntry,
  createWaitEntry,
  groupSeries,
  isTodayOrNow,
  showTimeline,
} from './timeline.ts'
import { findUsualDesk, type UsualDesk } from './usual-desk.ts'
import { listFavouritesAndGroups } from './week/favourites-and-groups.ts'
import { showListedMax } from './week/show-people.ts'
import { listPresentColleagues, type PresentColleague, showFloors, showPerson } from './who-is-in.ts'

const NEXT_ENTRIES_MAX = 10

export const myDayPage = definePage({
  path: '/',
  title: sentence`My day`,
  section: 'My day',
  query: object({ all: queryFlag() }),
  actions: (action) => ({
    'check-in': action(bookingIdForm, async (call) => {
      await checkIn(call)
      return { redirectTo: call.link('/'), notice: t`You are checked in.` }
    }),
    leave: action(bookingIdForm, async (call) => ({
      redirectTo: call.link('/'),
      notice: await endAndDescribe(call),
    })),
    'cancel-for-other': action(object({ id: required(queryId()) }), async (call) => {
      await call.dispatch('bookings.delete', call.form)
      return { redirectTo: call.link('/'), notice: t`Cancelled.` }
    }),
    'take-offer': action(waitlistEntryIdForm, takeOffer),
    'decline-offer': action(waitlistEntryIdForm, declineOffer),
    'take-room': action(takeRoomForm, addRoomToMeeting),
    lend: action(lendForm, lendOwnDesk),
    'end-loan': action(endLoanForm, endOwnLoan),
  }),
  async show(call) {
    const [bookings, meetings, waits, toDecide, asked, forOthers, usual, zone, room, ownDesks] =
      await Promise.all([
        listOwnBookings(call),
        listOwnMeetings(call),
        listOwnWaitlistEntries(call),
        countRequestsToDecide(call),
        listOwnRequests(call),
        listBookedForOthers(call),
        findUsualDesk(call),
        findCommonZone(call.reads),
        findAnyRoom(call),
        showOwnDesksToday(call),
      ])
    // A statement of its own: joined with the others, it would take Postgres several times as long to plan.
    const colleagues = await listFavouritesAndGroups(call, [{ at: call.now, isToday: true }])
    const rooms = await listOfferedRooms(call, meetings)
    const entries = groupSeries(
      [
        ...bookings.map((each) => createBookingEntry(call, each)),
        ...meetings.map((each) => createMeetingEntry(call, each, rooms.get(each.id))),
        ...asked
          .filter(({ state, expiresAt }) => state === PENDING && expiresAt > call.now)
          .map((each) => createRequestEntry(call, each)),
        ...waits.filter(({ state }) => state === 'waiting').map(createWaitEntry),
        ...forOthers.map((each) => createEntryForOther(call, each)),
      ].sort(compareEntries),
    )
    const today = entries.filter((each) => isTodayOrNow(each, call.now))
    const next = entries.slice(today.length)
    const shown = call.query.all ? next : next.slice(0, NEXT_ENTRIES_MAX)
    const hasDesk = bookings.some((each) => each.type === usual?.type && isTodayOrNow(each, call.now))
    const present = listPresentColleagues(colleagues)
    return {
      title: formatDate(formatLocalDate(call.now, bookings[0]?.zone ?? zone), 'dayOfYear'),
      tools: room.length > 0 ? showRoomNow(call) : null,
      content: html`<div class="my-columns"><div>${showOffers(call, waits, bookings)}${showRequestsToDecide(call, toDecide)}
${ownDesks}${usual && !hasDesk ? showUsualDesk(call, usual) : today.length === 0 && showNothingToday(call)}
${showTimeline(call, [...today, ...shown])}
${shown.length < next.length && html`<p>${showLink(call.linkHere({ all: 'true' }), t`Show all`, { class: 'button quiet' })}</p>`}</div>
${colleagues.length > 0 && html`<div>${showWhoIsIn(call, present)}${showListedMax(colleagues)}</div>`}</div>`,
    }
  },
})

const LOST_ROOMS_MAX = 3

/** Shows free rooms for the person's next meetings that have lost their rooms. Returns the buttons by the
 * meeting's id. */
async function listOfferedRooms(call: Call, meetings: OwnMeeting[]) {
  const { id } = call.requirePerson()
  const lost = meetings
    .filter((each) => each.organizerId === id && each.lost.length > 0)
    .slice(0, LOST_ROOMS_MAX)
  const offers = await Promise.all(
    lost.map(async (each) => [each.id, await showOfferedRooms(call, each)] as const),
  )
  return new Map(offers)
}

const findAnyRoom = ({ reads }: Call) =>
  selectRows(
    reads,
    { id: numberColumn('id') },
    `bookables WHERE type = ${BOOKABLE_TYPES.meetingRoom} AND deleted_at IS NULL LIMIT 1`,
  )

const showRoomNow = (call: Call) =>
  showLink(call.link('/book', { type: BOOKABLE_TYPES.meetingRoom, now: 'true' }), t`Book a room now`, {
    class: 'button quiet',
  })

/** Shows the empty state: one line with one button. */
const showLineWithButton = (line: string, button: Html | null): Html =>
  html`<div class="my-line"><span>${line}</span>${button}</div>`

const showNothingToday = (call: Call): Html =>
  showLineWithButton(
    t`You have nothing booked today.`,
    showLink(call.link('/book'), t`Book`, { class: 'button primary' }),
  )

/** Shows the button that books the usual desk. The page of the desk books it, and says what helps if it cannot. */
function showUsualDesk(call: Call, desk: UsualDesk): Html {
  const { bookableId, bookable, location, zone, from, to } = desk
  const span = formatSpan({ from, to }, zone, call.now)
  return showLineWithButton(
    t`Your usual desk is free: ${bookable}, ${location}, ${span}`,
    form(call, {
      action: 'book',
      address: call.link(`/book/${bookableId}`, toTimeQuery(desk, zone)),
      submit: t`Book my usual desk today`,
      hidden: { seat: bookableId },
      isInline: true,
    }),
  )
}

const SHOWN_COLLEAGUES_MAX = 12

const showWhoIsIn = (call: Call, present: PresentColleague[]): Html =>
  html`<h2>${t`Who is in`}</h2>
${
  present.length === 0
    ? html`<p class="soft">${t`Nobody from your favourites or groups is in so far.`} ${showLink(call.link('/people'), t`Find colleagues`)}</p>`
    : showFloors(present, (each) => showPerson(call, each), SHOWN_COLLEAGUES_MAX)
}`
