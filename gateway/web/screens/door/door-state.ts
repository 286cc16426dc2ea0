// Computes the state of a door at a moment, and the moments at which it changes.
import type * as yup from 'yup'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { BOOKING_RULES, CLOSED } from '../../../../shared/rules/booking-rules.ts'
import { findClosedWeekday } from '../../../../shared/rules/opening-hours.ts'
import type { BookingRule } from '../../../../shared/rules/rule-checks.ts'
import { RULE_NAMES } from '../../../../shared/rules/rules.ts'
import {
  formatLocalDate,
  fromWallClock,
  startOfDay,
  weekdayOf,
} from '../../../../shared/schemas/wall-clock.ts'
import { addMinutes, instantOf } from '../../../../shared/utilities/date-times.ts'
import type { Claim, Door } from './queries.ts'

/** The durations that the buttons book. */
export const BOOKED_MINUTES = [15, 30, 60] as const

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

export type DoorState = {
  at: string
  kind: 'free' | 'taken' | 'check-in' | 'closed'
  /** The claim that takes the place now. */
  current: Claim | undefined
  /** What can be checked in to now: the present claim, or the next one shortly before it begins. */
  checkIn: Claim | undefined
  /** When it is taken next, or closes; undefined if neither happens until tomorrow ends. */
  freeUntil: string | undefined
  /** What follows on the same day. */
  next: Claim[]
  minutes: number[]
}

export function doorStateAt(door: Door, at: string): DoorState {
  const current = door.claims.find(({ from, to }) => from <= at && (to === null || to > at))
  const following = door.claims.filter(({ from }) => from > at)
  const [first] = following
  const checkIn = [current, first].find((claim) => claim && mayCheckIn(claim, at))
  const isClosed = !current && isClosedAt(door, at)
  const freeUntil = current ? undefined : [first?.from, nextClosing(door, at)].filter(isText).sort()[0]
  return {
    at,
    kind: current ? (checkIn === current ? 'check-in' : 'taken') : isClosed ? 'closed' : 'free',
    current,
    checkIn,
    freeUntil,
    next: following.filter(({ from }) => dayOf(door, from) === dayOf(door, at)),
    minutes:
      current || isClosed
        ? []
        : BOOKED_MINUTES.filter((minutes) => maySuggest(door, at, bookedUntil(door, at, minutes))),
  }
}

const isText = (value: string | undefined): value is string => value !== undefined
const dayOf = ({ zone }: Door, at: string) => formatLocalDate(at, zone)

export const mayCheckIn = ({ isCheckedIn, checkInFrom, checkInUntil }: Claim, at: string) =>
  !isCheckedIn && checkInFrom !== null && checkInFrom <= at && (checkInUntil === null || at < checkInUntil)

/** Ends on a full minute, unless the rules require a longer booking. */
export function bookedUntil({ rules }: Door, at: string, minutes: number): string {
  const exact = Date.parse(at) + minutes * MINUTE_MS
  const whole = Math.floor(exact / MINUTE_MS) * MINUTE_MS
  const least = (rules.effective.minutes_min.value ?? 0) * MINUTE_MS
  return instantOf(whole - Date.parse(at) < least ? exact : whole)
}

function isClosedAt(door: Door, at: string): boolean {
  const { rules, status, zone } = door
  if (status === BOOKABLE_STATUSES.blocked) return true
  if (rules.closed.some(({ from, to }) => from <= at && at < to)) return true
  const hours = rules.effective.opening_hours.value
  return hours !== null && findClosedWeekday(hours, zone, { from: at, to: addMinutes(at, 1) }) !== undefined
}

const nextClosing = (door: Door, at: string): string | undefined =>
  [...door.rules.closed.map(({ from }) => from), ...openTimes(door).map(({ to }) => to)]
    .filter((from) => from > at)
    .sort()[0]

/** The opening hours of today and tomorrow. */
function openTimes({ rules, from, to, zone }: Door): Array<{ from: string; to: string }> {
  const hours = rules.effective.opening_hours.value ?? []
  const days = [...new Set([from, addMinutes(to, -1)].map((at) => Date.parse(formatLocalDate(at, zone))))]
  return days.flatMap((ms) =>
    hours
      .filter(({ day }) => day === weekdayOf(ms / DAY_MS))
      .map((open) => ({
        from: fromWallClock(ms + minutesOf(open.from) * MINUTE_MS, zone),
        to: fromWallClock(ms + minutesOf(open.to) * MINUTE_MS, zone),
      })),
  )
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Only the worker checks the rest, such as how much the person has booked, when somebody presses a button. */
function maySuggest(door: Door, at: string, to: string): boolean {
  const { bookerId, claims, status, isForBooker, requiresVehicle } = door
  if (bookerId === null || requiresVehicle) return false
  if (status === BOOKABLE_STATUSES.assigned && !isForBooker) return false
  if (claims.some((claim) => claim.from < to && (claim.to === null || claim.to > at))) return false
  return !breaksRules(door, bookerId, { from: at, to })
}

function breaksRules(door: Door, user: number, span: { from: string; to: string }): boolean {
  const { bookerGroups: groups, rules, zone, type, name } = door
  const booking = { ...span, now: span.from, bookable: { name, type }, zone, user, groups }
  const closed = rules.closed.map((each) => ({ ...each, name: each.source.name }))
  if (CLOSED.check(closed, booking)) return true
  return RULE_NAMES.some((each) => {
    const rule: BookingRule<yup.AnySchema, unknown> = BOOKING_RULES[each]
    const { value } = rules.effective[each]
    return value !== null && 'check' in rule && rule.check(value, booking) !== undefined
  })
}

/** From `now` on, each moment at which something else may be shown, until tomorrow ends. */
export function momentsOf(door: Door, now: string): string[] {
  const { claims, rules, from, to, zone } = door
  const open = openTimes(door)
  const begins = [
    ...claims.map((claim) => claim.from),
    ...rules.closed.map((closed) => closed.from),
    ...open.map((each) => each.to),
  ]
  const moments = [
    ...begins,
    ...begins.flatMap((at) => BOOKED_MINUTES.map((minutes) => addMinutes(at, -minutes))),
    ...claims.flatMap((claim) => [claim.to, claim.checkInFrom, claim.checkInUntil]),
    ...rules.closed.map((closed) => closed.to),
    ...open.map((each) => each.from),
    startOfDay(formatLocalDate(addMinutes(to, -1), zone), zone),
  ]
  const later = moments.filter((at): at is string => at !== null && at > now && at > from && at < to)
  return [now, ...[...new Set(later)].sort()]
}
