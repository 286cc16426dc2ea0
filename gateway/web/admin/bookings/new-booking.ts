// The page that creates a booking. The user chooses a person, a time and a bookable that is free at that
// time, and fills in the form.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields, type RefusalCode } from '../../../../shared/messages/refusal.ts'
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import * as severalDays from '../../pages/bookings/several-days.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import { type ActionCall, type Call, definePage, type RefusedForm } from '../../pages/page/page.ts'
import {
  type BookableChoice,
  listBuildingChoices,
  listVehicles,
  showChosenUser,
  showUserChooser,
  type UserChoice,
} from '../../pages/search/choices.ts'
import { chooseZone } from '../../pages/search/day-search.ts'
import { parseSpan } from '../../pages/time/fields.ts'
import {
  parseRequestedTime,
  type RequestedTime,
  requestedTimeQuery,
} from '../../pages/time/requested-time.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { form } from '../../pages/ui/forms.ts'
import { showCard, showLink } from '../../pages/ui/parts.ts'
import {
  hasAnyBookingRules,
  overridingField,
  showOverrideRulesField,
} from '../affected-bookings/affected-bookings-form.ts'
import {
  bookableChoiceQuery,
  findUserAndBookable,
  showAlternatives,
  showBookableChoices,
  showChosenBookable,
} from './choose-bookable.ts'
import { describeHeldBookings, explainConflicts, listHeldBookings, showHeldBookings } from './conflicts.ts'
import { listAlternatives } from './free-bookables.ts'

const newBookingForm = object({
  ...severalDays.timeFields,
  ...severalDays.openEndedField,
  ...severalDays.guestFields,
  ...severalDays.vehicleField,
  ...overridingField,
  ...severalDays.severalDaysFields,
})

export const newBookingPage = definePage({
  path: '/bookings/new',
  title: sentence`New booking`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  query: object({
    ...bookableChoiceQuery,
    ...backQuery,
    person: text({ max: 255 }),
    user: queryId(),
    bookable: queryId(),
  }),
  actions: (action) => ({
    create: action(newBookingForm, async (call) => {
      const { user, bookable } = await findUserAndBookable(call)
      if (!user || !bookable)
        throw invalidFields({ person: [message`First choose a person and what to book.`] })
      const { id, notice } = await createBooking(call, call.form, user, bookable)
      return { redirectTo: call.link(findBackPath(call, `/bookings/${id}`)), notice }
    }),
  }),
  async show(call) {
    const [{ user, bookable }, buildings] = await Promise.all([
      findUserAndBookable(call),
      listBuildingChoices(call.reads),
    ])
    const zone = bookable?.zone ?? chooseZone(call.query.building, buildings)
    const requested = parseRequestedTime(call.query, zone, call.now)
    const cancel = call.link(findBackPath(call, '/bookings'))
    const details =
      user && bookable
        ? await showNewBookingForm(call, { user, bookable, requested, cancel })
        : html`<p class="soft">${describeMissingChoices(user, bookable)} ${showLink(cancel, t`Cancel`)}</p>`
    return {
      breadcrumbs: [[t`Bookings`, '/bookings']],
      content: html`${showCard(t`Person`, user ? showChosenUser(call, user) : await showUserChooser(call, { label: t`Name or e-mail` }), 'who')}
${showCard(
  t`Desk, room or parking spot`,
  bookable
    ? await showChosenBookable(call, bookable, requested)
    : await showBookableChoices(call, requested, buildings, user?.id),
  'what',
)}
${showCard(t`Details`, details, 'when')}`,
    }
  },
})

function describeMissingChoices(user: UserChoice | undefined, bookable: BookableChoice | undefined): string {
  if (bookable) return t`First choose a person.`
  return user ? t`First choose what to book.` : t`First choose a person and what to book.`
}

const SHOWN_ALTERNATIVES_MAX = 6
// Refusals that concern only the chosen bookable, so the page offers other bookables.
const BOOKABLE_REFUSALS = new Set<RefusalCode>([
  'booking_conflict',
  'bookable_blocked',
  'bookable_assigned',
  'closed',
  'not_for_this_user',
])

type NewBookingValues = typeof newBookingForm.__outputType

/** Creates the booking. If the place is taken, the refusal names who has booked it; the notice says what else
 * the person has booked at that time. */
