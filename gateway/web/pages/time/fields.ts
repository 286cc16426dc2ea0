// Date and time fields in forms and searches: their schemas, and the span of two of them.
import { type Message, message, type Value } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { fieldMessage } from '../../../../shared/messages/strict.ts'
import { text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { parseDateTime } from '../../../../shared/utilities/date-times.ts'

// Users never mean years before 1000, and in some zones their days begin in a year that Postgres does not
// have.
const DATE_TIME = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/
const DATE = /^[1-9]\d{3}-\d{2}-\d{2}$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/

const field = (words: (name: Value) => Message, isRight: (value: string) => boolean) =>
  text({ max: 30 }).test('local-time', fieldMessage(words), (value) => value == null || isRight(value))

/** Of the type datetime-local. */
export const localDateTime = () =>
  field(
    (name) => message`${name} must be a date and a time, such as 2026-11-20T09:00.`,
    (value) => DATE_TIME.test(value) && parseDateTime(value) !== undefined,
  )

/** Of the type date. */
export const localDate = () =>
  field(
    (name) => message`${name} must be a date, such as 2026-11-20.`,
    (value) => DATE.test(value) && parseDateTime(`${value}T00:00`) !== undefined,
  )

export const END_OF_DAY = '24:00'

/** Of the type time, which has no end of a day. */
export const localTime = ({ mayEndDay = false } = {}) =>
  field(
    (name) => message`${name} must be a time, such as 09:30.`,
    (value) => TIME.test(value) || (mayEndDay && value === END_OF_DAY),
  )

type Typed = { from_time?: string | undefined; to_time?: string | undefined }
type Zones = { from: string; to: string }
type Present = { from: string; to: string | null }

/** Returns both as instants, or undefined for an empty field. */
export function parseSpan({ from_time, to_time }: Typed, zones: Zones, present?: Present) {
  const from = parse(from_time, 'from_time', zones.from, present?.from)
  const to = parse(to_time, 'to_time', zones.to, present?.to)
  if (from && to && to <= from) throw invalid({ to_time: [message`The end must be after the start.`] })
  return { from, to }
}

// Fields have no seconds, so a time that was not changed keeps its exact value, to the microsecond.
function parse(typed: string | undefined, field: keyof Typed, zone: string, present?: string | null) {
  if (!typed) return undefined
  return present && typed === formatLocalDateTime(present, zone)
    ? present
    : parseLocalDateTime(typed, zone, field)
}
