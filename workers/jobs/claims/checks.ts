// Checks before a booking: invalid fields, all reported at once, and bookables that cannot be booked.
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { field, type Message, message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { OpenTimeRange } from './conflicts.ts'
import type { BookableFacts, BookingFacts } from './facts.ts'

/** Its to_time is in the span instead. */
type NewBooking = InputOf<'bookings.create-open'>

export const ENDS_TOO_EARLY = [message`${field('to_time')} must be after ${field('from_time')}.`]
const NO_VEHICLE = [message`This is not one of the person’s vehicles.`]

export function refuseInvalid(
  input: NewBooking,
  { from, to }: OpenTimeRange,
  { bookable, user, vehicle }: BookingFacts,
  now: string,
) {
  const errors: FieldErrors = {}
  if (to !== null && to <= from) errors.to_time = ENDS_TOO_EARLY
  else if (to !== null && to <= now) errors.to_time = [message`${field('to_time')} must be in the future.`]
  if (!bookable) errors.bookable_id = [message`There is no desk or room with this id.`]
  else if (bookable.locationId !== input.location_id) {
    errors.location_id = [message`${bookable.name} is not on this floor.`]
  }
  if (!user) errors.user_id = [message`There is no active person with this id.`]
  if (input.user_vehicle_id != null && !vehicle) errors.user_vehicle_id = NO_VEHICLE
  else if (bookable?.requiresVehicle && !vehicle) errors.user_vehicle_id = needsVehicle(bookable)
  throwAny(errors)
}

/** The new end may be in the past: that is how a user leaves early. */
export function refuseInvalidChange(
  input: InputOf<'bookings.update'>,
  { from, to }: OpenTimeRange,
  { bookable, vehicle }: BookingFacts,
) {
  const errors: FieldErrors = {}
  if (to !== null && to <= from) errors.to_time = ENDS_TOO_EARLY
  if (input.user_vehicle_id != null && !vehicle) errors.user_vehicle_id = NO_VEHICLE
  if (input.user_vehicle_id === null && bookable?.requiresVehicle) {
    errors.user_vehicle_id = needsVehicle(bookable)
  }
  throwAny(errors)
}

export function refuseUnbookable(
  bookable: Pick<BookableFacts, 'name' | 'isBlocked' | 'isAssigned' | 'isAssignedToUser'>,
) {
  if (bookable.isBlocked) throw new Refusal('bookable_blocked', message`${bookable.name} is blocked.`)
  if (bookable.isAssigned && !bookable.isAssignedToUser) {
    throw new Refusal('bookable_assigned', message`${bookable.name} is assigned to somebody else.`)
  }
}

/** Neither moved nor extended: allowed for a claim from before its bookable was blocked or assigned. */
export function isWithin(span: OpenTimeRange, present: OpenTimeRange): boolean {
  const endsWithin = present.to === null || (span.to !== null && span.to <= present.to)
  return span.from >= present.from && endsWithin
}

function needsVehicle({ name }: BookableFacts): Message[] {
  return [message`${field('user_vehicle_id')} is required: ${name} can only be booked with a vehicle.`]
}

function throwAny(errors: FieldErrors) {
  if (Object.keys(errors).length > 0) throw invalid(errors)
}
