// Defines the job that sets where a person works on each of several days: at a desk, at home or nowhere yet.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { flag, id, list, object, required } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { job } from '../schemas/job.ts'
import { date } from '../schemas/times.ts'
import { bookingRefusalFields } from './booking-refusals.ts'
import { newBookingSchema, writtenBookingSchema } from './bookings.ts'

const DAYS_MAX = 14
const CHOICES_MAX = 20

const workDaySchema = object({
  /** The local date, in the time zone of each bookable's building. */
  date: required(date()),
  /** The job books the first choice that is free. If there are no choices, it only clears the day. */
  choices: required(
    list(required(newBookingSchema.pick(['bookable_id', 'location_id', 'from_time', 'to_time'])), {
      max: CHOICES_MAX,
    }),
  ),
})

export const workDayJobs = {
  /**
   * Books a desk or a home office on each day, in one write, and releases the person's other desks and home offices on
   * these days. Sets either all days or none. With `keeps_present`, keeps days that already have a desk, a home office
   * or an absence, and skips days on which no choice is free. If no choice is free on any day, the job is refused.
   */
  'bookings.set-days': job({
    queue: 'writes',
    input: object({
      user_id: required(id()),
      days: required(notEmpty(list(required(workDaySchema), { max: DAYS_MAX }))),
      keeps_present: flag(),
    }),
    weigh: ({ days }) => days.length,
    reply: answer.data(
      answer.list(
        yup.object({
          date: answer.date(),
          booking: answer.sometimes(writtenBookingSchema),
          ...bookingRefusalFields,
        }),
      ),
    ),
  }),
}
