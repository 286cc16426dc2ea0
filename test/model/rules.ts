// Models the rules of places: which rules apply to a bookable, and which rules a booking breaks.
import fc from 'fast-check'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import type { CountedRuleRefusal, RoomRuleRefusal, RuleRefusal } from '../../shared/messages/refusal-kinds.ts'
import { RULE_NAMES, type RuleName, type Rules } from '../../shared/rules/rules.ts'
import { type ExpectedAnswer, refuse } from './refusals.ts'
import { type Bookable, type Booking, type Span, type State, spansOverlap } from './state.ts'

const CHECK_IN_RULE = { opens_minutes_before: 0, release_minutes_after: 20 }
const MORNING_HOURS = ([1, 2, 3, 4, 5, 6, 7] as const).map((day) => ({ day, from: '00:00', to: '12:00' }))
const any: fc.Arbitrary<Rules> = fc.record(
  {
    opening_hours: fc.constantFrom(null, null, MORNING_HOURS),
    slot_only: fc.constantFrom(null, true, false),
    days_ahead_max: fc.constantFrom(null, 0),
    minutes_min: fc.constantFrom(null, 60, 120),
    minutes_max: fc.constantFrom(null, 120, 180),
    bookings_ahead_max: fc.constantFrom(null, 1, 1, 2),
    one_at_a_time: fc.constantFrom(null, true, true, false),
    one_desk_a_day: fc.constantFrom(null, true, true, false),
    book_for_others: fc.constantFrom(null, { everybody: true }),
    check_in: fc.constantFrom(
      null,
      CHECK_IN_RULE,
      { ...CHECK_IN_RULE, opens_minutes_before: 60 },
      { ...CHECK_IN_RULE, by: '10:00' },
    ),
  } satisfies { [Name in Exclude<RuleName, 'group_ids' | 'approvers' | 'slots'>]: fc.Arbitrary<Rules[Name]> },
  { requiredKeys: [] },
)

// Generates counting rules separately, because other rules would refuse most bookings before a user has two.
const counted: fc.Arbitrary<Rules> = fc.record({ one_at_a_time: fc.boolean(), one_desk_a_day: fc.boolean() })
/** Generates rules so that bookings break each rule often enough. */
export const drawnRules = fc.oneof(any, counted)

type CheckedRequest = { span: Span; user: number; now: string }
type CountedRequest = CheckedRequest & { isForGuest: boolean; booking?: number }

const getRulesInForce = (state: State, bookable: Bookable): Rules => ({ ...state.rules, ...bookable.rules })

/** Returns whether everybody may book this bookable for everybody. */
export const isBookedForOthers = (state: State, bookable: Bookable): boolean =>
  getRulesInForce(state, bookable).book_for_others?.everybody === true

/** Sets the rules of a bookable, or of the location if `place` is undefined. */
export function setRules(state: State, place: number | undefined, rules: Rules): ExpectedAnswer {
  const bookable = state.bookables.find(({ id }) => id === place)
  if (bookable) bookable.rules = rules
  else state.rules = rules
  const [own, above] = bookable ? [rules, state.rules] : [rules, {}]
  const source = (type: string, { id, name }: { id: number; name: string }) => ({ type, id, name })
  const effective = RULE_NAMES.map((name) => {
    if (bookable && name in own) return [name, { value: own[name], source: source('bookable', bookable) }]
    const inherited = bookable ? above : own
    if (name in inherited) {
      return [name, { value: inherited[name], source: source('location', state.location) }]
    }
    return [name, { value: null, source: null }]
  })
  const outer = bookable ? selectClosedRule(state, bookable) : rules
  const ofLocation = listClosedTimes('location', state.location, outer)
  const ofBookable = bookable ? listClosedTimes('bookable', bookable, rules) : []
  // Sorts closed times by start. For equal starts, the location's closed time comes first.
  const closed = [...ofLocation, ...ofBookable].sort((a, b) => Date.parse(a.from) - Date.parse(b.from))
  return { status: 200, body: { data: { own: rules, effective: Object.fromEntries(effective), closed } } }
}

const listClosedTimes = (type: string, { id, name }: { id: number; name: string }, rules: Rules) =>
  (rules.closed ?? []).map((each) => ({ ...each, source: { type, id, name } }))

// Home offices ignore the closed times and opening hours of the building.
const selectClosedRule = ({ rules }: State, { type }: Bookable): Pick<Rules, 'closed'> =>
  type === BOOKABLE_TYPES.homeOffice ? {} : rules

type CheckedBooking = CheckedRequest & { rules: Rules; isMember: boolean; closed: Span[] }

/** The rules in the order in which they are checked. */
const ROOM_RULE_CHECKS: Record<RoomRuleRefusal, (asked: CheckedBooking) => unknown> = {
  closed: ({ closed, span }) => closed.some((each) => spansOverlap(each, span)),
  not_for_this_user: ({ rules, isMember }) => rules.group_ids && !isMember,
  outside_opening_hours: ({ rules, span }) => rules.opening_hours && !isBeforeNoon(span),
  outside_slots: ({ rules, span }) => rules.slot_only && rules.slots && !isWholeSlots(rules.slots, span),
  too_far_ahead: ({ rules, span, now }) =>
    rules.days_ahead_max != null && getDayBefore(span.to) > now.slice(0, 10),
  too_short: ({ rules, span }) => rules.minutes_min != null && countMinutes(span) < rules.minutes_min,
  too_long: ({ rules, span }) => rules.minutes_max != null && countMinutes(span) > rules.minutes_max,
  needs_approval: ({ rules, isMember }) => rules.approvers && !isMember,
}

