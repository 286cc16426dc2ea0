// A booking as a person sees it: where, when, and what they can do about it now.
import { formatLocalDate } from '../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../http/html.ts'
import type { Call } from '../pages/kit/page.ts'
import { t } from '../pages/locales/translate.ts'
import { formatDate, formatTime } from '../pages/time/instants.ts'
import { form } from '../pages/ui/forms.ts'
import { formatFirst, showLink, showLinkOrText } from '../pages/ui/parts.ts'
import { isForMeetings } from './book/wanted.ts'
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

/** A room whose booking can become a meeting. */
export const mayInvite = ({ type, guest, to, checkedInAt, needsApproval }: OwnBooking) =>
  isForMeetings(type) && guest === null && to !== null && checkedInAt === null && !needsApproval

function showActions(call: Call, booking: OwnBooking): Html {
  const { id, bookable, isRunning, mayCheckIn } = booking
  const button = (action: string, submit: string, tone: 'primary' | 'quiet') =>
    form(call, {
      ...{ action, submit, tone, key: id, hidden: { id }, isInline: true },
      submitLabel: `${submit}: ${bookable}`,
    })
  return html`<div class="buttons">${mayCheckIn && button('check-in', t`Check in`, 'primary')}
${mayInvite(booking) && showLink(call.link(`/bookings/${id}/invite`), t`Invite`, { class: 'button quiet', 'aria-label': `${t`Invite`}: ${bookable}` })}
${isRunning ? button('leave', t`Leave now`, 'quiet') : button('cancel', t`Cancel`, 'quiet')}</div>`
}

const NAMED_MAX = 3

export function showMeeting(call: Call, meeting: OwnMeeting): Html {
  const { id, name, people } = meeting
  const others = people.map(({ who }) => who)
  return html`<li class="card my-booking"><div><span class="my-time">${formatSpan(meeting, zoneOf(meeting), call.now)}</span>
<strong>${showLinkOrText(call.link(`/meetings/${id}`), name)}</strong>
<span class="soft">${formatRooms(meeting)}</span>
${others.length > 0 && html`<span>${t`With ${formatFirst(others, NAMED_MAX)}`}</span>`}</div></li>`
}

export const zoneOf = ({ rooms }: OwnMeeting) => rooms[0]?.zone ?? 'UTC'
export const formatRooms = ({ rooms }: OwnMeeting) =>
  rooms.map(({ room, location }) => `${room}, ${location}`).join(' · ')
