// The page of one booking: its details and, until the booking is over, forms to change its times and to end it now.

import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { fieldName, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { formatLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import {
  parseVehicle,
  showVehicleField,
  timeFields,
  vehicleField,
} from '../../pages/bookings/several-days.ts'
import { findBackPath } from '../../pages/page/back.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { listVehicles } from '../../pages/search/choices.ts'
import { parseSpan } from '../../pages/time/fields.ts'
import { showInstant, showTime } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatBookableType, showBookableLink } from '../../pages/ui/bookables.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showCard, showFactList, showInactiveBadge, showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import {
  hasAnyBookingRules,
  overridingField,
  showOverrideRulesField,
} from '../affected-bookings/affected-bookings-form.ts'
import { showHistory } from '../audit-log/audit-entry.ts'
import { explainConflicts } from './conflicts.ts'
import { type BookingDetails, type BookingRow, findBooking, missingBooking } from './queries.ts'

const changeForm = object({ ...timeFields, ...vehicleField, ...overridingField })
type BookingChanges = typeof changeForm.__outputType

export const bookingPages = defineResourcePages({
  path: '/bookings/{id}',
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  missing: missingBooking,
  find: (call) => findBooking(call.reads, call.params.id),
  above: (_found, call) => [[t`Bookings`, findBackPath(call, '/bookings')]],
  nameOf: ({ bookable, user }) => t`${bookable} for ${user}`,
})

