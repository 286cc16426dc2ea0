// How the model refuses: the code, and what programs read beside it.
import type { Bookable } from './state.ts'

export type Expected = { status: number; body: unknown }

const STATUSES = {
  not_found: 404,
  validation_failed: 422,
  booking_conflict: 409,
  bookable_blocked: 409,
  bookable_assigned: 409,
  booking_ended: 409,
  check_in_too_early: 409,
  not_for_this_user: 409,
  closed: 409,
  outside_opening_hours: 409,
  too_far_ahead: 409,
  too_short: 409,
  too_long: 409,
  too_many_bookings: 409,
  already_booked: 409,
}

export function refuse(code: keyof typeof STATUSES, members: object = {}): Expected {
  return { status: STATUSES[code], body: { code, ...members } }
}

export function unbookable({ status, assignees }: Bookable, user: number): Expected | undefined {
  if (status === 1) return refuse('bookable_blocked')
  if (status === 2 && !assignees.includes(user)) return refuse('bookable_assigned')
  return undefined
}
