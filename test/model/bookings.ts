// New bookings in the model: the request, its refusals, and the answer; one alone, or several by one write.
import { expectConflict } from './conflicts.ts'
import { type Expected, refuse, unbookable } from './refusals.ts'
import { brokenByCounts, brokenByRoom, opensAt } from './rules.ts'
import { type Booking, bookableOf, type Span, type State, userOf } from './state.ts'

export type BookingBody = {
  bookable_id: number
  location_id: number
  user_id: number
  from_time?: string | null
  to_time: string
  user_vehicle_id?: number | null
  guest_name?: string
}

export const PARKING = 1
export const NEVER_AFTER = { to_time: ['to_time must be after from_time.'] }
export const UNKNOWN_USER = ['There is no active person with this id.']

export type WantedBooking = { body: BookingBody; span: Span; now: string; series: number | null }

/** What the form of a body says by itself. */
export const isBackwards = ({ from_time, to_time }: { from_time?: string | null; to_time: string }) =>
  Boolean(from_time && to_time <= from_time)

export function wantedBooking(body: BookingBody, now: string, series: number | null = null): WantedBooking {
  return { body, now, series, span: { from: body.from_time ?? now, to: body.to_time } }
}

/** What does not depend on other bookings. */
export function refusedByChecks(state: State, { body, span, now }: WantedBooking): Expected | undefined {
  const bookable = bookableOf(state, body.bookable_id)
  const user = userOf(state, body.user_id)
  const errors: Record<string, string[]> = {}
  if (span.to <= span.from) errors.to_time = NEVER_AFTER.to_time
  else if (span.to <= now) errors.to_time = ['to_time must be in the future.']
  if (!user.isActive) errors.user_id = UNKNOWN_USER
  Object.assign(errors, vehicleErrors(state, body.user_vehicle_id, user.id, user.isActive))
  if (bookable.requiresVehicle && body.user_vehicle_id == null && !errors.user_vehicle_id) {
    errors.user_vehicle_id = [requiresVehicle(bookable.name)]
  }
  if (Object.keys(errors).length > 0) return refuse('validation_failed', { errors })
  return unbookable(bookable, user.id) ?? brokenByRoom(state, bookable, { span, user: user.id, now })
}

export function refusedByCounts(state: State, { body, span, now }: WantedBooking): Expected | undefined {
  const isForGuest = body.guest_name !== undefined
  return brokenByCounts(state, bookableOf(state, body.bookable_id), {
    span,
    user: body.user_id,
    now,
    isForGuest,
  })
}

export function refusedByClaims(state: State, { body, span, now }: WantedBooking): Expected | undefined {
  const hasVehicle = body.user_vehicle_id != null
  return expectConflict(state, { bookables: [body.bookable_id], span, user: body.user_id, now, hasVehicle })
}

export function addBooking(state: State, { body, span, series }: WantedBooking, id: number): Booking {
  const bookable = bookableOf(state, body.bookable_id)
  const booking: Booking = {
    ...span,
    id,
    series,
    bookable: bookable.id,
    user: body.user_id,
    guest: body.guest_name ?? null,
    ...parked(state, bookable.type === PARKING ? (body.user_vehicle_id ?? null) : null),
    isCheckedIn: false,
    opens: opensAt(state, bookable, span),
  }
  state.bookings.push(booking)
  return booking
}

export function vehicleErrors(
  state: State,
  vehicle: number | null | undefined,
  user: number,
  known: boolean,
) {
  if (vehicle == null || (known && userOf(state, user).vehicle === vehicle)) return {}
  return { user_vehicle_id: ['This is not one of the person’s vehicles.'] }
}

export function requiresVehicle(name: string): string {
  return `user_vehicle_id is required: ${name} can only be booked with a vehicle.`
}

export function parked(state: State, vehicle: number | null) {
  const plate = state.users.find((user) => user.vehicle === vehicle)?.plate ?? null
  return { vehicle, plate }
}

export function bookingAnswer(state: State, { id, from, to, bookable, user }: Booking) {
  const { name, type, status } = bookableOf(state, bookable)
  const { name: userName, email } = userOf(state, user)
  return {
    id,
    from,
    to,
    livemap: `${state.baseUrl}/api/v1/bookings/${id}/livemap`,
    bookable: { id: bookable, name, type, status, location: state.location },
    user: { id: user, name: userName, email, extensionAttributes: {} },
  }
}
