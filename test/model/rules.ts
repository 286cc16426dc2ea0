// The rules of places in the model: which apply to a bookable, and which a booking breaks, in the simplest way.
import fc from 'fast-check'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import type { CountedRuleRefusal, RoomRuleRefusal, RuleRefusal } from '../../shared/messages/refusal-kinds.ts'
import { RULE_NAMES, type RuleName, type Rules } from '../../shared/rules/rules.ts'
import { type Expected, refuse } from './refusals.ts'
import { type Bookable, type Booking, overlap, type Span, type State } from './state.ts'

const CHECK_IN = { opens_minutes_before: 0, release_minutes_after: 20 }
const mornings = ([1, 2, 3, 4, 5, 6, 7] as const).map((day) => ({ day, from: '00:00', to: '12:00' }))
const any: fc.Arbitrary<Rules> = fc.record(
  {
    opening_hours: fc.constantFrom(null, null, mornings),
    days_ahead_max: fc.constantFrom(null, 0),
    minutes_min: fc.constantFrom(null, 60, 120),
    minutes_max: fc.constantFrom(null, 120, 180),
    bookings_ahead_max: fc.constantFrom(null, 1, 1, 2),
    one_at_a_time: fc.constantFrom(null, true, true, false),
    one_desk_a_day: fc.constantFrom(null, true, true, false),
    check_in: fc.constantFrom(
      null,
      CHECK_IN,
      { ...CHECK_IN, opens_minutes_before: 60 },
      { ...CHECK_IN, by: '10:00' },
    ),
  } satisfies { [Name in Exclude<RuleName, 'group_ids' | 'approvers'>]: fc.Arbitrary<Rules[Name]> },
  { requiredKeys: [] },
)

// Alone, because the others refuse most bookings before their user has a second one.
const counted: fc.Arbitrary<Rules> = fc.record({ one_at_a_time: fc.boolean(), one_desk_a_day: fc.boolean() })

/** Every rule is drawn often enough to be broken. */
export const drawnRules = fc.oneof(any, counted)

type Wanted = { span: Span; user: number; now: string }
type Own = Wanted & { isForGuest: boolean; booking?: number }

const held = (state: State, bookable: Bookable): Rules => ({ ...state.rules, ...bookable.rules })

/** Where `place` is undefined it is the location itself. */
export function setRules(state: State, place: number | undefined, rules: Rules): Expected {
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
  const outer = bookable ? closedAround(state, bookable) : rules
  const ofLocation = closedAt('location', state.location, outer)
  const ofBookable = bookable ? closedAt('bookable', bookable, rules) : []
  // The earliest first; of those at the same time that of the location.
  const closed = [...ofLocation, ...ofBookable].sort((a, b) => Date.parse(a.from) - Date.parse(b.from))
  return { status: 200, body: { data: { own: rules, effective: Object.fromEntries(effective), closed } } }
}

const closedAt = (type: string, { id, name }: { id: number; name: string }, rules: Rules) =>
  (rules.closed ?? []).map((each) => ({ ...each, source: { type, id, name } }))

// Who works at home does not need the building.
const closedAround = ({ rules }: State, { type }: Bookable): Pick<Rules, 'closed'> =>
  type === BOOKABLE_TYPES.homeOffice ? {} : rules

type Asked = Wanted & { rules: Rules; isMember: boolean; closed: Span[] }

/** In the order in which they are checked. */
const BREAKS: Record<RoomRuleRefusal, (asked: Asked) => unknown> = {
  closed: ({ closed, span }) => closed.some((each) => overlap(each, span)),
  not_for_this_user: ({ rules, isMember }) => rules.group_ids && !isMember,
  outside_opening_hours: ({ rules, span }) => rules.opening_hours && !isBeforeNoon(span),
  too_far_ahead: ({ rules, span, now }) =>
    rules.days_ahead_max != null && dayBefore(span.to) > now.slice(0, 10),
  too_short: ({ rules, span }) => rules.minutes_min != null && minutesOf(span) < rules.minutes_min,
  too_long: ({ rules, span }) => rules.minutes_max != null && minutesOf(span) > rules.minutes_max,
  needs_approval: ({ rules, isMember }) => rules.approvers && !isMember,
}