export async function createBooking(
  call: ActionCall,
  typed: Partial<NewBookingValues>,
  user: UserChoice,
  bookable: BookableChoice,
) {
  const { is_open, user_vehicle_id, from_time, to_time, ...rest } = typed
  const { repeat, repeat_until, more_days, skips, ...guest } = rest
  const zones = { from: bookable.zone, to: bookable.zone }
  const { from, to } = parseSpan({ from_time, to_time: is_open ? undefined : to_time }, zones)
  if (!is_open && !to) throw invalidFields({ to_time: [message`Enter when it ends, or choose open-ended.`] })
  const input = {
    ...guest,
    bookable_id: bookable.id,
    location_id: bookable.locationId,
    user_id: user.id,
    from_time: from ?? null,
    user_vehicle_id: severalDays.parseVehicle(user_vehicle_id) ?? null,
  }
  const span = { from: from ?? call.now, to: to ?? null }
  const attempted = { bookableIds: [bookable.id], ...span, linksFree: true as const }
  const attempt = <Result>(write: () => Promise<Result>) => explainConflicts(call, attempted, {}, write)
  if (severalDays.isForSeveralDays(typed)) {
    if (!to) throw invalidFields({ to_time: [message`Enter an end time to book several days.`] })
    const booking = { ...input, from_time: from ?? call.now, to_time: to }
    const created = await attempt(() =>
      severalDays.createBookingsOnSeveralDays(call, typed, booking, bookable.zone),
    )
    return {
      id: created.ids[0] ?? 0,
      notice: severalDays.describeCreatedBookings(created, bookable.name, user.name),
    }
  }
  const { data } = await attempt(() =>
    to
      ? call.dispatch('bookings.create', { ...input, to_time: to })
      : call.dispatch('bookings.create-open', input),
  )
  const { id } = data[0]
  const isForGuest = guest.guest_name !== undefined || guest.guest_email !== undefined
  const asked = { userId: user.id, type: bookable.type, ...span, ownId: id }
  const held = isForGuest ? [] : await listHeldBookings(call.reads, asked)
  const booked = t`${bookable.name} is booked for ${user.name}.`
  return { id, notice: held.length === 0 ? booked : `${booked} ${describeHeldBookings(user.name, held)}` }
}

type NewBookingView = {
  user: UserChoice
  bookable: BookableChoice
  requested: RequestedTime
  cancel: string
}

async function showNewBookingForm(call: Call, shown: NewBookingView): Promise<Html> {
  const { user, bookable, cancel } = shown
  const requested = readTypedTime(call.refusedForm, bookable, call.now) ?? shown.requested
  const asked = { userId: user.id, type: bookable.type, ...requested }
  const [vehicles, hasRules, held, instead] = await Promise.all([
    listVehicles(call.reads, user.id),
    hasAnyBookingRules(call.reads, [bookable.id]),
    listHeldBookings(call.reads, asked),
    isBookableRefused(call.refusedForm) ? showOtherBookables(call, shown, requested) : html``,
  ])
  const zone = formatZone(bookable.zone)
  return html`${showHeldBookings(call, user.name, held)}${instead}
<div class="narrow">${form(call, { action: 'create', submit: t`Create booking`, cancel }, (fields) => [
    fields.time('from_time', t`From`, {
      required: false,
      value: shown.requested.local.from,
      hint: t`Time zone: ${zone}. Leave empty to start now.`,
    }),
    fields.time('to_time', t`Until`, {
      required: false,
      emptyWhen: t`required unless open-ended`,
      value: shown.requested.local.to,
      hint: t`Time zone: ${zone}`,
    }),
    fields.checkbox('is_open', t`Open-ended`, {
      hint: t`The booking lasts until someone ends it. The time in “Until” is ignored.`,
    }),
    severalDays.showSeveralDays(fields),
    severalDays.showVehicleField(fields, bookable, vehicles),
    severalDays.showGuestFields(fields),
    showOverrideRulesField(fields, hasRules || call.refusedForm?.code === 'user_away'),
  ])}</div>`
}

const isBookableRefused = (refused: RefusedForm | undefined) =>
  refused !== undefined && BOOKABLE_REFUSALS.has(refused.code)

function readTypedTime(refused: RefusedForm | undefined, { zone }: BookableChoice, now: string) {
  if (!isBookableRefused(refused)) return undefined
  const from = refused?.values['from_time']?.[0] || undefined
  const to = refused?.values['to_time']?.[0] || undefined
  const typed = object(requestedTimeQuery)
  return typed.isValidSync({ from, to }) ? parseRequestedTime({ from, to }, zone, now) : undefined
}

async function showOtherBookables(
  call: Call,
  { bookable, user }: NewBookingView,
  requested: RequestedTime,
): Promise<Html> {
  const asked = { bookable, user: user.id, span: requested }
  const found = await listAlternatives(call.reads, asked, SHOWN_ALTERNATIVES_MAX)
  return showAlternatives(call, requested, found)
}
