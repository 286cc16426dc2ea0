// The page of one booking: its details and, until it is over, forms to change its times and to end it now.

import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../http/html.ts'
import { haveRules, overridingField, showOverriding } from '../affected-bookings/overriding.ts'
import { showHistory } from '../audit-log/history.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { type ActionCall, type Call, page, type View } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { listVehicles } from '../search/choices.ts'
import { showInstant } from '../time/instants.ts'
import { parseSpan } from '../time/spans.ts'
import { formatZone } from '../time/zones.ts'
import { formatBookableType, showBookableLink } from '../ui/bookables.ts'
import { form } from '../ui/forms.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { showFacts, showInactive } from '../ui/parts.ts'
import { checkInCard } from './check-in-card.ts'
import { explainConflicts } from './conflicts.ts'
import { parseVehicle, showVehicleField, timeFields, vehicleField } from './fields.ts'
import { type BookingDetails, type BookingRow, findBooking, missingBooking } from './queries.ts'

const changeForm = object({ ...timeFields, ...vehicleField, ...overridingField })
type Changes = typeof changeForm.__outputType

export const booking = page({
  path: '/bookings/{id}',
  title: sentence`Booking`,
  section: 'Bookings',
  readers: 'reader',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingBooking,
  actions: (action) => ({
    change: action(changeForm, async (call) => {
      await changeBooking(call, call.form, await requireBooking(call))
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
  async show(call): Promise<View> {
    const found = await requireBooking(call)
    const { id, bookable, user } = found
    const isPast = isOver(found, call.now)
    return {
      breadcrumbs: [[t`Bookings`, backPath(call, '/bookings')]],
      title: t`${bookable} for ${user}`,
      tools: html`${showLink(call.link('/map', { booking: id }), t`Show on map`, { class: 'button quiet' })}
${!isPast && showLink(call.link(keepBack(call, `/bookings/${id}/move`)), t`Move to another`, { class: 'button quiet' })}
${!isPast && showLink(call.link(keepBack(call, `/bookings/${id}/cancel`)), t`Cancel booking`, { class: 'button quiet' })}`,
      content: html`<section class="card" aria-labelledby="facts"><h2 id="facts">${t`Details`} ${showState(found, call.now)}</h2>
${bookingFacts(call, found)}</section>
${
  isPast
    ? html`<p class="soft">${t`This booking is over and can no longer be changed.`}</p>`
    : html`${checkInCard(call, found)}${call.mayWrite && (await changeCards(call, found))}`
}
${await showHistory(call, 'bookings', id, found.zone)}`,
    }
  },
})

export async function requireBooking(call: Call<{ id: number }>): Promise<BookingDetails> {
  const found = await findBooking(call.reads, call.params.id)
  if (!found) throw new Refusal('not_found', missingBooking)
  return found
}

export function isOver({ to }: Pick<BookingRow, 'to'>, now: string): boolean {
  return to !== null && to <= now
}

function isRunning(found: BookingRow, now: string): boolean {
  return found.from <= now && !isOver(found, now)
}

async function changeBooking(call: ActionCall, typed: Changes, present: BookingRow): Promise<void> {
  const { id, zone, bookableId } = present
  const { from = present.from, to } = parseSpan(typed, { from: zone, to: zone }, present)
  if (!to) throw invalid({ to_time: [message`${field('to_time')} is required.`] })
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

async function changeCards(call: Call, found: BookingDetails): Promise<Html> {
  return html`${isRunning(found, call.now) && endCard(call)}
<section class="card" aria-labelledby="change"><h2 id="change">${t`Change times`}</h2>${await changeBookingForm(call, found)}</section>`
}

function endCard(call: Call): Html {
  return html`<section class="card" aria-labelledby="end"><h2 id="end">${t`End this booking now`}</h2>
<p>${t`The booking ends now, and others can book the rest of its time.`}</p>
${form(call, { action: 'end', submit: t`End booking`, tone: 'quiet' })}</section>`
}

async function changeBookingForm(call: Call, found: BookingDetails): Promise<Html> {
  const { zone, from, to } = found
  const [vehicles, hasRules] = await Promise.all([
    listVehicles(call.reads, found.userId),
    haveRules(call.reads, [found.bookableId]),
  ])
  const field = (name: string, label: string, value: string | null) =>
    ({
      name,
      label,
      type: 'datetime-local',
      value: value && formatLocalDateTime(value, zone),
      hint: t`Time zone: ${formatZone(zone)}`,
      required: true,
    }) as const
  return html`<div class="narrow">${form(
    call,
    { action: 'change', submit: t`Save changes`, version: found.version },
    (fields) => [
      fields.text(field('from_time', t`From`, from)),
      fields.text({
        ...field('to_time', t`Until`, to),
        ...(to === null ? { hint: t`Time zone: ${formatZone(zone)}. Currently open-ended.` } : {}),
      }),
      showVehicleField(fields, found, vehicles, found.vehicleId),
      showOverriding(fields, hasRules),
    ],
  )}</div>`
}

function showState(found: BookingRow, now: string): Html {
  if (isRunning(found, now)) return html`<span class="badge good">${t`now`}</span>`
  return found.from >= now
    ? html`<span class="badge accent">${t`upcoming`}</span>`
    : html`<span class="badge">${t`over`}</span>`
}

function bookingFacts(call: Call, found: BookingRow): Html {
  const { zone } = found
  const guest = [found.guestName, found.guestEmail].filter((each) => each !== null)
  return showFacts([
    [
      t`Person`,
      html`${showLinkOrText(call.link(`/people/${found.userId}`), found.user)} <span class="soft">${found.email}</span>${showInactive(found)}`,
    ],
    [formatBookableType(found.type), showBookableLink(call, found)],
    [t`Location`, `${found.location}, ${found.building}`],
    [t`From`, showInstant(found.from, zone)],
    [t`Until`, found.to === null ? t`open-ended` : showInstant(found.to, zone)],
    [t`Guest`, guest.join(', ')],
    [t`Purpose`, found.info],
    [t`License plate`, found.plate],
    [t`Created`, showInstant(found.createdAt, zone)],
    [t`Time zone`, formatZone(zone)],
  ])
}
