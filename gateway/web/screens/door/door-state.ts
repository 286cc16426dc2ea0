// Computes what a door screen shows at a given time, and the times at which that changes.
import type * as yup from 'yup'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { isLentAt } from '../../../../shared/loans/loans.ts'
import { BOOKING_RULES, CLOSED_TIMES_RULE } from '../../../../shared/rules/booking-rules.ts'
import { findClosedWeekday, findOpenIntervals } from '../../../../shared/rules/opening-hours.ts'
import type { BookingRule } from '../../../../shared/rules/rule-checks.ts'
import { RULE_NAMES } from '../../../../shared/rules/rules.ts'
import {
  findStartOfDay,
  formatLocalDate,
  fromWallClock,
  getWeekday,
} from '../../../../shared/schemas/wall-clock.ts'
import { addMinutes, formatInstant } from '../../../../shared/utilities/date-times.ts'
import type { Door, DoorClaim } from './queries.ts'

/** The durations, in minutes, that the buttons offer for a booking. */
export const BOOKABLE_MINUTES = [15, 30, 60] as const

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

export type DoorState = {
  at: string
  kind: 'free' | 'taken' | 'check-in' | 'closed'
  /** The current claim of the place. */
  current: DoorClaim | undefined
  /** The claim for which somebody can check in now: the current claim, or the next claim shortly before it begins. */
  checkIn: DoorClaim | undefined
  /** When the place is next taken or closed; undefined if neither happens before the end of tomorrow. */
  freeUntil: string | undefined
  /** The claims that follow on the same day. */
  next: DoorClaim[]
  minutes: number[]
}

export function computeDoorState(door: Door, at: string): DoorState {
  const current = door.claims.find(({ from, to }) => from <= at && (to === null || to > at))
  const following = door.claims.filter(({ from }) => from > at)
  const [first] = following
  const checkIn = [current, first].find((claim) => claim && canCheckIn(claim, at))
  const isClosed = !current && isClosedAt(door, at)
  const freeUntil = current ? undefined : [first?.from, findNextClosing(door, at)].filter(isDefined).sort()[0]
  return {
    at,
    kind: current ? (checkIn === current ? 'check-in' : 'taken') : isClosed ? 'closed' : 'free',
    current,
    checkIn,
    freeUntil,
    next: following.filter(({ from }) => findLocalDate(door, from) === findLocalDate(door, at)),
    minutes:
      current || isClosed
        ? []
        : BOOKABLE_MINUTES.filter((minutes) => canSuggest(door, at, computeBookingEnd(door, at, minutes))),
  }
}

const isDefined = (value: string | undefined): value is string => value !== undefined
const findLocalDate = ({ zone }: Door, at: string) => formatLocalDate(at, zone)

export const canCheckIn = ({ isCheckedIn, checkInFrom, checkInUntil }: DoorClaim, at: string) =>
  !isCheckedIn && checkInFrom !== null && checkInFrom <= at && (checkInUntil === null || at < checkInUntil)

/** Returns the end of a booking: a full minute, unless the rules require a longer booking. */
export function computeBookingEnd({ rules }: Door, at: string, minutes: number): string {
  const exact = Date.parse(at) + minutes * MINUTE_MS
  const whole = Math.floor(exact / MINUTE_MS) * MINUTE_MS
  const least = (rules.effective.minutes_min.value ?? 0) * MINUTE_MS
  return formatInstant(whole - Date.parse(at) < least ? exact : whole)
}

function isClosedAt(door: Door, at: string): boolean {
  const { rules, status, zone } = door
  if (status === BOOKABLE_STATUSES.blocked) return true
  if (rules.closed.some(({ from, to }) => from <= at && at < to)) return true
  const hours = rules.effective.opening_hours.value
  return hours !== null && findClosedWeekday(hours, zone, { from: at, to: addMinutes(at, 1) }) !== undefined
}

const findNextClosing = (door: Door, at: string): string | undefined =>
  [...door.rules.closed.map(({ from }) => from), ...listClosingTimes(door)]
    .filter((from) => from > at)
    .sort()[0]

/** Returns the times at which the place closes until the end of tomorrow. */
const listClosingTimes = (door: Door): string[] =>
  listOpenTimes(door)
    .map(({ to }) => to)
    .filter((at) => at <= door.to)

/**
 * Returns the opening hours of today and tomorrow. Adjacent ones are joined, also across midnight, so the last ones may
 * end on the day after tomorrow.
 */
function listOpenTimes({ rules, from, to, zone }: Door): Array<{ from: string; to: string }> {
  const hours = rules.effective.opening_hours.value ?? []
  const days = new Set([from, addMinutes(to, -1), to].map((at) => Date.parse(formatLocalDate(at, zone))))
  const joined: Array<{ from: number; to: number }> = []
  for (const ms of days) {
    for (const open of findOpenIntervals(hours, getWeekday(ms / DAY_MS))) {
      const [opens, closes] = [ms + open.from * MINUTE_MS, ms + open.to * MINUTE_MS]
      const last = joined.at(-1)
      if (last?.to === opens) last.to = closes
      else joined.push({ from: opens, to: closes })
    }
  }
  return joined.map((open) => ({ from: fromWallClock(open.from, zone), to: fromWallClock(open.to, zone) }))
}

/**
 * Returns whether a button may suggest a booking. Only the worker checks the other rules, such as how much the person
 * has booked, when somebody presses the button.
 */
function canSuggest(door: Door, at: string, to: string): boolean {
  const { bookerId, claims, status, lent, isForBooker, requiresVehicle } = door
  if (bookerId === null || requiresVehicle) return false
  const isForAll =
    status !== BOOKABLE_STATUSES.assigned || (lent !== null && isLentAt(lent, { from: at, to }))
  if (!isForAll && !isForBooker) return false
  if (claims.some((claim) => claim.from < to && (claim.to === null || claim.to > at))) return false
  return !doesBreakRules(door, bookerId, { from: at, to })
}

function doesBreakRules(door: Door, user: number, span: { from: string; to: string }): boolean {
  const { bookerGroups: groups, rules, zone, type, name } = door
  const slots = rules.effective.slots.value
  const booking = { ...span, now: span.from, bookable: { name, type }, zone, user, groups, slots }
  const closed = rules.closed.map((each) => ({ ...each, name: each.source.name }))
  if (CLOSED_TIMES_RULE.check(closed, booking)) return true
  return RULE_NAMES.some((each) => {
    const rule: BookingRule<yup.AnySchema, unknown> = BOOKING_RULES[each]
    const { value } = rules.effective[each]
    return value !== null && 'check' in rule && rule.check(value, booking) !== undefined
  })
}

/** Returns each time from `now` until the end of tomorrow at which the screen may have to show something else. */
export function listChangeTimes(door: Door, now: string): string[] {
  const { claims, rules, from, to, zone } = door
  const open = listOpenTimes(door)
  const begins = [
    ...claims.map((claim) => claim.from),
    ...rules.closed.map((closed) => closed.from),
    ...open.map((each) => each.to),
  ]
  const moments = [
    ...begins,
    ...begins.flatMap((at) => BOOKABLE_MINUTES.map((minutes) => addMinutes(at, -minutes))),
    ...claims.flatMap((claim) => [claim.to, claim.checkInFrom, claim.checkInUntil]),
    ...rules.closed.map((closed) => closed.to),
    ...open.map((each) => each.from),
    findStartOfDay(formatLocalDate(addMinutes(to, -1), zone), zone),
  ]
  const later = moments.filter((at): at is string => at !== null && at > now && at > from && at < to)
  return [now, ...[...new Set(later)].sort()]
}
