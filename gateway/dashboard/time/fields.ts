// Schemas for date and time fields in forms and searches.

import { message } from '../../../shared/messages/message.ts'
import { fieldMessage } from '../../../shared/messages/strict.ts'
import { text } from '../../../shared/schemas/fields.ts'
import { parseDateTime } from '../../../shared/utilities/date-times.ts'

// Users never mean years before 1000, and in some zones their days begin in a year that Postgres does not
// have.
const DATE_TIME = /^[1-9]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/
const DATE = /^[1-9]\d{3}-\d{2}-\d{2}$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/

/** A field of the type datetime-local. */
export function localDateTime() {
  return text({ max: 30 }).test(
    'local-date-time',
    fieldMessage((name) => message`${name} must be a date and a time, such as 2026-11-20T09:00.`),
    (value) => value == null || (DATE_TIME.test(value) && parseDateTime(value) !== undefined),
  )
}

/** A field of the type date. */
export function localDate() {
  return text({ max: 10 }).test(
    'local-date',
    fieldMessage((name) => message`${name} must be a date, such as 2026-11-20.`),
    (value) => value == null || (DATE.test(value) && parseDateTime(`${value}T00:00`) !== undefined),
  )
}

/** A field of the type time. */
export function localTime() {
  return text({ max: 5 }).test(
    'local-time',
    fieldMessage((name) => message`${name} must be a time, such as 09:30.`),
    (value) => value == null || TIME.test(value),
  )
}
