// My day: what the person has booked, today and next, with what they can do about it.
import { object, queryId, required } from '../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../shared/schemas/wall-clock.ts'
import { type Call, page } from '../dashboard/kit/page.ts'
import { sentence, t } from '../dashboard/locales/translate.ts'
import { formatDate, formatDayAndTime, formatTime, formatTimeBeside } from '../dashboard/time/instants.ts'
import { form } from '../dashboard/ui/forms.ts'
import { showEmpty } from '../dashboard/ui/states.ts'
import { type Html, html } from '../http/html.ts'
import { listOwnBookings, listOwnMeetings, type OwnBooking, type OwnMeeting } from './own-bookings.ts'

const oneBooking = object({ id: required(queryId()) })

export const myDay = page({
  path: '/',
  title: sentence`My day`,
  section: 'My day',
  actions: (action) => ({
    'check-in': action(oneBooking, async (call) => {
      await call.dispatch('bookings.check-in', { id: call.form.id })
      return { redirectTo: call.link('/'), notice: t`You are checked in.` }
    }),
    leave: action(oneBooking, async (call) => {
      const { data } = await call.dispatch('bookings.cancel', { ids: [call.form.id] })
      const isOver = data.kept.length > 0
      const notice = isOver
        ? t`This booking was over already.`
        : t`Your booking ends now. Others can have the place.`
      return { redirectTo: call.link('/'), notice }
    }),
    cancel: action(oneBooking, async (call) => {
      await call.dispatch('bookings.delete', { id: call.form.id })
      return { redirectTo: call.link('/'), notice: t`Cancelled.` }
    }),
  }),
  async show(call) {
    const [bookings, meetings] = await Promise.all([listOwnBookings(call), listOwnMeetings(call)])
    const isToday = ({ from, zone }: OwnBooking) =>
      formatLocalDate(from, zone) <= formatLocalDate(call.now, zone)
    const today = bookings.filter(isToday)
    const next = bookings.filter((each) => !isToday(each))
    const [zone] = bookings.map((each) => each.zone)
    return {
      title: formatDate(formatLocalDate(call.now, zone ?? 'UTC'), 'dayOfYear'),
      content: html`${today.length === 0 ? showEmpty(t`You have booked nothing today.`) : showBookings(call, today)}
${meetings.length > 0 && html`<h2>${t`Meetings`}</h2><ul class="my-list">${meetings.map(showMeeting)}</ul>`}
${next.length > 0 && html`<h2>${t`Next`}</h2>${showBookings(call, next)}`}`,
    }
  },
})

const showBookings = (call: Call, bookings: OwnBooking[]): Html =>
  html`<ul class="my-list">${bookings.map((each) => showBooking(call, each))}</ul>`

function showBooking(call: Call, booking: OwnBooking): Html {
  const { id, from, to, zone, bookable, location, building, isRunning, mayCheckIn, checkedInAt } = booking
  const button = (action: string, submit: string, tone: 'primary' | 'quiet') =>
    form(call, {
      action,
      submit,
      tone,
      key: id,
      hidden: { id },
      isInline: true,
      submitLabel: `${submit}: ${bookable}`,
    })
  return html`<li class="card my-booking"><div><strong>${bookable}</strong>
<span>${location}, ${building}</span>
<span>${formatDayAndTime(from, zone)} – ${formatTimeBeside(to, from, zone)}</span>
${booking.guest !== null && html`<span>${t`For ${booking.guest}`}</span>`}
${mayCheckIn && booking.checkInUntil !== null && html`<span class="badge warn">${t`Check in by ${formatTime(booking.checkInUntil, zone)}`}</span>`}
${checkedInAt !== null && html`<span class="badge good">${t`checked in`}</span>`}</div>
<div class="buttons">${mayCheckIn && button('check-in', t`Check in`, 'primary')}
${isRunning ? button('leave', t`Leave now`, 'quiet') : button('cancel', t`Cancel`, 'quiet')}</div></li>`
}

function showMeeting({ name, from, to, rooms }: OwnMeeting): Html {
  const zone = rooms[0]?.zone ?? 'UTC'
  return html`<li class="card my-booking"><div><strong>${name}</strong>
<span>${rooms.map(({ room, location }) => `${room}, ${location}`).join(' · ')}</span>
<span>${formatDayAndTime(from, zone)} – ${formatTimeBeside(to, from, zone)}</span></div></li>`
}
