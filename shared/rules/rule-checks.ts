// The parts of a booking rule: its schema and its checks.
import type * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import type { CountedRuleRefusal, RoomRuleRefusal } from '../messages/refusal-kinds.ts'
import type { OtherBookings, TimeSpan } from './other-bookings.ts'

type Slot = { name: string; from: string; to: string }

export type CheckedBookable = { name: string; type: number }

/**
 * A booking as the checks of rules see it. `zone` is the time zone of the building, `groups` are the user's groups, and
 * `slots` are the slots in force.
 */
export type CheckedBooking = TimeSpan & {
  now: string
  bookable: CheckedBookable
  zone: string
  user: number
  groups: number[]
  slots: Slot[] | null | undefined
}

/**
 * A booking as the SQL of rules sees it. Each field is SQL. `to` may be null for a booking without an end, and `user`
 * may be null for any user. `slots` is the JSON of the slots in force. `local` converts an instant to the building's
 * local time.
 */
export type BookingSql = Record<'user' | 'from' | 'to' | 'now' | 'slots', string> & {
  local(moment: string): string
}

/** A booking that is checked against the user's other bookings of its type. */
export type CountedBooking = {
  bookable: CheckedBookable
  /** The place that sets the limit on upcoming bookings. */
  countedIn: { name: string }
  /** False if the booking already counts as one of the user's upcoming bookings. */
  isAdded: boolean
  /**
   * Whether the booking is for a guest. Such a booking occupies a place, but the user is still free to book another
   * one.
   */
  isForGuest: boolean
  /**
   * Whether messages must not name the user's bookings: the caller books for somebody else, or their token is limited to
   * buildings.
   */
  isLimited: boolean
}

// Declared as methods, so that TypeScript accepts a rule for any type of value where the type is unknown.
export type RuleChecks<Value> = {
  refusal: RoomRuleRefusal
  /**
   * Returns the message of the refusal if the booking breaks the rule. Not called for a place where the value is null
   * or not set, because no rule applies there.
   */
  check(value: Value, booking: CheckedBooking): Message | undefined
  /**
   * SQL for the same check. `value` is SQL for the JSON of the rule's value. The SQL is never true for a booking that
   * `check` refuses.
   */
  allows(value: string, requested: BookingSql): string
}
/**
 * The checks of a rule that counts the user's other bookings. A rule whose value is `false` is switched off and counts
 * nothing.
 */
export type CountRuleChecks<Value, Found> = {
  refusal: CountedRuleRefusal
  /** The information that the rule needs about the user's other bookings. */
  counts: OtherBookings<Found>
  checkCounts(value: Value, found: Found, counted: CountedBooking): Message | undefined
}
type NoChecks = { refusal?: undefined }

export type BookingRule<Schema extends yup.AnySchema, Value, Found = unknown> = {
  schema: Schema
  answer: yup.AnySchema
} & (RuleChecks<Value> | CountRuleChecks<Value, Found> | NoChecks)

export const defineBookingRule = <Schema extends yup.AnySchema, Found>(
  declared: BookingRule<Schema, NonNullable<yup.InferType<Schema>>, Found>,
) => declared
