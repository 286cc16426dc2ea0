// A booking as a person sees it: where, when, and what they can do about it now.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import { addDaysToDate, formatDate, formatTime, formatTimeBeside } from '../pages/time/instants.ts'
import { formatZone } from '../pages/time/zones.ts'
import { formatBookableType, formatPlace } from '../pages/ui/bookables.ts'
import { form } from '../pages/ui/forms.ts'
import { formatFirst, showLink, showLinkOrText } from '../pages/ui/parts.ts'
import { isForMeetings } from './book/wanted.ts'
import type { OwnBooking, OwnMeeting } from './own-bookings.ts'
import { bookingFields } from './present-booking.ts'

type Span = { from: string; to: string | null }

// From then on, a weekday and a date no longer say which year is meant.
const DAYS_WITHOUT_YEAR = 300

/** `09:00 – 17:00` today, `Fri 20 Nov, 09:00 – 17:00` on other days. */
export function formatSpan({ from, to }: Span, zone: string, now: string): string {
  const today = formatLocalDate(now, zone)
  const begins = formatLocalDate(from, zone)
  const beside = (instant: string, day: string) => {
    const own = formatLocalDate(instant, zone)
    if (own === day) return formatTime(instant, zone)
    const isFar = own > addDaysToDate(today, DAYS_WITHOUT_YEAR)
    return `${formatDate(own, isFar ? 'weekdayOfYear' : 'weekday')}, ${formatTime(instant, zone)}`
  }
  const end = to === null ? t`open-ended` : beside(to, begins)
  return `${beside(from, today)} – ${end}`
}

/** With `areZonesMixed`, each booking says that its times are those of its place. */
export const showBookings = (call: Call, bookings: OwnBooking[], areZonesMixed: boolean): Html =>
  html`<ul class="my-list">${bookings.map((each) => showBooking(call, each, areZonesMixed))}</ul>`

/** The type and the plate, which a name such as “P-001” or “Indus” does not say. */
const formatKind = ({ type, plate }: OwnBooking) =>
  [type !== BOOKABLE_TYPES.desk && formatBookableType(type), plate].filter(Boolean).join(' · ')

function showBooking(call: Call, booking: OwnBooking, areZonesMixed: boolean): Html {
  const { id, zone, bookable, location, building, guest, mayCheckIn, checkInUntil, checkedInAt } = booking
  const kind = formatKind(booking)
  // The word joiner keeps a line from ending with the dash.
  const span = formatSpan(booking, zone, call.now).replace(' – ', '\u00a0–\u2060\u00a0')
  return html`<li class="card my-booking"><div><span class="my-time">${areZonesMixed ? t`${span} local time` : span}</span>
<strong>${showLinkOrText(call.link(`/bookings/${id}`), bookable)}</strong>
${kind !== '' && html`<span class="soft">${kind}</span>`}
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
      action,
      submit,
      tone,
      key: id,
      hidden: bookingFields(booking),
      isInline: true,
      submitLabel: `${submit}: ${bookable}`,
    })
  return html`<div class="buttons">${mayCheckIn && button('check-in', t`Check in`, 'primary')}
${mayInvite(booking) && showLink(call.link(`/bookings/${id}/invite`), t`Invite`, { class: 'button quiet', 'aria-label': `${t`Invite`}: ${bookable}` })}
${isRunning ? button('leave', t`Leave now`, 'quiet') : button('cancel', t`Cancel it`, 'quiet')}</div>`
}

/** Names the time zone if the rooms or the person's other bookings are in several: “local time” would not say whose. */
export function formatMeetingSpan(meeting: OwnMeeting, now: string, areZonesMixed: boolean): string {
  const { zone, rooms } = meeting
  const span = formatSpan(meeting, zone, now)
  return areZonesMixed || rooms.some((room) => room.zone !== zone) ? `${span} (${formatZone(zone)})` : span
}

const NAMED_MAX = 3

export function showMeeting(call: Call, meeting: OwnMeeting, areZonesMixed: boolean): Html {
  const { id, name, people } = meeting
  const isOwn = meeting.organizerId === call.requirePerson().id
  const lost = explainLost(meeting)
  const others = people.map(({ who }) => who)
  return html`<li class="card my-booking"><div><span class="my-time">${formatMeetingSpan(meeting, call.now, areZonesMixed)}</span>
<strong>${showLinkOrText(call.link(`/meetings/${id}`), name)}</strong>
${meeting.rooms.length > 0 && html`<span class="soft">${formatRooms(meeting)}</span>`}
${lost && html`<span class="badge bad long">${lost}</span>`}
${listUnusable(meeting, call.now).map((each) => html`<span class="badge warn long">${each}</span>`)}
${others.length > 0 && html`<span>${t`With ${formatFirst(others, NAMED_MAX)}`}</span>`}</div>
${lost && isOwn && html`<div class="buttons">${showLink(call.link(`/meetings/${id}`), t`Choose another room`, { class: 'button' })}</div>`}</li>`
}

/** Undefined while the meeting has a room, or has never had one. */
export function explainLost({ lost: [last] }: OwnMeeting): string | undefined {
  if (!last) return undefined
  const { room, closedReason, isBlocked, isDeleted } = last
  if (closedReason !== null)
    return t`This meeting has lost its room: ${room} is closed at that time (${closedReason}).`
  if (isDeleted) return t`This meeting has lost its room: ${room} no longer exists.`
  return isBlocked
    ? t`This meeting has lost its room: ${room} is blocked.`
    : t`This meeting has lost its room. It was in ${room}.`
}

/** A sentence for each room that the meeting keeps although it is closed or blocked. */
export const listUnusable = ({ rooms, from }: OwnMeeting, now: string): string[] =>
  rooms.flatMap(({ room, zone, closedReason, closedUntil, isBlocked }) => {
    if (closedReason !== null && closedUntil !== null)
      return t`${room} is closed until ${formatTimeBeside(closedUntil, from > now ? from : now, zone)} (${closedReason}).`
    return isBlocked ? t`${room} is blocked.` : []
  })

export const formatRooms = ({ rooms }: OwnMeeting) =>
  rooms.map(({ room, ...place }) => formatPlace({ ...place, bookable: room })).join(' · ')
