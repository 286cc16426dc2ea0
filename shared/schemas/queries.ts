// The query parameters of listings: time ranges and pages.

import { fieldName, type Message, type MessageValue, message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import { addDays, addHours, addYears, readWallClock, unescapePlus } from '../utilities/date-times.ts'
import { integer, object, pathText, queryNumber, required } from './fields.ts'
import { isAfterField } from './inputs.ts'
import { queryDateTime } from './times.ts'

const RANGE_DAYS_MAX = 7

/** The values that a check may use besides the input: the time at which the request arrived. */
export type ValidationContext = { now: string }

/**
 * The fields of a time range of at most `daysMax` days, which must end within a year. The fields are for a query string
 * unless `moment` is the field type for a JSON body.
 */
export const timeRangeFieldsUpTo = (daysMax: number, moment = queryDateTime) => ({
  from: required(moment()).meta({
    description: 'The start of the range. Excludes items that end at exactly this time.',
  }),
  to: required(moment())
    .test(...isAfterField('from'))
    .test('days', function isShort(to) {
      const { from } = this.parent as { from?: unknown }
      if (!to || typeof from !== 'string' || from === '' || to <= addDays(from, daysMax)) return true
      if (isWithinLocalDays(this.from?.[0]?.value, daysMax)) return true
      return this.createError({
        message: createFieldMessage((name) => createTooLongMessage(name, from, to, daysMax)),
      })
    })
    .test(
      'year',
      createFieldMessage((name) => message`${name} must be at most one year from now.`),
      (to, { options }) => !to || to <= addYears((options.context as ValidationContext).now, 1),
    )
    .meta({
      description: `The end of the range, at most ${daysMax} days after from and at most one year from now. Excludes items that start at exactly this time.`,
    }),
})

/**
 * Whether the range is at most this many days long in local time. This allows a longer range if the offsets of its
 * start and end differ.
 */
function isWithinLocalDays(query: unknown, daysMax: number): boolean {
  const { from, to } = query as Record<string, unknown>
  const [start, end] = [from, to].map((text) => readWallClock(unescapePlus(String(text).trim())))
  return start !== undefined && end !== undefined && end <= addDays(start, daysMax)
}

function createTooLongMessage(name: MessageValue, from: string, to: string, daysMax: number): Message {
  const start = fieldName('from')
  const isLongWeek = daysMax === RANGE_DAYS_MAX && to === addHours(addDays(from, daysMax), 1)
  return isLongWeek
    ? message`${name} must be at most ${daysMax} days (${daysMax * 24} hours) after ${start}. For a week in which clocks are set back, send both with their offsets.`
    : message`${name} must be at most ${daysMax} days after ${start}.`
}

/**
 * The time range of most listings. A range of exactly a week is allowed, and so is an end exactly a year ahead: see
 * docs/interface.md, “Limits”.
 */
export const timeRangeFields = timeRangeFieldsUpTo(RANGE_DAYS_MAX)

export const timeRangeQuery = object(timeRangeFields)

export type Paging = { limit?: number | undefined; cursor?: string | undefined }

/** The fields for pages. If `limit` is absent, the listing has only one page. */
export const pagingFields = {
  limit: queryNumber(integer({ min: 1, max: 1000 })).meta({
    description:
      'The number of items per page. The Link header contains the URL of the next page. Without a limit, all items are returned.',
  }),
  cursor: pathText()
    .optional()
    .test(
      'limit',
      createFieldMessage(
        (name) => message`${name} needs a limit: without one the whole listing would be returned.`,
      ),
      function hasLimit(cursor) {
        return cursor === undefined || (this.parent as Paging).limit !== undefined
      },
    )
    .meta({
      description:
        'The start of the page, taken from the Link header of the previous page. Requires a limit.',
    }),
}
