// What a rule of bookings consists of: what it takes and answers, and its checks.
import type * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import type { COUNTED_RULE_REFUSALS, ROOM_RULE_REFUSALS } from '../messages/refusal-kinds.ts'

export type Time = { from: string; to: string | null }
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

export type HeldBooking = Time & { name: string; zone: string }

/** A booking beside the user's other bookings of its type. */
export type CountedBooking = {
  bookable: Bookable
  /** The place that sets the limit, and how many the user has there already. */
  countedIn: { name: string }
  ahead: number
  /** False if the booking is among them already. */
  isAdded: boolean
  /** The first one at the same time. */
  present: HeldBooking | null
  /** The first one on the same days of the building. */
  thatDay: HeldBooking | null
  /** A guest's booking occupies a place, but not the user's own time. */
  isForGuest: boolean
  /** For a limited token, the user's bookings elsewhere are not named. */
  isLimited: boolean
}

// Methods, so that a rule of any value can be handled as one of an unknown value.
export type Checks<Value> = {
  refusal: (typeof ROOM_RULE_REFUSALS)[number]
  /** The refusal's sentence if the booking breaks the rule. Places that set no value, or null, have no rule. */
  check(value: Value, booking: CheckedBooking): Message | undefined
  /** SQL, with that of the value's JSON: never true where the check refuses. */
  allows(value: string, requested: Requested): string
}
type CountChecks<Value> = {
  refusal: (typeof COUNTED_RULE_REFUSALS)[number]
  checkCounts(value: Value, counted: CountedBooking): Message | undefined
}
type NoChecks = { refusal?: undefined }

export type BookingRule<Schema extends yup.AnySchema, Value> = {
  schema: Schema
  answer: yup.AnySchema
} & (Checks<Value> | CountChecks<Value> | NoChecks)

export const rule = <Schema extends yup.AnySchema>(
  declared: BookingRule<Schema, NonNullable<yup.InferType<Schema>>>,
) => declared
