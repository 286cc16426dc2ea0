// A desk, room or parking spot at a time: one press books it. If it cannot be had, the page says why and offers others.
import type { InferType } from 'yup'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { ruleInForce } from '../../../shared/rules/rules-shape.ts'
import { object, queryId, required, text } from '../../../shared/schemas/fields.ts'
import {
  createOnSeveralDays,
  describeLeftOut,
  guestFields,
  isForSeveralDays,
  parseVehicle,
  severalDaysFields,
  showGuestFields,
  showSeveralDays,
  vehicleField,
} from '../../dashboard/bookings/several-days.ts'
import { type Html, html } from '../../http/html.ts'
import { type ActionCall, type Call, page } from '../../pages/kit/page.ts'
import { plural, sentence, t } from '../../pages/locales/translate.ts'
import { listVehicles, type VehicleChoice } from '../../pages/search/choices.ts'
import { findRow } from '../../pages/search/rows.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showFacts, showLink } from '../../pages/ui/parts.ts'
import {
  attendeesOf,
  findTyped,
  type Invited,
  invitedQuery,
  inviteForm,
  listInvited,
  ownTitle,
  showInvite,
  withInvited,
} from './invited.ts'
import { inOwnWords } from './own-words.ts'
import { listFreeSeats, type OneSeat, requireSeat } from './seats.ts'
import { isForMeetings } from './wanted.ts'
import { type Clocks, findWantedTime, formatWanted, timeQuery, type WantedTime } from './wanted-time.ts'

const ALTERNATIVES_MAX = 6

// Another seat than the page's: one of those that are free instead.
const seatField = { seat: required(queryId()) }
const requestForm = object({ ...seatField, ...guestFields, ...vehicleField })
const bookingForm = requestForm.shape({ ...severalDaysFields, title: text({ max: 255 }) })

export const bookSeat = page({
  path: '/book/{id}',
  title: sentence`Book`,
  section: 'Book',
  params: object({ id: required(queryId()) }),
  query: object({ ...timeQuery, ...invitedQuery }),
  missing: message`This desk or room does not exist any more.`,
  actions: (action) => ({
    book: action(bookingForm, async (call) => {
      const { seat, time, booking } = await prepare(call)
      const invited = await listInvited(call)
      if (invited.length > 0) return meet(call, { seat, time, invited })
      if (isForSeveralDays(call.form)) {
        const { ids, leftOut } = await inOwnWords(seat.name, () =>
          createOnSeveralDays(call, { ...call.form, skips: true }, booking, seat.zone),
        )
        const booked = plural(ids.length, '{0} is booked on # day.', '{0} is booked on # days.', seat.name)
        return { redirectTo: call.link('/'), notice: `${booked}${describeLeftOut(leftOut)}` }
      }
      await inOwnWords(seat.name, () => call.dispatch('bookings.create', booking))
      return { redirectTo: call.link('/'), notice: t`${seat.name} is booked: ${formatWanted(time)}.` }
    }),
    invite: action(inviteForm, async (call) => {
      const { who } = call.form
      const add = await findTyped(call, who)
      return { redirectTo: add ? withInvited(call, { add }) : call.linkHere({ person: who }) }
    }),
    request: action(requestForm, async (call) => {
      const { seat, time, booking } = await prepare(call)
      await inOwnWords(seat.name, () => call.dispatch('booking-requests.create', booking))
      return {
        redirectTo: call.link('/'),
        notice: t`${seat.name} is requested: ${formatWanted(time)}. It is yours once somebody approves it.`,
      }
    }),
  }),
  async show(call) {
    const seat = await requireSeat(call, call.params.id)
    const time = await findTime(call, seat)
    const isSpot = seat.type === BOOKABLE_TYPES.parkingSpot
    const vehicles = isSpot ? await listVehicles(call.reads, call.requirePerson().id) : []
    const isMeeting = isForMeetings(seat.type) && !seat.needsApproval
    const invited = isMeeting ? await listInvited(call) : []
    const others =
      call.refusedForm && call.refusedForm.action !== 'invite'
        ? await showOthers(call, seat, time)
        : undefined
    const back = call.link('/book', { ...time.query, location: seat.locationId, type: seat.type })
    return {
      title: seat.name,
      lead: `${seat.location}, ${seat.building}`,
      content: html`<div class="card">
${showFacts([
  [t`When`, formatWanted(time)],
  [t`Equipment`, seat.tags.join(', ')],
  [t`Capacity`, seat.capacity],
])}
${isMeeting && (await showInvitation(call, invited))}
${showForm(call, { seat, vehicles, isMeeting, hasInvited: invited.length > 0 })}</div>${others}
<p>${showLink(back, t`Other desks and times`)}</p>`,
    }
  },
})

const bookWords = ({ needsApproval }: OneSeat) =>
  needsApproval ? { action: 'request', submit: t`Request` } : { action: 'book', submit: t`Book` }

type Shown = { seat: OneSeat; vehicles: VehicleChoice[]; isMeeting: boolean; hasInvited: boolean }