/** What rooms of events are held to as well. */
export function brokenByRoom(state: State, bookable: Bookable, wanted: Wanted): Expected | undefined {
  const closed = [...(closedAround(state, bookable).closed ?? []), ...(bookable.rules.closed ?? [])]
  const isMember = state.member === wanted.user
  const asked = { ...wanted, rules: held(state, bookable), isMember, closed }
  return refuseFirst(BREAKS, (isBroken) => isBroken(asked))
}

type AskedCounts = Own & { bookable: Bookable; rules: Rules; alike: Booking[]; own: Booking[] }

type CountedRule = { rule: RuleName; isBroken(asked: AskedCounts): boolean }

/** In the order in which they are checked: `alike` are the user's others of the type, `own` those for no guest. */
const COUNTS: Record<CountedRuleRefusal, CountedRule> = {
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
    isBroken: ({ own, span }) => own.some((other) => overlap(other, span)),
  },
  already_booked_that_day: {
    rule: 'one_desk_a_day',
    isBroken: ({ bookable, own, span }) =>
      bookable.type !== BOOKABLE_TYPES.meetingRoom && own.some((other) => shareDay(other, span)),
  },
}
const isOn = (rules: Rules, { rule }: CountedRule) => rules[rule] != null && rules[rule] !== false

/** What looks at the user's other bookings. */
export function brokenByCounts(state: State, bookable: Bookable, wanted: Own): Expected | undefined {
  const alike = state.bookings.filter((other) => {
    const { type } = state.bookables.find(({ id }) => id === other.bookable) as Bookable
    return other.user === wanted.user && other.id !== wanted.booking && type === bookable.type
  })
  const own = wanted.isForGuest ? [] : alike.filter((other) => other.guest === null)
  const asked = { ...wanted, bookable, rules: held(state, bookable), alike, own }
  return refuseFirst(COUNTS, (rule) => isOn(asked.rules, rule) && rule.isBroken(asked))
}

function refuseFirst<Rule>(
  rules: Record<string, Rule>,
  isBroken: (rule: Rule) => unknown,
): Expected | undefined {
  const broken = Object.entries(rules).find(([, rule]) => isBroken(rule))
  return broken && refuse(broken[0] as RuleRefusal)
}

const minutesOf = ({ from, to }: Span) => (Date.parse(to) - Date.parse(from)) / 60_000

// The stage is in UTC.
const shareDay = (a: Span, b: Span) =>
  a.from.slice(0, 10) <= dayBefore(b.to) && b.from.slice(0, 10) <= dayBefore(a.to)

export const counts = (state: State, bookable: Bookable): boolean =>
  Object.values(COUNTS).some((rule) => isOn(held(state, bookable), rule))

/** When check-in opens for what is made now, or moved to another start. */
export function opensAt(state: State, bookable: Bookable, { from }: Span): string | null {
  const { check_in } = held(state, bookable)
  if (!check_in) return null
  return new Date(Date.parse(from) - check_in.opens_minutes_before * 60_000)
    .toISOString()
    .replace('Z', '000Z')
}

/** Nobody is ever late: what has begun may be checked in to for longer than a sequence lasts. */
export function checkIn(state: State, id: number, now: string): Expected {
  const booking = state.bookings.find((each) => each.id === id)
  if (!booking) return refuse('not_found')
  if (!booking.isCheckedIn) {
    if (booking.to <= now) return refuse('booking_ended')
    if (now < (booking.opens ?? booking.from)) return refuse('check_in_too_early')
    booking.isCheckedIn = true
  }
  return { status: 200, body: null }
}

// The model's week is open from midnight to noon, of the zone UTC.
function isBeforeNoon({ from, to }: Span): boolean {
  return from.slice(0, 10) === to.slice(0, 10) && to.slice(11, 19) <= '12:00:00'
}

const dayBefore = (instant: string) => new Date(Date.parse(instant) - 1).toISOString().slice(0, 10)
