// The rules that a place may set for its bookings. Each rule is declared once: its schemas, the check that refuses a
// booking, and the same check in SQL for finding free bookables.
import * as yup from 'yup'
import { countedMessage, fieldName, message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { flag, integer, object, required } from '../schemas/fields.ts'
import { idList } from '../schemas/inputs.ts'
import { toWholeDays } from '../schemas/wall-clock.ts'
import { formatInstant } from '../utilities/date-times.ts'
import { approvers } from './approvers.ts'
import { bookForOthers } from './book-for-others.ts'
import { type ClosedTimes, MEETING_ROOM_TYPE } from './closed-times.ts'
import {
  checkOpeningHours,
  getLocalDay,
  isInOpeningHoursSql,
  openingHoursInput,
  timeOfDayInput,
  WEEKDAY_NAMES,
} from './opening-hours.ts'
import { countInPlace, findFirstOwn, type HeldBooking, type TimeSpan } from './other-bookings.ts'
import { type BookingSql, type CheckedBookable, defineBookingRule, type RuleChecks } from './rule-checks.ts'
import { slotOnly, slots } from './slots.ts'

const GROUPS_MAX = 100
const DAY_MS = 24 * 3_600_000
const DAY_MINUTES = 1_440

/** The rules whose value is a number. */
export const NUMBER_LIMITS = {
  days_ahead_max: { min: 0, max: 3_650 },
  minutes_min: { min: 1, max: 525_600 },
  minutes_max: { min: 1, max: 525_600 },
  bookings_ahead_max: { min: 1, max: 1_000 },
}
export const CHECK_IN_LIMITS = {
  opens_minutes_before: { min: 0, max: DAY_MINUTES },
  release_minutes_after: { min: 1, max: DAY_MINUTES },
}

const numberSql = (value: string) => `(${value} #>> '{}')::int`
const minutesSql = ({ from, to }: BookingSql) => `extract(epoch FROM ${to} - ${from}) / 60`

export const BOOKING_RULES = {
  opening_hours: defineBookingRule({
    schema: openingHoursInput().nullable().meta({
      description:
        'The opening hours, in the building’s local time, by ISO weekday (1 = Monday). A day without an entry is closed.',
    }),
    answer: answer.list(
      yup
        .object({ day: answer.oneNumberOf(WEEKDAY_NAMES), from: answer.text(), to: answer.text() })
        .meta({ component: 'Open' }),
    ),
    refusal: 'outside_opening_hours',
    check: checkOpeningHours,
    allows: isInOpeningHoursSql,
  }),
  slots,
  slot_only: slotOnly,
  days_ahead_max: defineBookingRule({
    schema: integer(NUMBER_LIMITS.days_ahead_max)
      .nullable()
      .meta({ description: 'The maximum number of days ahead that a booking may end; 0 means today only.' }),
    answer: answer.integer(),
    refusal: 'too_far_ahead',
    // Checks the end of the booking: a booking that begins today could otherwise extend into days that cannot be booked
    // yet.
    check(max, { bookable, zone, now, to }) {
      const lastDay = getLocalDay(now, zone) + max
      if (to !== null && getLocalDay(formatInstant(Date.parse(to) - 1), zone) <= lastDay) return undefined
      const date = new Date(lastDay * DAY_MS).toISOString().slice(0, 10)
      const days = countedMessage(max, '# day', '# days')
      return message`${bookable.name} can be booked at most ${days} ahead, until ${{ date }}.`
    },
    allows: (max, { to, now, local }) =>
      `${to} IS NOT NULL AND ${local(`(date_trunc('milliseconds', ${to}) - interval '1 millisecond')`)}::date
        <= ${local(now)}::date + ${numberSql(max)}`,
  }),
  minutes_min: defineBookingRule({
    schema: integer(NUMBER_LIMITS.minutes_min)
      .nullable()
      .meta({ description: 'The minimum duration of a booking.' }),
    answer: answer.integer(),
    refusal: 'too_short',
    check: (min, { bookable, ...time }) =>
      computeLengthMinutes(time) < min
        ? message`${bookable.name} must be booked for at least ${formatMinutes(min)}.`
        : undefined,
    allows: (min, requested) => `(${requested.to} IS NULL OR ${minutesSql(requested)} >= ${numberSql(min)})`,
  }),
  minutes_max: defineBookingRule({
    schema: integer(NUMBER_LIMITS.minutes_max)
      .nullable()
      .test(
        'min',
        createFieldMessage((name) => message`${name} must not be less than ${fieldName('minutes_min')}.`),
        (value, { parent: { minutes_min } }) =>
          value == null || typeof minutes_min !== 'number' || minutes_min <= value,
      )
      .meta({ description: 'The maximum duration of a booking.' }),
    answer: answer.integer(),
    refusal: 'too_long',
    check: (max, { bookable, ...time }) =>
      computeLengthMinutes(time) > max
        ? message`${bookable.name} can be booked for at most ${formatMinutes(max)}.`
        : undefined,
    allows: (max, requested) =>
      `${requested.to} IS NOT NULL AND ${minutesSql(requested)} <= ${numberSql(max)}`,
  }),
  bookings_ahead_max: defineBookingRule({
    schema: integer(NUMBER_LIMITS.bookings_ahead_max).nullable().meta({
      description:
        'The maximum number of current and upcoming bookings of one type that a user may have in the place that sets this rule.',
    }),
    answer: answer.integer(),
    refusal: 'too_many_bookings',
    counts: countInPlace(({ now }) => ({ from: now, to: null })),
    checkCounts: (max, ahead, { bookable, countedIn, isAdded }) =>
      isAdded && ahead >= max
        ? countedMessage(
            max,
            'A person can have at most # current and upcoming {0} booking in {1}.',
            'A person can have at most # current and upcoming {0} bookings in {1}.',
            getTypeNoun(bookable),
            countedIn.name,
          )
        : undefined,
  }),
  one_at_a_time: defineBookingRule({
    schema: flag().nullable().meta({
      description:
        'Whether a user may hold only one bookable of a type at a time. Bookings for guests do not count.',
    }),
    answer: answer.flag(),
    refusal: 'already_booked',
    counts: findFirstOwn(({ from, to }) => ({ from, to })),
    checkCounts(_isOn, present, { bookable, isForGuest, isLimited }) {
      if (isForGuest || !present) return undefined
      return message`The person already has ${describeHeldBooking(present, isLimited)} and can have only one ${getTypeNoun(bookable)} at a time.`
    },
  }),
  one_desk_a_day: defineBookingRule({
    schema: flag().nullable().meta({
      description:
        'Whether a user may have only one bookable of a type on a day of the building. Meeting rooms and bookings for guests do not count.',
    }),
    answer: answer.flag(),
    refusal: 'already_booked_that_day',
    counts: findFirstOwn(({ zone, ...span }) => toWholeDays(span, zone)),
    checkCounts(_isOn, thatDay, { bookable, isForGuest, isLimited }) {
      if (isForGuest || !thatDay || bookable.type === MEETING_ROOM_TYPE) return undefined
      return message`The person already has ${describeHeldBooking(thatDay, isLimited)} and can have only one ${getTypeNoun(bookable)} a day.`
    },
  }),
  group_ids: defineBookingRule({
    schema: idList({ max: GROUPS_MAX })
      .nullable()
      .meta({ description: 'Only members of one of these groups may book.' }),
    answer: answer.list(answer.id()),
    refusal: 'not_for_this_user',
    check: (groupIds: number[], { bookable, groups }) =>
      groupIds.some((id) => groups.includes(id))
        ? undefined
        : countedMessage(
            groupIds.length,
            '{0} can only be booked by members of the group with the id {1}.',
            '{0} can only be booked by members of the groups with the ids {1}.',
            bookable.name,
            groupIds.join(', '),
          ),
    allows: (groupIds, { user }) => `(${user} IS NULL OR EXISTS (
      SELECT FROM json_array_elements_text(${groupIds}) AS groups (id)
      JOIN group_members ON group_members.group_id = groups.id::bigint AND group_members.user_id = ${user}))`,
  }),
  approvers,
  book_for_others: bookForOthers,
  check_in: defineBookingRule({
    // Without this default, yup turns an absent object into an empty one.
    schema: object({
      opens_minutes_before: required(integer(CHECK_IN_LIMITS.opens_minutes_before)).meta({
        description: 'The time before the start at which check-in opens.',
      }),
      release_minutes_after: required(integer(CHECK_IN_LIMITS.release_minutes_after)).meta({
        description: 'The time after the start at which a booking without a check-in is released.',
      }),
      by: timeOfDayInput().meta({
        description:
          'The local time until which bookings that start earlier on the same day can be checked in.',
      }),
      events: flag().meta({
        description: 'Whether event rooms require check-in too.',
        whenAbsent: false,
      }),
    })
      .nullable()
      .optional()
      .default(undefined)
      .meta({
        description:
          'The check-in rule. A booking without a check-in by the deadline is released for its remaining time.',
      }),
    answer: yup
      .object({
        opens_minutes_before: answer.integer(),
        release_minutes_after: answer.integer(),
        by: answer.text().meta({ sometimes: true }),
        events: answer.flag().meta({ sometimes: true }),
      })
      .meta({ component: 'CheckIn' }),
  }),
}

/**
 * The rule that refuses bookings while a place is closed. For other rules only the nearest place counts, but the closed
 * times of all places around a bookable apply to it, each with the name of its place.
 */
export const CLOSED_TIMES_RULE: RuleChecks<Array<ClosedTimes & { name: string }>> = {
  refusal: 'closed',
  check(times, { from, to, zone }) {
    const [first] = times
      .filter((each) => from < each.to && (to === null || each.from < to))
      .sort((a, b) => (a.from < b.from ? -1 : 1))
    if (!first) return undefined
    return message`${first.name} is closed ${{ from: first.from, to: first.to, zone }}: ${first.reason}`
  },
  allows: (times, { from, to }) => `NOT EXISTS (
    SELECT FROM (${times}) AS times
    WHERE tstzrange((closed ->> 'from')::timestamptz, (closed ->> 'to')::timestamptz) && tstzrange(${from}, ${to}))`,
}

function computeLengthMinutes({ from, to }: TimeSpan): number {
  if (to === null) return Number.POSITIVE_INFINITY
  const microseconds = (instant: string) => Number(instant.slice(23, 26)) / 1_000
  return (Date.parse(to) + microseconds(to) - Date.parse(from) - microseconds(from)) / 60_000
}

const formatMinutes = (minutes: number) =>
  minutes % 60 === 0
    ? countedMessage(minutes / 60, '# hour', '# hours')
    : countedMessage(minutes, '# minute', '# minutes')

const describeHeldBooking = ({ name, ...span }: HeldBooking, isLimited: boolean) =>
  isLimited ? message`something` : message`${name} ${span}`

const TYPE_NOUNS = [message`desk`, message`parking spot`, message`meeting room`, message`home office`]
const getTypeNoun = ({ type }: CheckedBookable) => TYPE_NOUNS[type] ?? message`desk`
