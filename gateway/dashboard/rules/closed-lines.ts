// Formats and parses closed times as lines of text, in the building's time zone: “2026-12-24 12:00 to
// 2026-12-27 Christmas”. A date without a time means the whole day, so the last day is closed too. A single
// day needs no “to”.

import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { Closed } from '../../../shared/rules/closed.ts'
import {
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
  startOfDay,
} from '../../../shared/schemas/wall-clock.ts'
import { t } from '../locales/translate.ts'
import { addDaysToDate } from '../time/instants.ts'
import { linesOf } from './words.ts'

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
export function parseClosed(
  typed: string | undefined,
  zone: string,
  present: Closed[] = [],
): Closed[] | undefined {
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

function isReasonOfOneDay(reason: string): boolean {
  return !isTo(reason.split(' ')[0] ?? '') && !MISTYPED_RANGE.test(reason)
}

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
