// Models new bookings, in a single write or several in one write: the request, its refusals and its answer.
import { findRefusalByAbsence } from './absences.ts'
import { expectConflict } from './conflicts.ts'
import { type ExpectedAnswer, findRefusalByStatus, refuse } from './refusals.ts'
import {
  checkInOpensAt,
  findRefusalByCountingRules,
  findRefusalByRoomRules,
  isBookedForOthers,
} from './rules.ts'
import { type Booking, findBookable, findUser, type Span, type State } from './state.ts'

export type BookingBody = {
  bookable_id: number
  location_id: number
  user_id: number
  from_time?: string | null
  to_time: string
  user_vehicle_id?: number | null
  guest_name?: string
  overrides_absence?: boolean
}

export const PARKING_TYPE = 1
export const END_NOT_AFTER_START = { to_time: ['to_time must be after from_time.'] }
export const UNKNOWN_USER = ['There is no active user with this id.']

/** `booker` is the owner of the personal token that books, or undefined for a token of the company. */
export type WantedBooking = {
  body: BookingBody
  span: Span
  now: string
  series: number | null
  booker?: number | undefined
}

/** Returns whether the end is not after the start. */
export const isBackwards = ({ from_time, to_time }: { from_time?: string | null; to_time?: string }) =>
  Boolean(from_time && to_time && to_time <= from_time)

export function toWantedBooking(body: BookingBody, now: string, series: number | null = null): WantedBooking {
  return { body, now, series, span: { from: body.from_time ?? now, to: body.to_time } }
}

/** Refusals that do not depend on other bookings. */
export function findRefusalByChecks(
  state: State,
  { body, span, now, booker }: WantedBooking,
): ExpectedAnswer | undefined {
  const bookable = findBookable(state, body.bookable_id)
  const user = findUser(state, body.user_id)
  const isOwn = booker === user.id
  if (booker !== undefined && !isOwn && !(user.isActive && isBookedForOthers(state, bookable)))
    return refuse('personal_token')
  const errors: Record<string, string[]> = {}
  if (span.to <= span.from) errors.to_time = END_NOT_AFTER_START.to_time
  else if (span.to <= now) errors.to_time = ['to_time must be in the future.']
  if (!user.isActive) errors.user_id = UNKNOWN_USER
  Object.assign(errors, findVehicleErrors(state, body.user_vehicle_id, user.id, user.isActive))
  if (bookable.requiresVehicle && body.user_vehicle_id == null && !errors.user_vehicle_id) {
    errors.user_vehicle_id = [requiresVehicle(bookable.name)]
  }
  if (Object.keys(errors).length > 0) return refuse('validation_failed', { errors })
  return (
    findRefusalByStatus(bookable, user.id, span) ??
    findRefusalByRoomRules(state, bookable, { span, user: user.id, now }) ??
    findRefusalByAbsence(state, {
      user: user.id,
      span,
      now,
      isForGuest: body.guest_name !== undefined,
      overrides: isOwn || body.overrides_absence === true,
    })
  )
}

export function findRefusalByCounts(
  state: State,
  { body, span, now }: WantedBooking,
): ExpectedAnswer | undefined {
  const isForGuest = body.guest_name !== undefined
  return findRefusalByCountingRules(state, findBookable(state, body.bookable_id), {
    span,
    user: body.user_id,
    now,
    isForGuest,
  })
}

export function findRefusalByClaims(
  state: State,
  { body, span, now }: WantedBooking,
): ExpectedAnswer | undefined {
  const hasVehicle = body.user_vehicle_id != null
  return expectConflict(state, { bookables: [body.bookable_id], span, user: body.user_id, now, hasVehicle })
}

export function addBooking(state: State, { body, span, series }: WantedBooking, id: number): Booking {
  const bookable = findBookable(state, body.bookable_id)
  const booking: Booking = {
    ...span,
    id,
    series,
    bookable: bookable.id,
    user: body.user_id,
    guest: body.guest_name ?? null,
    ...createVehicleFields(state, bookable.type === PARKING_TYPE ? (body.user_vehicle_id ?? null) : null),
    isCheckedIn: false,
    opens: checkInOpensAt(state, bookable, span),
  }
  state.bookings.push(booking)
  return booking
}

export function findVehicleErrors(
  state: State,
  vehicle: number | null | undefined,
  user: number,
  known: boolean,
) {
  if (vehicle == null || (known && findUser(state, user).vehicle === vehicle)) return {}
  return { user_vehicle_id: ['This is not one of the user’s vehicles.'] }
}

export function requiresVehicle(name: string): string {
  return `user_vehicle_id is required: ${name} can only be booked with a vehicle.`
}

export function createVehicleFields(state: State, vehicle: number | null) {
  const plate = state.users.find((user) => user.vehicle === vehicle)?.plate ?? null
  return { vehicle, plate }
}

export function createBookingAnswer(state: State, { id, from, to, bookable, user }: Booking) {
  const { name, type, status } = findBookable(state, bookable)
  const { name: userName, email } = findUser(state, user)
  return {
    id,
    from,
    to,
    livemap: `${state.baseUrl}/api/v1/bookings/${id}/livemap`,
    bookable: { id: bookable, name, type, status, location: state.location },
    user: { id: user, name: userName, email, extensionAttributes: {} },
  }
}
