// What listings take in their query: ranges of time, and pages.

import { field, type Message, message, type Value } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import { addDays, addHours, addYears, readWallClock, unescapePlus } from '../utilities/date-times.ts'
import { integer, object, pathText, queryNumber, required } from './fields.ts'
import { after } from './inputs.ts'
import { queryDateTime } from './times.ts'

const RANGE_DAYS_MAX = 7

/** What a check may use in addition to the input: when the request arrived. */
export type ValidationContext = { now: string }

/** A range of at most `daysMax` days, which ends within a year; in a query unless `moment` is of a body. */
export const rangeOf = (daysMax: number, moment = queryDateTime) => ({
  from: required(moment()).meta({
    description: 'The start of the range. Excludes items that end at exactly this time.',
  }),
  to: required(moment())
    .test(...after('from'))
    .test('days', function isShort(to) {
      const { from } = this.parent as { from?: unknown }
      if (!to || typeof from !== 'string' || from === '' || to <= addDays(from, daysMax)) return true
      if (isWithinOnTheClock(this.from?.[0]?.value, daysMax)) return true
      return this.createError({ message: fieldMessage((name) => tooLong(name, from, to, daysMax)) })
    })
    .test(
      'year',
      fieldMessage((name) => message`${name} must be at most one year from now.`),
      (to, { options }) => !to || to <= addYears((options.context as ValidationContext).now, 1),
    )
    .meta({
      description: `The end of the range, at most ${daysMax} days after from and at most one year from now. Excludes items that start at exactly this time.`,
    }),
})

/** If the offsets differ, the range may be as long as that many days on the clock. */
function isWithinOnTheClock(query: unknown, daysMax: number): boolean {
  const { from, to } = query as Record<string, unknown>
  const [start, end] = [from, to].map((text) => readWallClock(unescapePlus(String(text).trim())))
  return start !== undefined && end !== undefined && end <= addDays(start, daysMax)
}

function tooLong(name: Value, from: string, to: string, daysMax: number): Message {
  const start = field('from')
  const isLongWeek = daysMax === RANGE_DAYS_MAX && to === addHours(addDays(from, daysMax), 1)
  return isLongWeek
    ? message`${name} must be at most ${daysMax} days (${daysMax * 24} hours) after ${start}. For a week in which clocks are set back, send both with their offsets.`
    : message`${name} must be at most ${daysMax} days after ${start}.`
}

/** docs/interface.md, “Limits”: exactly a week is allowed, and so is an end exactly a year ahead. */
export const range = rangeOf(RANGE_DAYS_MAX)

export const rangeQuery = object(range)

export type Paging = { limit?: number | undefined; cursor?: string | undefined }

/** Without a limit, the whole listing is returned. */
export const paging = {
  limit: queryNumber(integer({ min: 1, max: 1000 })).meta({
    description:
      'The number of items per page. The Link header contains the URL of the next page. Without a limit, all items are returned.',
  }),
  cursor: pathText()
    .optional()
    .test(
      'limit',
      fieldMessage(
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
