// Date and time fields in forms and searches: their schemas, and the time span that two fields give.
import { type Message, type MessageValue, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { createFieldMessage } from '../../../../shared/messages/strict.ts'
import { text } from '../../../../shared/schemas/fields.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../../shared/schemas/wall-clock.ts'
import { parseDateTime } from '../../../../shared/utilities/date-times.ts'

// Match a date with or without a time, from the year 1000 on. Users never mean earlier years, and in some
// time zones the first days of the year 1 begin in a year that Postgres cannot store.
const DATE_TIME_PATTERN = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/
const DATE_PATTERN = /^[1-9]\d{3}-\d{2}-\d{2}$/
const TIME_PATTERN = /^([01]\d|2[0-3]):[0-5]\d$/

const field = (words: (name: MessageValue) => Message, isRight: (value: string) => boolean) =>
  text({ max: 30 }).test('local-time', createFieldMessage(words), (value) => value == null || isRight(value))

/** A schema for the value of a datetime-local field. */
export const localDateTime = () =>
  field(
    (name) => message`${name} must be a date and a time, such as 2026-11-20T09:00.`,
    (value) => DATE_TIME_PATTERN.test(value) && parseDateTime(value) !== undefined,
  )

/** A schema for the value of a date field. */
export const localDate = () =>
  field(
    (name) => message`${name} must be a date, such as 2026-11-20.`,
    (value) => DATE_PATTERN.test(value) && parseDateTime(`${value}T00:00`) !== undefined,
  )

export const END_OF_DAY = '24:00'

/** A schema for the value of a time field. If `mayEndDay` is set, the schema also allows the end of a day. */
export const localTime = ({ mayEndDay = false } = {}) =>
  field(
    (name) => message`${name} must be a time, such as 09:30.`,
    (value) => TIME_PATTERN.test(value) || (mayEndDay && value === END_OF_DAY),
  )

type SpanForm = { from_time?: string | undefined; to_time?: string | undefined }
type SpanZones = { from: string; to: string }
type CurrentSpan = { from: string; to: string | null }

/** Returns both times as instants, or undefined for an empty field. */
export function parseSpan({ from_time, to_time }: SpanForm, zones: SpanZones, present?: CurrentSpan) {
  const from = parseTime(from_time, 'from_time', zones.from, present?.from)
  const to = parseTime(to_time, 'to_time', zones.to, present?.to)
  if (from && to && to <= from) throw invalidFields({ to_time: [message`The end must be after the start.`] })
  return { from, to }
}

// Parses a time. Fields have no seconds, so a time that the user did not change keeps its exact value, to the
// microsecond.
function parseTime(typed: string | undefined, field: keyof SpanForm, zone: string, present?: string | null) {
  if (!typed) return undefined
  return present && typed === formatLocalDateTime(present, zone)
    ? present
    : parseLocalDateTime(typed, zone, field)
}
