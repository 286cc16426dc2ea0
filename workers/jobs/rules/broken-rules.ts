// Finds the rules that a booking breaks by itself. counted-rules.ts counts the user's other bookings.

import { counted, type Message, message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import { instantOf } from '../../../shared/utilities/date-times.ts'
import type { OpenSpan } from '../claims/conflicts.ts'
import type { RuleFacts } from '../claims/rule-facts.ts'
import { findClosedWeekday, localDay } from './opening-hours.ts'

const DAY_MS = 24 * 3_600_000
const HOUR_MINUTES = 60
const WEEKDAYS = [
  message`Mondays`,
  message`Tuesdays`,
  message`Wednesdays`,
  message`Thursdays`,
  message`Fridays`,
  message`Saturdays`,
  message`Sundays`,
]

/** In the order of the documentation; the reply names the first one. */
export function findBrokenRules(facts: RuleFacts | undefined, span: OpenSpan, now: string): Refusal[] {
  if (!facts) return []
  const broken = [
    closed(facts, span),
    otherUser(facts),
    outsideOpeningHours(facts, span),
    tooFarAhead(facts, span, now),
    tooShort(facts, span),
    tooLong(facts, span),
  ]
  return broken.filter((each) => each !== undefined)
}

function closed({ closed, zone }: RuleFacts, { from, to }: OpenSpan): Refusal | undefined {
  const [first] = closed
    .filter((each) => from < each.to && (to === null || each.from < to))
    .sort((a, b) => (a.from < b.from ? -1 : 1))
  if (!first) return undefined
  return new Refusal(
    'closed',
    message`${first.name} is closed ${{ from: first.from, to: first.to, zone }}: ${first.reason}`,
  )
}

function otherUser({ rules, groups, bookable }: RuleFacts): Refusal | undefined {
  const { group_ids } = rules
  if (!group_ids || group_ids.some((id) => groups.includes(id))) return undefined
  const detail = counted(
    group_ids.length,
    '{0} can only be booked by members of the group with the id {1}.',
    '{0} can only be booked by members of the groups with the ids {1}.',
    bookable.name,
    group_ids.join(', '),
  )
  return new Refusal('not_for_this_user', detail)
}

function outsideOpeningHours(
  { rules, bookable, zone }: RuleFacts,
  { from, to }: OpenSpan,
): Refusal | undefined {
  const { opening_hours } = rules
  if (!opening_hours) return undefined
  if (to === null) {
    return new Refusal(
      'outside_opening_hours',
      message`${bookable.name} has opening hours, so a booking of it needs an end.`,
    )
  }
  const weekday = findClosedWeekday(opening_hours, zone, { from, to })
  if (weekday === undefined) return undefined
  const times = opening_hours
    .filter(({ day }) => day === weekday)
    .sort((one, other) => (one.from < other.from ? -1 : 1))
    .map((open) => message`from ${open.from} to ${open.to}`)
  const [name, day] = [bookable.name, WEEKDAYS[weekday - 1] ?? weekday]
  return new Refusal(
    'outside_opening_hours',
    times.length > 0
      ? message`${name} is open ${joinAll(times)} on ${day} (${zone}).`
      : message`${name} is closed on ${day} (${zone}).`,
  )
}

// Checks the end: otherwise a booking that begins today could reach into days that cannot be booked yet.
function tooFarAhead(
  { rules, bookable, zone }: RuleFacts,
  { to }: OpenSpan,
  now: string,
): Refusal | undefined {
  const { days_ahead_max } = rules
  if (days_ahead_max == null) return undefined
  const lastDay = localDay(now, zone) + days_ahead_max
  if (to !== null && localDay(momentBefore(to), zone) <= lastDay) return undefined
  const date = new Date(lastDay * DAY_MS).toISOString().slice(0, 10)
  const days = counted(days_ahead_max, '# day', '# days')
  return new Refusal(
    'too_far_ahead',
    message`${bookable.name} can be booked at most ${days} ahead, until ${{ date }}.`,
  )
}

function tooShort({ rules, bookable }: RuleFacts, span: OpenSpan): Refusal | undefined {
  const { minutes_min } = rules
  if (minutes_min == null || lengthMinutes(span) >= minutes_min) return undefined
  return new Refusal(
    'too_short',
    message`${bookable.name} is booked for at least ${formatMinutes(minutes_min)}.`,
  )
}

function tooLong({ rules, bookable }: RuleFacts, span: OpenSpan): Refusal | undefined {
  const { minutes_max } = rules
  if (minutes_max == null || lengthMinutes(span) <= minutes_max) return undefined
  return new Refusal(
    'too_long',
    message`${bookable.name} is booked for at most ${formatMinutes(minutes_max)}.`,
  )
}

function lengthMinutes({ from, to }: OpenSpan): number {
  if (to === null) return Number.POSITIVE_INFINITY
  const microseconds = (instant: string) => Number(instant.slice(23, 26)) / 1_000
  const ms = Date.parse(to) + microseconds(to) - Date.parse(from) - microseconds(from)
  return ms / 60_000
}

const joinAll = (times: Message[]): Message => times.reduce((one, other) => message`${one} and ${other}`)

function formatMinutes(minutes: number): Message {
  return minutes % HOUR_MINUTES === 0
    ? counted(minutes / HOUR_MINUTES, '# hour', '# hours')
    : counted(minutes, '# minute', '# minutes')
}

const momentBefore = (instant: string) => instantOf(Date.parse(instant) - 1)

/** Without these rules, no bookings need to be counted. */
export function countsBookings({ bookings_ahead_max, one_at_a_time }: Rules): boolean {
  return bookings_ahead_max != null || one_at_a_time === true
}
