// Fields for times: instants, and the time zones in which to show them.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { createFieldMessage, turnOffTypeConversion } from '../messages/strict.ts'
import { parseDateTime, unescapePlus } from '../utilities/date-times.ts'
import { isTimezone } from '../utilities/texts.ts'
import { spellTimezone } from '../utilities/time-zones.ts'
import { rule, text } from './fields.ts'

/** An instant in a JSON body or a payload. Berth stores it as text with six fractional digits. */
export function dateTime() {
  const sentence = createFieldMessage(
    (name) =>
      message`${name} must be an ISO 8601 date-time such as 2026-11-20T09:00:00Z, with a year from 0001 to 9999.`,
  )
  return turnOffTypeConversion(yup.string())
    .typeError(sentence)
    .transform((value: unknown) =>
      typeof value === 'string' ? (parseDateTime(value.trim())?.instant ?? '') : value,
    )
    .test('date-time', sentence, (value) => value !== '')
    .meta({ openapi: { type: 'string', format: 'date-time' } })
}

/** An instant in a query string, where an unescaped `+` arrives as a space. */
export function queryDateTime() {
  return dateTime().transform((_value: unknown, original: unknown) =>
    typeof original === 'string' ? (parseDateTime(unescapePlus(original.trim()))?.instant ?? '') : original,
  )
}

/** A calendar date. */
export function date() {
  const sentence = createFieldMessage((name) => message`${name} must be a date such as 2026-11-20.`)
  return turnOffTypeConversion(yup.string())
    .typeError(sentence)
    .test('date', sentence, (value) => value == null || isDate(value))
    .meta({ openapi: { type: 'string', format: 'date' } })
}

const isDate = (value: string) =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) && parseDateTime(`${value}T00:00Z`) !== undefined

/** An IANA time zone name. Accepts any letter case, and converts the name to IANA's spelling. */
export function timezone() {
  const zone = text({ max: 64, min: 1 }).transform((value: unknown) =>
    typeof value === 'string' && isTimezone(value) ? spellTimezone(value) : value,
  )
  return zone.test(
    ...rule(
      'timezone',
      (name) => message`${name} must be an IANA time zone name such as Europe/Berlin.`,
      isTimezone,
    ),
  )
}
