// Defines the API schemas for batches of bookings, and the jobs that write them.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { flag, id, list, object, required, treatNullAsAbsent } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { job, writeJob } from '../schemas/job.ts'
import { bookingRefusalFields } from './booking-refusals.ts'
import { newBookingSchema, writtenBookingSchema } from './bookings.ts'

const BOOKINGS_PER_BATCH_MAX = 100

export const newBookingBatchSchema = object({
  bookings: required(notEmpty(list(required(newBookingSchema), { max: BOOKINGS_PER_BATCH_MAX }))).meta({
    description: 'The bookings to create. Each takes the same fields as POST bookings.',
  }),
  atomic: treatNullAsAbsent(flag()).meta({
    description:
      'Whether to create either all bookings or none. If one is refused, its refusal is returned, with its position as “index”.',
    whenAbsent: false,
  }),
})

const batchItemSchema = yup
  .object({
    status: answer.integer('200 if the booking was created, or the status of its refusal.'),
    booking: answer.sometimes(writtenBookingSchema),
    ...bookingRefusalFields,
  })
  .meta({ component: 'BookingBatchItem' })
export type BatchItem = yup.InferType<typeof batchItemSchema>

/**
 * A booking and the bookable on which the caller saw the booking. A booking that has been moved since then is not
 * swapped.
 */
const placedBookingInput = object({ id: required(id()), bookable_id: required(id()) })

export const bookingBatchJobs = {
  /** Swaps the bookables of two bookings. Both bookings keep their times. */
  'bookings.swap': writeJob(
    object({
      one: required(placedBookingInput),
      other: required(placedBookingInput),
      overrides_rules: flag(),
    }),
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