export const bookingPage = bookingPages.page({
  title: sentence`Booking`,
  readers: 'reader',
  actions: (action) => ({
    change: action(changeForm, async (call) => {
      await changeBooking(call, call.form, await bookingPages.require(call))
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
    'check-in': action(object({}), async (call) => {
      await call.dispatch('bookings.check-in', { id: call.params.id })
      return { redirectTo: call.linkHere(), notice: t`Checked in.` }
    }),
    end: action(object({}), async (call) => {
      const { id } = call.params
      await call.dispatch('bookings.update', { id, to_time: call.now })
      return { redirectTo: call.linkHere(), notice: t`Booking ended. The rest of its time is free.` }
    }),
  }),
  async show(call, found) {
    const { id, bookable, user, type } = found
    const isPast = isOver(found, call.now)
    return {
      title: t`${bookable} for ${user}`,
      tools: html`${showLink(call.link('/map', { booking: id }), t`Show on map`, { class: 'button quiet' })}
${!isPast && showLink(bookingPages.address(call, '/move'), t`Move to another place`, { class: 'button quiet' })}
${
  !isPast &&
  showMoreMenu([
    type !== BOOKABLE_TYPES.homeOffice && showLink(call.link('/bookings/swap', { ids: id }), t`Swap`),
    showLink(bookingPages.address(call, '/cancel'), t`Cancel booking`, { class: 'danger' }),
  ])
}`,
      content: html`<section class="card" aria-labelledby="facts"><h2 id="facts">${t`Details`} ${showState(found, call.now)}</h2>
${showBookingFacts(call, found)}</section>
${
  isPast
    ? html`<p class="soft">${t`This booking is over and can no longer be changed.`}</p>`
    : html`${showCheckInCard(call, found)}${call.mayWrite && (await showChangeCards(call, found))}`
}
${await showHistory(call, 'bookings', id, found.zone)}`,
    }
  },
})

export const isOver = ({ to }: Pick<BookingRow, 'to'>, now: string): boolean => to !== null && to <= now

const isUnderWay = (found: BookingRow, now: string): boolean => found.from <= now && !isOver(found, now)

async function changeBooking(call: ActionCall, typed: BookingChanges, present: BookingRow): Promise<void> {
  const { id, zone, bookableId } = present
  const { from = present.from, to } = parseSpan(typed, { from: zone, to: zone }, present)
  if (!to) throw invalidFields({ to_time: [message`${fieldName('to_time')} is required.`] })
  const input = {
    id,
    version: call.version,
    ...(from === present.from ? {} : { from_time: from }),
    to_time: to,
    user_vehicle_id: parseVehicle(typed.user_vehicle_id),
    overrides_rules: typed.overrides_rules,
  }
  await explainConflicts(call, { bookableIds: [bookableId], from, to }, { booking: id }, () =>
    call.dispatch('bookings.update', input),
  )
}

function showCheckInCard(call: Call, booking: BookingRow): Content {
  if (booking.checkInFrom === null && booking.checkedInAt === null) return null
  return html`<section class="card" id="check-in" aria-labelledby="check-in-head"><h2 id="check-in-head">${t`Check-in`}</h2>
${showCheckIn(call, booking)}</section>`
}

function showCheckIn(call: Call, booking: BookingRow): Html {
  const { checkInFrom, checkInUntil, checkedInAt, to, zone, user } = booking
  if (checkedInAt !== null) return html`<p>${tHtml`Checked in at ${showInstant(checkedInAt, zone)}.`}</p>`
  const until =
    checkInUntil === null || (to !== null && to <= checkInUntil)
      ? ''
      : html` ${tHtml`Without a check-in by ${showTime(checkInUntil, zone)}, the rest of the booking is released.`}`
  if (checkInFrom !== null && call.now < checkInFrom) {
    return html`<p>${tHtml`Check-in opens at ${showInstant(checkInFrom, zone)}.`}${until}</p>`
  }
  return html`<p>${t`${user} has not checked in yet.`}${until}</p>
${form(call, { action: 'check-in', submit: t`Check in`, tone: 'quiet' })}`
}

async function showChangeCards(call: Call, found: BookingDetails): Promise<Html> {
  const end = html`<p>${t`The booking ends now, and others can book the rest of its time.`}</p>
${form(call, { action: 'end', submit: t`End booking`, tone: 'quiet' })}`
  return html`${isUnderWay(found, call.now) && showCard(t`End this booking now`, end, 'end')}
${showCard(t`Change times`, await showChangeForm(call, found), 'change')}`
}

async function showChangeForm(call: Call, found: BookingDetails): Promise<Html> {
  const { from, to, version } = found
  const [vehicles, hasRules] = await Promise.all([
    listVehicles(call.reads, found.userId),
    hasAnyBookingRules(call.reads, [found.bookableId]),
  ])
  const zone = formatZone(found.zone)
  const local = (instant: string | null) => instant && formatLocalDateTime(instant, found.zone)
  const open = to === null ? t`Time zone: ${zone}. Currently open-ended.` : t`Time zone: ${zone}`
  return html`<div class="narrow">${form(
    call,
    { action: 'change', submit: t`Save changes`, version },
    (fields) => [
      fields.time('from_time', t`From`, { value: local(from), hint: t`Time zone: ${zone}` }),
      fields.time('to_time', t`Until`, { value: local(to), hint: open }),
      showVehicleField(fields, found, vehicles, found.vehicleId),
      showOverrideRulesField(fields, hasRules),
    ],
  )}</div>`
}

function showState(found: BookingRow, now: string): Html {
  if (isUnderWay(found, now)) return html`<span class="badge good">${t`now`}</span>`
  return found.from >= now
    ? html`<span class="badge accent">${t`upcoming`}</span>`
    : html`<span class="badge">${t`over`}</span>`
}

function showBookingFacts(call: Call, found: BookingRow): Html {
  const { zone } = found
  const guest = [found.guestName, found.guestEmail].filter((each) => each !== null)
  return showFactList([
    [
      t`Person`,
      html`${showLinkOrText(call.link(`/people/${found.userId}`), found.user)} <span class="soft">${found.email}</span>${showInactiveBadge(found)}`,
    ],
    [formatBookableType(found.type), showBookableLink(call, found)],
    [t`Floor`, `${found.location}, ${found.building}`],
    [t`From`, showInstant(found.from, zone)],
    [t`Until`, found.to === null ? t`open-ended` : showInstant(found.to, zone)],
    [t`Guest`, guest.join(', ')],
    [t`Purpose`, found.info],
    [t`License plate`, found.plate],
    [t`Created`, showInstant(found.createdAt, zone)],
    [t`Time zone`, formatZone(zone)],
  ])
}
