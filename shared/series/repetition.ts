// Defines what series of bookings and series of events have in common: how they repeat, what happens if a date is
// refused, and which dates a change affects.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { choice, integer, list, object, required, rule, treatNullAsAbsent } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { date, queryDateTime } from '../schemas/times.ts'

export const SERIES_MAX = 366
const INTERVAL_MAX = 8

const EVERY = ['day', 'week'] as const
const ON_CONFLICT = ['refuse', 'skip'] as const

export const repeatSchema = object({
  every: required(choice(EVERY, (name) => message`${name} must be “day” or “week”.`)),
  interval: treatNullAsAbsent(integer({ min: 1, max: INTERVAL_MAX })).meta({
    description: 'The number of days or weeks between two repetitions.',
    whenAbsent: 1,
  }),
  on: treatNullAsAbsent(notEmpty(list(required(integer({ min: 1, max: 7 })), { max: 7, isDistinct: true })))
    .test(
      ...rule(
        'week',
        (name) => message`${name} is allowed only for weekly repeats.`,
        (_, { parent }) => parent.every !== 'day',
      ),
    )
    .meta({
      description:
        'The days of the week, from 1 (Monday) to 7 (Sunday). Defaults to the weekday of `from_time`.',
    }),
  until: treatNullAsAbsent(date())
    .test(
      'end',
      createFieldMessage((name) => message`Either ${name} or count is required, but not both.`),
      (until, { parent }) => (until == null) !== (parent.count == null),
    )
    .meta({ description: 'The last possible day of the series, in its time zone.' }),
  count: treatNullAsAbsent(integer({ min: 1, max: SERIES_MAX })).meta({
    description: 'The number of dates in the series.',
  }),
})
export type Repetition = yup.InferType<typeof repeatSchema>

/** The fields of a request for a series, in addition to those of its first booking or event. */
export const newSeriesFields = {
  repeat: required(repeatSchema.default(undefined)),
  on_conflict: treatNullAsAbsent(
    choice(ON_CONFLICT, (name) => message`${name} must be “refuse” or “skip”.`),
  ).meta({
    description:
      'What to do if a date of the series is refused: “refuse” creates nothing, “skip” leaves out the date.',
    whenAbsent: 'refuse',
  }),
}
export type NewSeries = { repeat: Repetition; on_conflict?: (typeof ON_CONFLICT)[number] | null | undefined }

const skippedDates = () =>
  answer.list(
    yup
      .object({
        from: answer.timestamp(),
        to: answer.timestamp(),
        code: answer.text(),
        detail: answer.text(),
      })
      .meta({ component: 'SkippedDate' }),
  )

export const createdSeriesFields = <Created extends yup.AnySchema>(created: Created) => ({
  id: answer.id(),
  created: answer.list(created),
  skipped: skippedDates(),
})

/** The reply to a check of a series: the number of free dates, and the dates that would be refused. */
export const checkedSeriesSchema = yup.object({ free: answer.integer(), skipped: skippedDates() })

export const seriesFields = {
  id: answer.id(),
  timezone: answer.text('The time zone in which the series always has the same local time.'),
  repeat: yup
    .object({
      every: answer.oneOf(EVERY),
      interval: answer.integer(),
      on: answer.list(answer.integer()).nullable(),
      until: answer.date().nullable(),
      count: answer.integer().nullable(),
    })
    .meta({ component: 'Repetition' }),
}

export const deletedSeriesQuery = (ofSeries: 'bookings' | 'events') =>
  object({
    from: queryDateTime().meta({
      description: `Keeps ${ofSeries} that start before this time. Defaults to now.`,
    }),
  })

/** The scopes that can include more than one booking or event of a series. */
const SEVERAL_SCOPES = ['following', 'all'] as const
const SCOPES = ['one', ...SEVERAL_SCOPES] as const
export type SeveralScope = (typeof SEVERAL_SCOPES)[number]

export const scopeField = (ofSeries: 'booking' | 'event') =>
  choice(SCOPES, (name) => message`${name} must be “one”, “following” or “all”.`).meta({
    description: `For ${ofSeries === 'event' ? 'an event' : 'a booking'} of a series: “one” changes only this ${ofSeries}, “following” also changes later ones, and “all” changes the whole series. Past ones stay unchanged.`,
    whenAbsent: 'one',
  })

/** The scope in the input of a job about several bookings or events of a series. */
export const severalScope = () =>
  required(choice(SEVERAL_SCOPES, (name) => message`${name} must be “following” or “all”.`))

const DAY_MS = 24 * 3_600_000
const WEEK_DAYS = 7

/** Estimates how many bookings or events a series has. The estimate ignores the time zone. */
export function estimateOccurrences(from: string, { every, interval, on, until, count }: Repetition): number {
  if (until == null) return count ?? 1
  const days = Math.floor((Date.parse(until) - Date.parse(from)) / DAY_MS) + 1
  const perStep = every === 'week' ? (on?.length ?? 1) : 1
  const steps = Math.ceil(days / (interval ?? 1) / (every === 'week' ? WEEK_DAYS : 1))
  return Math.min(SERIES_MAX, Math.max(1, steps * perStep))
}

/**
 * The weight of a write about several bookings or events of a series. Their number is unknown, so this assumes one a
 * week for a year.
 */
export const weighSeveral = () => 52
