// Series: bookings that repeat. What the API takes and shows of them, and the jobs that write them.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { choice, id, integer, list, nullIsAbsent, object, required, rule } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { job, write } from '../schemas/job.ts'
import { date, dateTime, queryDateTime } from '../schemas/times.ts'
import { newBookingSchema, writtenBookingSchema } from './bookings.ts'

export const SERIES_MAX = 366
const INTERVAL_MAX = 8

const EVERY = ['day', 'week'] as const
const ON_CONFLICT = ['refuse', 'skip'] as const

const repeatSchema = object({
  every: required(choice(EVERY, (name) => message`${name} must be day or week.`)),
  interval: nullIsAbsent(integer({ min: 1, max: INTERVAL_MAX })).meta({
    description: 'The number of days or weeks between bookings.',
    whenAbsent: 1,
  }),
  on: nullIsAbsent(notEmpty(list(required(integer({ min: 1, max: 7 })), { max: 7, isDistinct: true })))
    .test(
      ...rule(
        'week',
        (name) => message`${name} goes with every week only.`,
        (_, { parent }) => parent.every !== 'day',
      ),
    )
    .meta({
      description:
        'The days of the week, from 1 (Monday) to 7 (Sunday). Defaults to the weekday of the first booking.',
    }),
  until: nullIsAbsent(date())
    .test(
      'end',
      fieldMessage((name) => message`${name} or count is required, and not both.`),
      (until, { parent }) => (until == null) !== (parent.count == null),
    )
    .meta({ description: 'The last day on which a booking may start, in the time zone of the building.' }),
  count: nullIsAbsent(integer({ min: 1, max: SERIES_MAX })).meta({
    description: 'The number of bookings.',
  }),
})
export type Repeating = yup.InferType<typeof repeatSchema>

export const newSeriesSchema = newBookingSchema.shape({
  repeat: required(repeatSchema.default(undefined)),
  on_conflict: nullIsAbsent(choice(ON_CONFLICT, (name) => message`${name} must be refuse or skip.`)).meta({
    description: 'What to do if one of the bookings is refused.',
    whenAbsent: 'refuse',
  }),
})

export const deletedSeriesQuery = object({
  from: queryDateTime().meta({ description: 'Keeps bookings that start before this time. Defaults to now.' }),
})

const seriesRow = { id: answer.id() }

const createdSeriesSchema = yup
  .object({
    ...seriesRow,
    created: answer.list(writtenBookingSchema),
    skipped: answer.list(
      yup.object({
        from: answer.timestamp(),
        to: answer.timestamp(),
        code: answer.text(),
        detail: answer.text(),
      }),
    ),
  })
  .meta({ component: 'CreatedSeries' })

export const seriesSchema = yup
  .object({
    ...seriesRow,
    timezone: answer.text('The time zone of the building, in which the times of day are given.'),
    repeat: yup.object({
      every: answer.oneOf(EVERY),
      interval: answer.integer(),
      on: answer.list(answer.integer()).nullable(),
      until: answer.date().nullable(),
      count: answer.integer().nullable(),
    }),
    bookings: answer.list(writtenBookingSchema).meta({ description: 'The remaining bookings, in order.' }),
  })
  .meta({ component: 'Series' })

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7

/** Estimates how many bookings a series has, without the time zone of its building. */
function estimateOccurrences(from: string, { every, interval, on, until, count }: Repeating): number {
  if (until == null) return count ?? 1
  const days = Math.floor((Date.parse(until) - Date.parse(from)) / DAY_MS) + 1
  const perStep = every === 'week' ? (on?.length ?? 1) : 1
  const steps = Math.ceil(days / (interval ?? 1) / (every === 'week' ? WEEK_DAYS : 1))
  return Math.min(SERIES_MAX, Math.max(1, steps * perStep))
}

export const seriesJobs = {
  'series.create': job({
    queue: 'writes',
    input: newSeriesSchema,
    reply: answer.data(createdSeriesSchema),
    weigh: ({ from_time, to_time, repeat }) => estimateOccurrences(from_time ?? to_time, repeat),
  }),
  'series.delete': write(object({ id: required(id()), from: dateTime() }), null),
}
