// A booking as a person sees it: where, when, and what they can do about it now.
import { formatLocalDate } from '../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../http/html.ts'
import type { Call } from '../pages/kit/page.ts'
import { t } from '../pages/locales/translate.ts'
import { formatDate, formatTime } from '../pages/time/instants.ts'
import { form } from '../pages/ui/forms.ts'
import type { OwnBooking, OwnMeeting } from './own-bookings.ts'

type Span = { from: string; to: string | null }

/** `09:00 – 17:00` today, `Fri 20 Nov, 09:00 – 17:00` on other days. */
export function formatSpan({ from, to }: Span, zone: string, now: string): string {
  const today = formatLocalDate(now, zone)
  const begins = formatLocalDate(from, zone)
  const beside = (instant: string, day: string) => {
    const own = formatLocalDate(instant, zone)
    return own === day
      ? formatTime(instant, zone)
      : `${formatDate(own, 'weekday')}, ${formatTime(instant, zone)}`
  }
  const end = to === null ? t`open-ended` : beside(to, begins)
  return `${beside(from, today)} – ${end}`
}

export const showBookings = (call: Call, bookings: OwnBooking[]): Html =>
  html`<ul class="my-list">${bookings.map((each) => showBooking(call, each))}</ul>`

function showBooking(call: Call, booking: OwnBooking): Html {
  const { zone, bookable, location, building, guest, mayCheckIn, checkInUntil, checkedInAt } = booking
  return html`<li class="card my-booking"><div><span class="my-time">${formatSpan(booking, zone, call.now)}</span>
<strong>${bookable}</strong>
<span class="soft">${location}, ${building}</span>
${guest !== null && html`<span>${t`For ${guest}`}</span>`}
${mayCheckIn && checkInUntil !== null && html`<span class="badge warn">${t`Check in by ${formatTime(checkInUntil, zone)}`}</span>`}
${checkedInAt !== null && html`<span class="badge good">${t`checked in`}</span>`}</div>
${showActions(call, booking)}</li>`
}

function showActions(call: Call, { id, bookable, isRunning, mayCheckIn }: OwnBooking): Html {
  const button = (action: string, submit: string, tone: 'primary' | 'quiet') =>
    form(call, {
      ...{ action, submit, tone, key: id, hidden: { id }, isInline: true },
      submitLabel: `${submit}: ${bookable}`,
    })
  return html`<div class="buttons">${mayCheckIn && button('check-in', t`Check in`, 'primary')}
${isRunning ? button('leave', t`Leave now`, 'quiet') : button('cancel', t`Cancel`, 'quiet')}</div>`
}

export function showMeeting({ now }: Call, meeting: OwnMeeting): Html {
  const { name, rooms } = meeting
  const zone = rooms[0]?.zone ?? 'UTC'
  return html`<li class="card my-booking"><div><span class="my-time">${formatSpan(meeting, zone, now)}</span>
<strong>${name}</strong>
<span class="soft">${rooms.map(({ room, location }) => `${room}, ${location}`).join(' · ')}</span></div></li>`
}
