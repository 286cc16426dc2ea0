// Parses days and times as people type them, in the time zone of this computer.
import { type CommandInput, type Option, UsageError } from './command.ts'

export type CommandTimeRange = { from: Date; to: Date }

export const TIME_OPTIONS: Record<string, Option> = {
  day: {
    value: 'DAY',
    text: 'today (default), tomorrow, a weekday such as monday, or a date such as 2026-11-20.',
  },
  from: {
    value: 'TIME',
    text: 'Such as 9:00, or a whole date-time with its offset. Default: now, or 9:00 on another day.',
  },
  to: { value: 'TIME', text: 'Likewise. Default: 17:00.' },
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

export function readRange(given: CommandInput, now = new Date()): CommandTimeRange {
  const day = readDay(given.option('day') ?? 'today', now)
  const isToday = day.toDateString() === now.toDateString()
  const from = readTime('--from', given.option('from') ?? (isToday ? 'now' : '9:00'), day, now)
  const to = readTime('--to', given.option('to') ?? '17:00', day, now)
  if (to <= from)
    throw new UsageError(`${formatTime(to)} is not after ${formatTime(from)}: give --to, --from or --day.`)
  return { from, to }
}

/** Reads the `--day` option as a range from the start of that day to its end. */
export function readWholeDay(given: CommandInput, now = new Date()): CommandTimeRange {
  const from = readDay(given.option('day') ?? 'today', now)
  return { from, to: addDays(from, 1) }
}

export const addDays = (date: Date, days: number) =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, date.getHours(), date.getMinutes())

function readDay(text: string, now: Date): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const name = text.toLowerCase()
  if (name === 'today') return today
  if (name === 'tomorrow') return addDays(today, 1)
  const weekday = name.length < 3 ? -1 : WEEKDAYS.findIndex((each) => each.startsWith(name))
  // Finds the next date with this weekday. If today has this weekday, returns the date in seven days.
  if (weekday >= 0) return addDays(today, ((weekday - today.getDay() + 6) % 7) + 1)
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)?.map(Number) ?? []
  const day = new Date(year ?? Number.NaN, (month ?? 1) - 1, date)
  if (day.getDate() === date) return day
  throw new UsageError(`“${text}” is no day. Write today, tomorrow, monday or 2026-11-20.`)
}

function readTime(option: string, text: string, day: Date, now: Date): Date {
  if (text === 'now') return now
  const [, hours, minutes = 0] = /^(\d\d?)(?::(\d\d))?$/.exec(text)?.map((part) => Number(part ?? 0)) ?? []
  if (hours !== undefined && hours <= 24 && minutes < 60)
    return new Date(day.getFullYear(), day.getMonth(), day.getDate(), hours, minutes)
  const whole = /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text) : new Date(Number.NaN)
  if (!Number.isNaN(whole.getTime())) return whole
  throw new UsageError(`${option} “${text}” is no time. Write 9:00 or 2026-11-20T09:00:00+01:00.`)
}

const padNumber = (number: number) => String(number).padStart(2, '0')

export function formatTime(time: Date | string | null): string {
  if (time === null) return 'open'
  const at = new Date(time)
  const day = `${at.getFullYear()}-${padNumber(at.getMonth() + 1)}-${padNumber(at.getDate())}`
  return `${day} ${padNumber(at.getHours())}:${padNumber(at.getMinutes())}`
}
