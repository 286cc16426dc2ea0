// What a rule of bookings consists of: what it takes and answers, and its checks.
import type * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import type { CountedRuleRefusal, RoomRuleRefusal } from '../messages/refusal-kinds.ts'
import type { OtherBookings, Time } from './other-bookings.ts'

export type Bookable = { name: string; type: number }

/** A booking as the checks see it: the zone is the building's, the groups are the user's. */
export type CheckedBooking = Time & {
  now: string
  bookable: Bookable
  zone: string
  user: number
  groups: number[]
}

/** SQL each; `to` may be null for no end, and `user` for any user. `local` is a moment on the building's clocks. */
export type Requested = Record<'user' | 'from' | 'to' | 'now', string> & { local(moment: string): string }

/** A booking beside the user's other bookings of its type. */
export type CountedBooking = {
  bookable: Bookable
  /** The place that sets the limit of bookings ahead. */
  countedIn: { name: string }
  /** False if the booking is among those ahead already. */
  isAdded: boolean
  /** A guest's booking occupies a place, but not the user's own time. */
  isForGuest: boolean
  /** For a limited token, the user's bookings elsewhere are not named. */
  isLimited: boolean
}

// Methods, so that a rule of any value can be handled as one of an unknown value.
export type Checks<Value> = {
  refusal: RoomRuleRefusal
  /** The refusal's sentence if the booking breaks the rule. Places that set no value, or null, have no rule. */
  check(value: Value, booking: CheckedBooking): Message | undefined
  /** SQL, with that of the value's JSON: never true where the check refuses. */
  allows(value: string, requested: Requested): string
}
/** A rule that is switched off by `false` counts nothing. */
export type CountChecks<Value, Found> = {
  refusal: CountedRuleRefusal
  /** What the rule needs to know about the user's other bookings. */
  counts: OtherBookings<Found>
  checkCounts(value: Value, found: Found, counted: CountedBooking): Message | undefined
}
type NoChecks = { refusal?: undefined }

export type BookingRule<Schema extends yup.AnySchema, Value, Found = unknown> = {
  schema: Schema
  answer: yup.AnySchema
} & (Checks<Value> | CountChecks<Value, Found> | NoChecks)

export const rule = <Schema extends yup.AnySchema, Found>(
  declared: BookingRule<Schema, NonNullable<yup.InferType<Schema>>, Found>,
) => declared
