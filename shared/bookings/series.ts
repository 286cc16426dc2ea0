// Defines the API schemas of series of repeated bookings, and the jobs that write series.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, object, required } from '../schemas/fields.ts'
import { idAndIfMatch } from '../schemas/inputs.ts'
import { job, writeJob } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'
import {
  checkedSeriesSchema,
  createdSeriesFields,
  estimateOccurrences,
  newSeriesFields,
  scopeField,
  seriesFields,
  severalScope,
  weighSeveral,
} from '../series/repetition.ts'
import { bookingChangesSchema, newBookingSchema, writtenBookingSchema } from './bookings.ts'

export const newSeriesSchema = newBookingSchema.shape(newSeriesFields)

export const bookingScopeQuery = object({ scope: scopeField('booking') })

const createdSeriesSchema = yup
  .object(createdSeriesFields(writtenBookingSchema))
  .meta({ component: 'CreatedSeries' })

export const seriesSchema = yup
  .object({
    ...seriesFields,
    bookings: answer.list(writtenBookingSchema).meta({ description: 'The remaining bookings, in order.' }),
  })
  .meta({ component: 'Series' })

export const seriesJobs = {
  'series.create': job({
    queue: 'writes',
    input: newSeriesSchema,
    reply: answer.data(createdSeriesSchema),
    weigh: ({ from_time, to_time, repeat }) => estimateOccurrences(from_time ?? to_time, repeat),
  }),
  /** Finds out which dates of a series would be refused, without creating it. */
  'series.check': job({
    queue: 'writes',
    input: newSeriesSchema,
    reply: answer.data(checkedSeriesSchema),
    weigh: ({ from_time, to_time, repeat }) => estimateOccurrences(from_time ?? to_time, repeat),
  }),
  'series.delete': writeJob(object({ id: required(id()), from: dateTime() }), null),
  /** Changes a booking and others of its series in one write. The reply is the booking with this id. */
  'series.update-bookings': job({
    queue: 'writes',
    input: bookingChangesSchema.shape({ ...idAndIfMatch(), scope: severalScope() }),
    reply: answer.data(writtenBookingSchema),
    weigh: weighSeveral,
  }),
  /** Deletes a booking and others of its series in one write. Ends a running one now. */
  'series.delete-bookings': job({
    queue: 'writes',
    input: object({ ...idAndIfMatch(), scope: severalScope() }),
    reply: null,
    weigh: weighSeveral,
  }),
}
