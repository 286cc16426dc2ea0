// Shows a booking as a card, with the actions that the person can take. The most likely actions come first. “Cancel it”
// is behind “…”.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t, translate } from '../../locales/translate.ts'
import { showScope } from '../../pages/bookings/series-scope.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatTime } from '../../pages/time/instants.ts'
import { showAvatar } from '../../pages/ui/avatars.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { NOTICE_PLACE } from '../../pages/ui/notice.ts'
import { showFactList, showLink } from '../../pages/ui/parts.ts'
import type { BookedSpan, Seat } from '../book/seats.ts'
import { toTimeQuery } from '../book/wanted-time.ts'
import type { NearColleague } from './near-people.ts'
import { canInvite, type OwnBooking } from './own-bookings.ts'
import { createHiddenBookingFields } from './present-booking.ts'

type ShownBooking = {
  booking: OwnBooking
  /** Other free times on that day. */
  times: BookedSpan[]
  /** Free places at the same time, with the nearest first. */
  seats: Seat[]
  near: NearColleague[]
  alternatives: Html | undefined
}

/** Shows the card. A notice in it says what has just happened, with a button that undoes it. */
export function showBookingCard(
  call: Call,
  { booking, times, seats, near, alternatives }: ShownBooking,
): Html {
  return html`${alternatives}<div class="card my-card">${NOTICE_PLACE}
${showState(booking)}
${showActions(call, booking)}
${showTimes(call, booking, times)}
${seats.length > 0 && showOtherSeats(call, booking, seats)}
${near.length > 0 && showNearColleagues(call, near)}
${showFactList([
  [t`For`, booking.guest],
  [t`Booked by`, booking.bookedBy],
  [t`License plate`, booking.plate],
])}</div>
<p>${showLink(call.link('/'), t`My day`, { class: 'button quiet my-back' })}</p>`
}

function showState({ mayCheckIn, checkInUntil, checkedInAt, seriesId, zone }: OwnBooking): Html | false {
  const badges = [
    mayCheckIn &&
      checkInUntil !== null &&
      html`<span class="badge warn">${t`Check in by ${formatTime(checkInUntil, zone)}`}</span>`,
    checkedInAt !== null && html`<span class="badge good">${t`checked in`}</span>`,
    seriesId !== null && html`<span class="badge">${t`repeats`}</span>`,
  ].filter((each) => each !== false)
  return badges.length > 0 && html`<p>${badges}</p>`
}

function showActions(call: Call, booking: OwnBooking): Html {
  const { id, bookable, isRunning, mayCheckIn, type, seriesId } = booking
  const hidden = createHiddenBookingFields(booking)
  const button = (action: string, submit: string, tone: 'primary' | 'quiet') =>
    form(call, { action, submit, tone, hidden, isInline: true, submitLabel: `${submit}: ${bookable}` })
  const link = (path: string, label: string, more = {}) =>
    showLink(call.link(`/bookings/${id}/${path}`), label, { class: 'button quiet', ...more })
  const cancel = (label: string, scope: string) =>
    form(call, {
      action: 'cancel',
      key: scope,
      submit: label,
      tone: 'danger',
      hidden: { ...hidden, scope },
      isInline: true,
    })
  const one = isRunning ? t`Leave now` : t`Cancel it`
  const items =
    seriesId === null
      ? [cancel(one, 'one')]
      : SCOPE_WORDS.map(([scope, words]) => cancel(translate(words), scope))
  return html`<div class="buttons">${mayCheckIn && button('check-in', t`Check in`, 'primary')}
${type !== BOOKABLE_TYPES.homeOffice && showLink(formatMapAddress(call, booking), t`Map`, { class: 'button quiet' })}
${link('calendar', t`Add to calendar`, { download: true })}
${canInvite(booking) && link('invite', t`Invite`, { 'aria-label': `${t`Invite`}: ${bookable}` })}
${showMoreMenu(items, bookable)}</div>`
}

/** Returns the address of the map of the floor at the time of the booking, which marks the place. */
function formatMapAddress(call: Call, { from, to, zone, locationId, type, bookableId }: OwnBooking): string {
  const time = to === null ? {} : toTimeQuery({ from, to }, zone)
  return call.link('/book', { ...time, location: locationId, type, near: bookableId })
}

const SCOPE_WORDS = [
  ['one', sentence`Cancel this one`],
  ['following', sentence`Cancel this and following`],
  ['all', sentence`Cancel all`],
] as const

/** Formats only the part of another time that differs: the start, the end, or both. */
function formatOtherTime(span: BookedSpan, { from, to, zone }: OwnBooking): string {
  const [start, end] = [formatTime(span.from, zone), formatTime(span.to, zone)]
  if (span.to === to) return t`From ${start}`
  return span.from === from ? t`Until ${end}` : `${start} – ${end}`
}

/** Shows other times on that day as buttons, and fields for any other time. */
function showTimes(call: Call, booking: OwnBooking, times: BookedSpan[]): Html {
  const { from, to, zone, seriesId } = booking
  const chips = times.map((span) => {
    const label = formatOtherTime(span, booking)
    return html`<button class="button quiet" name="span" value="${span.from} ${span.to}">${label}</button>`
  })
  const choices =
    chips.length > 0 &&
    form(call, { action: 'set-time' }, (fields) => [
      showScope(fields, seriesId),
      html`<div class="chips">${chips}</div>`,
    ])
  const values = {
    from_time: formatLocalDateTime(from, zone),
    to_time: to === null ? '' : formatLocalDateTime(to, zone),
  }
  const isTyped = call.refusedForm?.action === 'change-time'
  return html`<h2>${t`Time`}</h2>${choices}
<details class="more-fields"${isTyped && html` open`}><summary>${t`Another time`}</summary>${form(
    call,
    { action: 'change-time', submit: t`Change the time`, values },
    (fields) => [
      fields.time('from_time', t`From`),
      fields.time('to_time', t`Until`),
      showScope(fields, seriesId),
    ],
  )}</details>`
}

function showOtherSeats(call: Call, { type, locationId }: OwnBooking, seats: Seat[]): Html {
  const label = type === BOOKABLE_TYPES.desk ? t`Another desk` : t`Another place`
  const buttons = seats
    .filter(({ needsApproval }) => !needsApproval)
    .map((seat) =>
      form(call, {
        action: 'move',
        key: seat.id,
        hidden: { bookable: seat.id },
        submit: seat.locationId === locationId ? seat.name : `${seat.name} (${seat.location})`,
        tone: 'quiet',
        isInline: true,
      }),
    )
  return html`<details class="more-fields"><summary>${label}</summary><div class="buttons">${buttons}</div></details>`
}

const showNearColleagues = (call: Call, near: NearColleague[]): Html =>
  html`<h2>${t`Near you`}</h2><ul class="my-near-people">${near.map(
    ({ id, name, seat }) =>
      html`<li>${showLink(call.link(`/people/${id}`), html`${showAvatar({ id, name })} ${name}`)} <span class="soft">${seat}</span></li>`,
  )}</ul>`
