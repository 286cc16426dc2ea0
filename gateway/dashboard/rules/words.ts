// Formats and parses rules for the pages: one line for the hours of a day. Closed times: closed-lines.ts.

import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import type { OpeningHours, RuleName } from '../../../shared/rules/rules.ts'
import { plural, type Sentence, sentence, t, translate } from '../locales/translate.ts'

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

export const linesOf = (typed: string) =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** The weekday, counted from 1, by the beginning of its name; 0 if it is not a weekday. */
function dayOf(name: string): number {
  const typed = name.toLowerCase()
  return (
    DAYS.findIndex((day) => [day, translate(day)].some((word) => typed.startsWith(word.toLowerCase()))) + 1
  )
}

const isClock = (time: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time)