function showForm(call: Call, { seat, vehicles, isMeeting, hasInvited }: Shown): Html {
  return form(call, { ...bookWords(seat), hidden: { seat: seat.id } }, (fields) => [
    seat.type === BOOKABLE_TYPES.parkingSpot && showVehicles(fields, seat, vehicles),
    hasInvited && fields.text('title', t`Title`, { placeholder: ownTitle(call) }),
    !seat.needsApproval && !hasInvited && showSeveralDays(fields, { alwaysSkips: true }),
    !isMeeting &&
      html`<details class="more-fields"${fields.isFilled(...Object.keys(guestFields)) && html` open`}><summary>${t`For a guest`}</summary>${showGuestFields(fields)}</details>`,
  ])
}

/** A room with people who are invited is a meeting. */
async function meet(
  call: Meeting,
  { seat, time, invited }: { seat: OneSeat; time: WantedTime; invited: Invited[] },
) {
  const { data } = await inOwnWords(seat.name, () =>
    call.dispatch('events.create', {
      name: call.form.title ?? ownTitle(call),
      from_time: time.isNow ? null : time.from,
      to_time: time.to,
      from_timezone: time.zone,
      to_timezone: time.zone,
      organizer_user_id: call.requirePerson().id,
      attendees: [{ type: 'bookable', id: seat.id }, ...attendeesOf(invited)],
    }),
  )
  const notice = t`${seat.name} is booked: ${formatWanted(time)}.`
  return { redirectTo: call.link(`/meetings/${data.id}`), notice }
}

async function showInvitation(call: Called, invited: Invited[]): Promise<Html> {
  const isOpen =
    invited.length > 0 || call.query.person !== undefined || call.refusedForm?.action === 'invite'
  return html`<details class="more-fields"${isOpen && html` open`}><summary>${t`Invite people`}</summary>
${invited.length > 0 && html`<ul class="my-rows">${invited.map(({ email, name }) => html`<li><span>${name ?? email}</span>${showLink(withInvited(call, { drop: email }), t`Remove`, { class: 'button quiet', 'aria-label': t`Remove ${name ?? email}` })}</li>`)}</ul>`}
${await showInvite(call, t`Add`)}</details>`
}

export function showVehicles(
  fields: Fields,
  { requiresVehicle }: Pick<OneSeat, 'requiresVehicle'>,
  vehicles: VehicleChoice[],
): Html {
  const own = vehicles.map(({ id, plate }) => ({ value: id, label: plate }))
  const none = { value: 'none', label: t`No vehicle` }
  const options = requiresVehicle && own.length > 0 ? own : [...own, none]
  const hint = own.length === 0 ? t`You have no vehicles yet. Add one on the page Me.` : undefined
  return fields.select('user_vehicle_id', t`Vehicle`, {
    options,
    hint,
    value: options[0]?.value,
    required: true,
  })
}

/** One press books it, as the page’s own would have been. */
function otherButton(call: Call, seat: OneSeat): Html {
  const { action, submit } = bookWords(seat)
  const typed = Object.entries(call.refusedForm?.values ?? {}).flatMap(([name, [value]]) =>
    value !== undefined && name in bookingForm.fields ? [[name, value] as const] : [],
  )
  const hidden = { ...Object.fromEntries(typed), seat: seat.id }
  const words = { submit: seat.name, submitLabel: `${submit}: ${seat.name}`, tone: 'quiet' } as const
  return form(call, { action, ...words, hidden, key: seat.id })
}

/** The nearest first; one press books one of them. */
async function showOthers(
  call: Call,
  { id, type, buildingId }: OneSeat,
  time: WantedTime,
): Promise<Html | false> {
  const wanted = { building: buildingId, type, near: id }
  const free = await listFreeSeats(call, wanted, time, ALTERNATIVES_MAX)
  if (free.length === 0) return false
  const buttons = free.map((seat) => html`<li>${otherButton(call, seat)}</li>`)
  return html`<h2>${t`Free instead`}</h2><ul class="my-instead">${buttons}</ul>`
}

type Typed = InferType<typeof requestForm>
type Query = { date?: string; from?: string; to?: string; invited?: string; person?: string }
type Called = Call<{ id: number }, Query>
type Meeting = ActionCall<Called['params'], Query, { title?: string | undefined }>

async function prepare(call: ActionCall<Called['params'], Called['query'], Typed>) {
  const seat = await requireSeat(call, call.form.seat)
  const time = await findTime(call, seat)
  const { guest_name, guest_email, booking_info, user_vehicle_id } = call.form
  const booking = {
    bookable_id: seat.id,
    location_id: seat.locationId,
    user_id: call.requirePerson().id,
    from_time: time.isNow ? null : time.from,
    to_time: time.to,
    ...{ guest_name, guest_email, booking_info },
    user_vehicle_id: parseVehicle(user_vehicle_id) ?? null,
  }
  return { seat, time, booking }
}

async function findTime(call: Called, { id, type, zone }: OneSeat): Promise<WantedTime> {
  const rules = await findRow<Pick<Clocks, 'hours'>>(
    call.reads,
    `SELECT ${ruleInForce('bookables', 'opening_hours')} AS hours FROM bookables
     JOIN locations ON locations.id = bookables.location_id JOIN buildings ON buildings.id = locations.building_id
     WHERE bookables.id = $1`,
    [id],
  )
  return findWantedTime(call.query, { zone, hours: rules?.hours ?? null }, call.now, isForMeetings(type))
}
