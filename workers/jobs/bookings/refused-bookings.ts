// Describes a refusal as part of an answer.
import type * as yup from 'yup'
import type { bookingRefusal } from '../../../shared/bookings/booking-refusals.ts'
import { type Refusal, writeErrors } from '../../../shared/messages/refusal.ts'

type Members = { [Name in keyof typeof bookingRefusal]: yup.InferType<(typeof bookingRefusal)[Name]> }
type RefusedBooking = { code: string; detail: string } & Partial<Members>

/** The same members as an error response. */
export function describeRefusal({ code, message: detail, errors, members }: Refusal): RefusedBooking {
  return { code, detail, ...(errors ? { errors: writeErrors(errors) } : {}), ...members }
}