/** The rules that also apply to rooms of events. */
export function findRefusalByRoomRules(
  state: State,
  bookable: Bookable,
  wanted: CheckedRequest,
  checks: Partial<typeof ROOM_RULE_CHECKS> = ROOM_RULE_CHECKS,
): ExpectedAnswer | undefined {
  const closed = [...(selectClosedRule(state, bookable).closed ?? []), ...(bookable.rules.closed ?? [])]
  const isMember = state.member === wanted.user
  const asked = { ...wanted, rules: getRulesInForce(state, bookable), isMember, closed }
  return refuseFirst(checks, (isBroken) => isBroken(asked))
}

/** The rules that a new organizer must keep in rooms that an event already has. */
export function findRefusalByPersonalRules(
  state: State,
  bookable: Bookable,
  wanted: CheckedRequest,
): ExpectedAnswer | undefined {
  const { not_for_this_user, needs_approval } = ROOM_RULE_CHECKS
  return findRefusalByRoomRules(state, bookable, wanted, { not_for_this_user, needs_approval })
}

type AskedCounts = CountedRequest & { bookable: Bookable; rules: Rules; alike: Booking[]; own: Booking[] }

type CountingRule = { rule: RuleName; isBroken(asked: AskedCounts): boolean }

/** Counting rules in the order in which they are checked. `alike` contains the user's other bookings of the
 * same type, and `own` only those without a guest. / */
const COUNTING_RULES: Record<CountedRuleRefusal, CountingRule> = {
  too_many_bookings: {
    rule: 'bookings_ahead_max',
    isBroken({ bookable, rules: { bookings_ahead_max }, alike, booking, now }) {
      const isOwn = bookable.rules.bookings_ahead_max !== undefined
      const counted = alike.filter((other) => other.to > now && (!isOwn || other.bookable === bookable.id))
      return booking === undefined && counted.length >= Number(bookings_ahead_max)
    },
  },
  already_booked: {
    rule: 'one_at_a_time',
    isBroken: ({ own, span }) => own.some((other) => spansOverlap(other, span)),
  },
  already_booked_that_day: {
    rule: 'one_desk_a_day',
    isBroken: ({ bookable, own, span }) =>
      bookable.type !== BOOKABLE_TYPES.meetingRoom && own.some((other) => isOnSameDay(other, span)),
  },
}
const isOn = (rules: Rules, { rule }: CountingRule) => rules[rule] != null && rules[rule] !== false

/** Checks the rules that count the user's other bookings. */
export function findRefusalByCountingRules(
  state: State,
  bookable: Bookable,
  wanted: CountedRequest,
): ExpectedAnswer | undefined {
  const alike = state.bookings.filter((other) => {
    const { type } = state.bookables.find(({ id }) => id === other.bookable) as Bookable
    return other.user === wanted.user && other.id !== wanted.booking && type === bookable.type
  })
  const own = wanted.isForGuest ? [] : alike.filter((other) => other.guest === null)
  const asked = { ...wanted, bookable, rules: getRulesInForce(state, bookable), alike, own }
  return refuseFirst(COUNTING_RULES, (rule) => isOn(asked.rules, rule) && rule.isBroken(asked))
}

function refuseFirst<Rule>(
  rules: Record<string, Rule>,
  isBroken: (rule: Rule) => unknown,
): ExpectedAnswer | undefined {
  const broken = Object.entries(rules).find(([, rule]) => isBroken(rule))
  return broken && refuse(broken[0] as RuleRefusal)
}

const countMinutes = ({ from, to }: Span) => (Date.parse(to) - Date.parse(from)) / 60_000

// Compares days in UTC, the time zone of the stage.
const isOnSameDay = (a: Span, b: Span) =>
  a.from.slice(0, 10) <= getDayBefore(b.to) && b.from.slice(0, 10) <= getDayBefore(a.to)

/** Returns when check-in opens for a booking that is made now or moved to another start. */
export function checkInOpensAt(state: State, bookable: Bookable, { from }: Span): string | null {
  const { check_in } = getRulesInForce(state, bookable)
  if (!check_in) return null
  return new Date(Date.parse(from) - check_in.opens_minutes_before * 60_000)
    .toISOString()
    .replace('Z', '000Z')
}

/** Checks in to a booking. Check-in is never too late, because it stays open for longer than a sequence lasts. */
export function checkIn(state: State, id: number, now: string): ExpectedAnswer {
  const booking = state.bookings.find((each) => each.id === id)
  if (!booking) return refuse('not_found')
  if (!booking.isCheckedIn) {
    if (booking.to <= now) return refuse('booking_ended')
    if (now < (booking.opens ?? booking.from)) return refuse('check_in_too_early')
    booking.isCheckedIn = true
  }
  return { status: 200, body: null }
}

// In the model, every day of the week is open from midnight to noon UTC.
function isBeforeNoon({ from, to }: Span): boolean {
  return from.slice(0, 10) === to.slice(0, 10) && to.slice(11, 19) <= '12:00:00'
}

// In the model, each slot lasts an hour, in UTC.
function isWholeSlots(slots: NonNullable<Rules['slots']>, { from, to }: Span): boolean {
  const end = Date.parse(to)
  let at = Date.parse(from)
  while (at < end && slots.some((slot) => `${slot.from}:00.000Z` === new Date(at).toISOString().slice(11)))
    at += 3_600_000
  return at === end
}

const getDayBefore = (instant: string) => new Date(Date.parse(instant) - 1).toISOString().slice(0, 10)
