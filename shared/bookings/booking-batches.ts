// Several bookings at once: what the API takes and shows of them, and their jobs.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { flag, id, list, nullIsAbsent, object, required } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { job, write } from '../schemas/job.ts'
import { bookingRefusal } from './booking-refusals.ts'
import { newBookingSchema, writtenBookingSchema } from './bookings.ts'

const BATCH_MAX = 100

export const newBookingBatchSchema = object({
  bookings: required(notEmpty(list(required(newBookingSchema), { max: BATCH_MAX }))).meta({
    description: 'The bookings to create. Each takes the same fields as POST bookings.',
  }),
  atomic: nullIsAbsent(flag()).meta({
    description:
      'Whether to create either all bookings or none. If one is refused, its refusal is returned, with its position as “index”.',
    whenAbsent: false,
  }),
})

const batchItemSchema = yup
  .object({
    status: answer.integer('200 if the booking was created, or the status of its refusal.'),
    booking: answer.sometimes(writtenBookingSchema),
    ...bookingRefusal,
  })
  .meta({ component: 'BookingBatchItem' })
export type BatchItem = yup.InferType<typeof batchItemSchema>

/** A booking, and the place on which the caller saw it: one that was moved meanwhile is not swapped. */
const placedBooking = object({ id: required(id()), bookable_id: required(id()) })

export const bookingBatchJobs = {
  /** Two bookings take each other's place. Each keeps its time. */
  'bookings.swap': write(
    object({ one: required(placedBooking), other: required(placedBooking), overrides_rules: flag() }),
    answer.data(yup.tuple([writtenBookingSchema, writtenBookingSchema]).defined()),
  ),
  'bookings.create-batch': job({
    queue: 'writes',
    input: newBookingBatchSchema.shape({
      needs_one: flag().meta({
        description: 'If every booking is refused, the first refusal is returned.',
      }),
    }),
    weigh: ({ bookings }) => bookings.length,
    reply: answer.data(answer.list(batchItemSchema)),
  }),
}
