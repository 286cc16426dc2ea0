// A simple model of writes of bookings and bookables: their answers and their effects. Written only from the interface
// and the decisions, with arrays instead of a database.
import { findRefusalByAbsence } from './absences.ts'
import {
  addBooking,
  type BookingBody,
  createBookingAnswer,
  createVehicleFields,
  END_NOT_AFTER_START,
  findRefusalByChecks,
  findRefusalByClaims,
  findRefusalByCounts,
  findVehicleErrors,
  isBackwards,
  PARKING_TYPE,
  requiresVehicle,
  toWantedBooking,
} from './bookings.ts'
import { expectConflict } from './conflicts.ts'
import { type ExpectedAnswer, findRefusalByStatus, refuse } from './refusals.ts'
import { checkInOpensAt, findRefusalByCountingRules, findRefusalByRoomRules } from './rules.ts'
import { type Booking, findBookable, type Span, type State } from './state.ts'

export type TimedRequest<Body> = { body: Body; now: string }

export type BookingChanges = {
  from_time?: string | null
  to_time?: string
  user_vehicle_id?: number | null
  guest_name?: string | null
  overrides_absence?: boolean
}
export type BookableChanges = { name?: string; description?: string | null; status?: number; tags?: string[] }
/** `id` is the id that the database assigned. */
export function createBooking(
  state: State,
  { body, now }: TimedRequest<BookingBody>,
  id: number,
  booker?: number,
): ExpectedAnswer {
  if (isBackwards(body)) return refuse('validation_failed', { errors: END_NOT_AFTER_START })
  const wanted = { ...toWantedBooking(body, now), booker }
  const refused =
    findRefusalByChecks(state, wanted) ??
    findRefusalByCounts(state, wanted) ??
    findRefusalByClaims(state, wanted)
  if (refused) return refused
  return { status: 200, body: { data: [createBookingAnswer(state, addBooking(state, wanted, id))] } }
}

export function updateBooking(
  state: State,
  id: number,
  { body, now }: TimedRequest<BookingChanges>,
): ExpectedAnswer {
  if (isBackwards(body)) return refuse('validation_failed', { errors: END_NOT_AFTER_START })
  const booking = state.bookings.find((each) => each.id === id)
  if (!booking) return refuse('not_found')
  const sent = { body, now }
  const refused =
    findRefusalByChangeChecks(state, booking, sent) ??
    saveBookingChange(state, booking, sent, { ignored: new Set(), after: state })
  return refused ?? { status: 200, body: { data: createBookingAnswer(state, booking) } }
}

/** Returns when a booking takes place after a change. */
export const spanAfter = (booking: Span, { body, now }: TimedRequest<BookingChanges>): Span => ({
  from: body.from_time === undefined ? booking.from : (body.from_time ?? now),
  to: body.to_time ?? booking.to,
})

const guestAfter = ({ guest }: Booking, { guest_name }: BookingChanges) =>
  guest_name === undefined ? guest : guest_name

/** Returns a booking at the time and for the guest that a change gives it. */
export const changedBooking = (booking: Booking, sent: TimedRequest<BookingChanges>): Booking => ({
  ...booking,
  ...spanAfter(booking, sent),
  guest: guestAfter(booking, sent.body),
})

/** Returns whether a change must keep the rules: it moves or extends the booking, or makes it the user’s own. */
const mustKeepRules = (booking: Booking, after: Booking): boolean =>
  !isWithin(after, booking) || (booking.guest !== null && after.guest === null)

/** Refusals of a change that do not depend on other bookings. */
export function findRefusalByChangeChecks(
  state: State,
  booking: Booking,
  sent: TimedRequest<BookingChanges>,
): ExpectedAnswer | undefined {
  const { body, now } = sent
  const bookable = findBookable(state, booking.bookable)
  const span = spanAfter(booking, sent)
  const errors: Record<string, string[]> = {}
  if (span.to <= span.from) errors.to_time = END_NOT_AFTER_START.to_time
  Object.assign(errors, findVehicleErrors(state, body.user_vehicle_id, booking.user, true))
  if (body.user_vehicle_id === null && bookable.requiresVehicle) {
    errors.user_vehicle_id = [requiresVehicle(bookable.name)]
  }
  if (Object.keys(errors).length > 0) return refuse('validation_failed', { errors })
  if (booking.to <= now) return refuse('booking_ended')
  const after = changedBooking(booking, sent)
  if (!mustKeepRules(booking, after)) return undefined
  const [isForGuest, overrides] = [after.guest !== null, body.overrides_absence === true]
  return (
    (isWithin(span, booking) ? undefined : findRefusalByStatus(bookable, booking.user, span)) ??
    findRefusalByAbsence(state, { user: booking.user, span, now, isForGuest, overrides })
  )
}

/**
 * Saves a change, unless rules or other claims refuse it. `ignored` are bookings that are not in the way, because the
 * same write moves them later. Rules count bookings as they are after the write.
 */
export function saveBookingChange(
  state: State,
  booking: Booking,
  sent: TimedRequest<BookingChanges>,
  { ignored, after }: { ignored: Set<number>; after: State },
): ExpectedAnswer | undefined {
  const { body, now } = sent
  const { id, user } = booking
  const bookable = findBookable(state, booking.bookable)
  const span = spanAfter(booking, sent)
  const changed = changedBooking(booking, sent)
  if (mustKeepRules(booking, changed)) {
    const own = { span, user, now, isForGuest: changed.guest !== null, booking: id }
    const refused =
      findRefusalByRoomRules(state, bookable, own) ?? findRefusalByCountingRules(after, bookable, own)
    if (refused) return refused
  }
  const vehicle =
    body.user_vehicle_id === undefined
      ? booking.vehicle
      : bookable.type === PARKING_TYPE
        ? body.user_vehicle_id
        : null
  const wanted = { bookables: [bookable.id], span, user, now, hasVehicle: vehicle !== null, ignored }
  const conflict = expectConflict(state, { ...wanted, booking: id })
  if (conflict) return conflict
  const isSameStart = span.from === booking.from
  if (!isSameStart || (booking.opens === null && !isWithin(span, booking))) {
    booking.opens = checkInOpensAt(state, bookable, span)
  }
  booking.isCheckedIn &&= isSameStart || span.from <= now
  booking.guest = changed.guest
  Object.assign(booking, span, body.user_vehicle_id === undefined ? {} : createVehicleFields(state, vehicle))
  return undefined
}

export function deleteBooking(state: State, id: number): ExpectedAnswer {
  const at = state.bookings.findIndex((each) => each.id === id)
  if (at < 0) return refuse('not_found')
  state.bookings.splice(at, 1)
  return { status: 204, body: null }
}

export function updateBookable(state: State, id: number, changes: BookableChanges): ExpectedAnswer {
  const bookable = findBookable(state, id)
  if (changes.status !== undefined && bookable.status === 2) return refuse('bookable_assigned')
  Object.assign(bookable, changes, changes.tags ? { tags: [...new Set(changes.tags)] } : {})
  const { name, type, status, tags } = bookable
  return { status: 200, body: { data: { id, name, type, status, tags } } }
}

export const isWithin = (span: Span, present: Span): boolean =>
  span.from >= present.from && span.to <= present.to
