// A day and a time of day as forms and addresses write them.
import { text } from '../../../shared/contracts/fields.ts'
import { message } from '../../../shared/contracts/strict.ts'

const DATE = /^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\d$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/

export const localDay = () =>
  text({ max: 10 }).test(
    'day',
    message((name) => `${name} must be a day such as 2026-11-20.`),
    (value) => value == null || isDay(value),
  )

export const localTime = () =>
  text({ max: 5 }).test(
    'time',
    message((name) => `${name} must be a time such as 09:30.`),
    (value) => value == null || TIME.test(value),
  )

function isDay(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`)
  return DATE.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}
