// Rules in the words of the pages, and as people type them: a line for the hours of a day, a line for each time that is closed.
import type { Closed } from '../../../../shared/contracts/rules/closed.ts'
import type { OpeningHours, RuleName } from '../../../../shared/contracts/rules/rules.ts'
import { invalid } from '../../../../shared/refusal.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../../shared/utilities/wall-clock.ts'
import { plural, type Sentence, sentence, t, translate } from '../../language/translate.ts'

export const LABELS: Record<RuleName, Sentence> = {
  opening_hours: sentence`Opening hours`,
  days_ahead_max: sentence`Days ahead`,
  minutes_min: sentence`Shortest booking`,
  minutes_max: sentence`Longest booking`,
  bookings_ahead_max: sentence`Bookings per person`,
  one_at_a_time: sentence`One at a time`,
  group_ids: sentence`Groups`,
  check_in: sentence`Check-in`,
}

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
const DATE_TIME = String.raw`\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2})?`
const CLOSED = new RegExp(String.raw`^(${DATE_TIME})\s+(\S+)\s+(${DATE_TIME})\s+(\S.*)$`)

type Weekday = OpeningHours[number]['day']

/** “Mon 07:00-20:00”, a line for each, in the words of the visitor's language. */
export function formatOpeningHours(hours: OpeningHours): string {
  const days = DAYS.map(translate)
  return hours.map(({ day, from, to }) => `${days[day - 1]} ${from}-${to}`).join('\n')
}

/** Days may be joined: “Mon-Fri 7:00-20:00”. English is read in every language. */
export function parseOpeningHours(typed: string | undefined): OpeningHours | undefined {
  if (!typed) return undefined
  return linesOf(typed).flatMap((line) => {
    const [, first = '', last, from = '', to = ''] = HOURS.exec(line) ?? []
    const [start, end] = [dayOf(first), dayOf(last ?? first)]
    const [opens, closes] = [from.padStart(5, '0'), to.padStart(5, '0')]
    const isRight =
      start > 0 && end >= start && opens < closes && isClock(opens) && (isClock(closes) || closes === '24:00')
    if (!isRight) throw invalid({ opening_hours: [`“${line}” is not a line such as “Mon-Fri 07:00-20:00”.`] })
    return Array.from({ length: end - start + 1 }, (_, at) => {
      const day = (start + at) as Weekday
      return { day, from: opens, to: closes }
    })
  })
}

/** “2026-12-24 12:00 to 2026-12-27 00:00 Christmas”, a line for each, on the clocks of the building. */
export function formatClosed(closed: Closed[], zone: string): string {
  const time = (instant: string) => formatLocalDateTime(instant, zone).replace('T', ' ')
  return closed.map(({ from, to, reason }) => `${time(from)} ${t`to`} ${time(to)} ${reason}`).join('\n')
}

export function parseClosed(typed: string | undefined, zone: string): Closed[] | undefined {
  if (!typed) return undefined
  return linesOf(typed).map((line) => {
    const [, from, word = '', to, reason = ''] = CLOSED.exec(line) ?? []
    const wrong = invalid({
      closed: [`“${line}” is not a line such as “2026-12-24 12:00 to 2026-12-27 Christmas”.`],
    })
    if (!from || !to || !['to', t`to`].includes(word.toLowerCase()) || reason.length > 255) throw wrong
    const [start, end] = [from, to].map((each) => parseTime(each, zone, wrong))
    if (!start || !end || end <= start) throw wrong
    return { from: start, to: end, reason }
  })
}

export function formatRule(name: RuleName, value: unknown, groupNames: Map<number, string>): string {
  if (value === null) return t`none`
  switch (name) {
    case 'opening_hours':
      return formatOpeningHours(value as OpeningHours).replaceAll('\n', ', ')
    case 'days_ahead_max':
      return t`at most ${Number(value)}`
    case 'minutes_min':
    case 'minutes_max':
      return plural(Number(value), '# minute', '# minutes')
    case 'bookings_ahead_max':
      return t`at most ${Number(value)} current and upcoming`
    case 'one_at_a_time':
      return value ? t`yes` : t`no`
    case 'group_ids':
      return (value as number[]).map((id) => groupNames.get(id) ?? t`group ${id}`).join(', ')
    case 'check_in': {
      const { opens_minutes_before, release_minutes_after, events } = value as CheckIn
      return events
        ? t`from ${opens_minutes_before} minutes before to ${release_minutes_after} minutes after the start, rooms of events too`
        : t`from ${opens_minutes_before} minutes before to ${release_minutes_after} minutes after the start`
    }
  }
}

type CheckIn = { opens_minutes_before: number; release_minutes_after: number; events?: boolean }

function parseTime(typed: string, zone: string, wrong: Error): string {
  const local = typed.replace(' ', 'T')
  const whole = local.includes('T') ? local : `${local}T00:00`
  if (Number.isNaN(Date.parse(`${whole}Z`))) throw wrong
  return parseLocalDateTime(whole, zone, 'closed')
}

export const linesOf = (typed: string) =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** From 1 on, by the beginning of its name; 0 where it is none. */
function dayOf(name: string): number {
  const typed = name.toLowerCase()
  return (
    DAYS.findIndex((day) => [day, translate(day)].some((word) => typed.startsWith(word.toLowerCase()))) + 1
  )
}

const isClock = (time: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time)
