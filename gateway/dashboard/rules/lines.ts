// Formats and parses rules as lines of text: opening hours, “Mon 07:00-20:00”, and closed times.

import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Closed } from '../../../shared/rules/closed.ts'
import type { OpeningHours } from '../../../shared/rules/opening-hours.ts'
import {
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
  startOfDay,
} from '../../../shared/schemas/wall-clock.ts'
import { sentence, t, translate } from '../locales/translate.ts'
import { addDaysToDate } from '../time/instants.ts'

export const linesOf = (typed: string) =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const DAYS = [
  sentence`Mon`,
  sentence`Tue`,
  sentence`Wed`,
  sentence`Thu`,
  sentence`Fri`,
  sentence`Sat`,
  sentence`Sun`,
]
const TIME = String.raw`\d{1,2}:\d{2}`
const HOURS = new RegExp(String.raw`^(\p{L}+)(?:\s*[-–]\s*(\p{L}+))?\s+(${TIME})\s*[-–]\s*(${TIME})$`, 'u')

type Weekday = OpeningHours[number]['day']

/** “Mon 07:00-20:00”, one line per entry, in the visitor's language. */
export function formatOpeningHours(hours: OpeningHours): string {
  const days = DAYS.map(translate)
  return hours.map(({ day, from, to }) => `${days[day - 1]} ${from}-${to}`).join('\n')
}

/** Days may be ranges: “Mon-Fri 7:00-20:00”. English names work in every language. */
export function parseOpeningHours(typed: string | undefined): OpeningHours | undefined {
  if (!typed) return undefined
  return linesOf(typed).flatMap((line) => {
    const [, first = '', last, from = '', to = ''] = HOURS.exec(line) ?? []
    const [start, end] = [dayOf(first), dayOf(last ?? first)]
    const [opens, closes] = [from.padStart(5, '0'), to.padStart(5, '0')]
    const isRight =
      start > 0 && end >= start && opens < closes && isClock(opens) && (isClock(closes) || closes === '24:00')
    if (!isRight)
      throw invalid({ opening_hours: [message`“${line}” is not a line such as “Mon-Fri 07:00-20:00”.`] })
    return Array.from({ length: end - start + 1 }, (_, at) => {
      const day = (start + at) as Weekday
      return { day, from: opens, to: closes }
    })
  })
}

/** The weekday, counted from 1, by the beginning of its name; 0 if it is not a weekday. */
function dayOf(name: string): number {
  const typed = name.toLowerCase()
  return (
    DAYS.findIndex((day) => [day, translate(day)].some((word) => typed.startsWith(word.toLowerCase()))) + 1
  )
}

const isClock = (time: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time)

// Closed times are in the building's time zone: “2026-12-24 12:00 to 2026-12-27 Christmas”. A date without a time
// means the whole day, so the last day is closed too. A single day needs no “to”.
const DATE = String.raw`\d{4}-\d{2}-\d{2}`
const MOMENT = String.raw`${DATE}(?:[ T]\d{2}:\d{2})?`
const RANGE = new RegExp(String.raw`^(${MOMENT})\s+(\S+)\s+(${MOMENT})\s+(\S.*)$`)
const ONE_DAY = new RegExp(String.raw`^(${DATE})\s+(\S.*)$`)
// Not a reason for a single day: a line like this is a mistyped range.
const MISTYPED_RANGE = new RegExp(String.raw`^[-–—]|^\d{1,2}:\d{2}|${DATE}`)
const REASON_MAX = 255

/** One line per closed time. */
export function formatClosed(closed: Closed[], zone: string): string {
  return closed.map((each) => formatLine(each, zone)).join('\n')
}

/** A line that equals one of `present` as formatted keeps it, with seconds and all that a line omits. */
export function parseClosed(typed: string | undefined, zone: string, present: Closed[] = []) {
  if (!typed) return undefined
  const left = [...present]
  return linesOf(typed).map((line) => {
    const at = left.findIndex((each) => formatLine(each, zone) === line)
    return left.splice(at, at < 0 ? 0 : 1)[0] ?? parseLine(line, zone)
  })
}

function formatLine({ from, to, reason }: Closed, zone: string): string {
  const firstDay = formatLocalDate(from, zone)
  const lastDay = addDaysToDate(formatLocalDate(to, zone), -1)
  const start = from === startOfDay(firstDay, zone) ? firstDay : formatMoment(from, zone)
  const end = to === endOfDay(lastDay, zone) ? lastDay : formatMoment(to, zone)
  const said = reason.replace(/\s+/g, ' ')
  const isOneDay = start === firstDay && end === firstDay && isReasonOfOneDay(said)
  return isOneDay ? `${start} ${said}` : `${start} ${t`to`} ${end} ${said}`
}

function parseLine(line: string, zone: string): Closed {
  const wrong = invalid({
    closed: [
      message`“${line}” is not a line such as “2026-12-24 12:00 to 2026-12-27 Christmas” or “2026-11-27 Holiday”.`,
    ],
  })
  const { first, last, reason } = splitLine(line) ?? {}
  if (!first || !last || !reason || reason.length > REASON_MAX) throw wrong
  const from = first.includes(':') ? parseMoment(first, zone) : startOfDay(first, zone)
  const to = last.includes(':') ? parseMoment(last, zone) : endOfDay(last, zone)
  if (to <= from) throw wrong
  return { from, to, reason }
}

type Parts = { first: string; last: string; reason: string }

function splitLine(line: string): Parts | undefined {
  const [, first = '', word = '', last = '', reason = ''] = RANGE.exec(line) ?? []
  if (first && isTo(word)) return areDays(first, last) ? { first, last, reason } : undefined
  const [, day = '', said = ''] = ONE_DAY.exec(line) ?? []
  const isOneDay = isReasonOfOneDay(said) && areDays(day)
  return isOneDay ? { first: day, last: day, reason: said } : undefined
}

const isReasonOfOneDay = (reason: string) => !isTo(reason.split(' ')[0] ?? '') && !MISTYPED_RANGE.test(reason)

const isTo = (word: string) => ['to', t`to`].includes(word.toLowerCase())

// Checks that the dates exist: there is no 31 November.
function areDays(...moments: string[]): boolean {
  return moments.every((moment) => {
    const [day = '', time = '00:00'] = moment.split(/[ T]/)
    const ms = Date.parse(`${day}T${time}Z`)
    return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
  })
}

const parseMoment = (typed: string, zone: string) =>
  parseLocalDateTime(typed.replace(' ', 'T'), zone, 'closed')
const formatMoment = (instant: string, zone: string) => formatLocalDateTime(instant, zone).replace('T', ' ')
const endOfDay = (date: string, zone: string) => startOfDay(addDaysToDate(date, 1), zone)
