// Checks the input of a booking. Reports all invalid fields at once, and refuses bookables that cannot be booked.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { isLentAt } from '../../../shared/loans/loans.ts'
import { fieldName, type Message, message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import type { OpenTimeRange } from './conflicts.ts'
import type { BookableFacts, BookingFacts } from './facts.ts'

/**
 * The fields of a new booking without `to_time`, which the span contains. `location_id` is the floor that the caller
 * named, if any.
 */
type NewBooking = Omit<InputOf<'bookings.create-open'>, 'location_id'> & { location_id?: number }

export const ENDS_TOO_EARLY_ERRORS = [
  message`${fieldName('to_time')} must be after ${fieldName('from_time')}.`,
]
const UNKNOWN_VEHICLE_ERRORS = [message`This is not one of the person’s vehicles.`]

export function refuseInvalidBooking(
  input: NewBooking,
  { from, to }: OpenTimeRange,
  { bookable, user, vehicle }: BookingFacts,
  now: string,
) {
  const errors: FieldErrors = {}
  if (to !== null && to <= from) errors.to_time = ENDS_TOO_EARLY_ERRORS
  else if (to !== null && to <= now)
    errors.to_time = [message`${fieldName('to_time')} must be in the future.`]
  if (!bookable) errors.bookable_id = [message`There is no desk or room with this id.`]
  else if (input.location_id !== undefined && bookable.locationId !== input.location_id) {
    errors.location_id = [message`${bookable.name} is not on this floor.`]
  }
  if (!user) errors.user_id = [message`There is no active person with this id.`]
  if (input.user_vehicle_id != null && !vehicle) errors.user_vehicle_id = UNKNOWN_VEHICLE_ERRORS
  else if (bookable?.requiresVehicle && !vehicle) errors.user_vehicle_id = createVehicleErrors(bookable)
  throwFieldErrors(errors)
}

/** Refuses an invalid change. The new end may be in the past, because that is how users end a booking early. */
export function refuseInvalidChange(
  input: InputOf<'bookings.update'>,
  { from, to }: OpenTimeRange,
  { bookable, vehicle }: BookingFacts,
) {
  const errors: FieldErrors = {}
  if (to !== null && to <= from) errors.to_time = ENDS_TOO_EARLY_ERRORS
  if (input.user_vehicle_id != null && !vehicle) errors.user_vehicle_id = UNKNOWN_VEHICLE_ERRORS
  if (input.user_vehicle_id === null && bookable?.requiresVehicle) {
    errors.user_vehicle_id = createVehicleErrors(bookable)
  }
  throwFieldErrors(errors)
}

export function refuseUnbookable(
  bookable: Pick<BookableFacts, 'name' | 'isBlocked' | 'isAssigned' | 'isAssignedToUser' | 'lent'>,
  span: OpenTimeRange,
) {
  if (bookable.isBlocked) throw new Refusal('bookable_blocked', message`${bookable.name} is blocked.`)
  const isLent = bookable.lent !== null && isLentAt(bookable.lent, span)
  if (bookable.isAssigned && !bookable.isAssignedToUser && !isLent) {
    throw new Refusal('bookable_assigned', message`${bookable.name} is assigned to somebody else.`)
  }
}

/**
 * Returns whether the claim is neither moved nor extended. Such a change is allowed even if somebody has blocked or
 * assigned the bookable since then.
 */
export function isWithinTimeRange(span: OpenTimeRange, present: OpenTimeRange): boolean {
  const endsWithin = present.to === null || (span.to !== null && span.to <= present.to)
  return span.from >= present.from && endsWithin
}

function createVehicleErrors({ name }: BookableFacts): Message[] {
  return [message`${fieldName('user_vehicle_id')} is required: ${name} can only be booked with a vehicle.`]
}

function throwFieldErrors(errors: FieldErrors) {
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
}
