// The rules of places in the model: which apply to a bookable, and which a booking breaks, in the simplest way.
import fc from 'fast-check'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { RULE_NAMES, type RuleName, type Rules } from '../../shared/rules/rules.ts'
import { type Expected, refuse } from './refusals.ts'
import { type Bookable, overlap, type Span, type State } from './state.ts'

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

/** What rooms of events are held to as well. */
export function brokenByRoom(
  state: State,
  bookable: Bookable,
  { span, user, now }: Wanted,
): Expected | undefined {
  const { approvers, group_ids, opening_hours, days_ahead_max, minutes_min, minutes_max } = held(
    state,
    bookable,
  )
  const minutes = (Date.parse(span.to) - Date.parse(span.from)) / 60_000
  const closed = [...(closedAround(state, bookable).closed ?? []), ...(bookable.rules.closed ?? [])]
  if (closed.some((each) => overlap(each, span))) return refuse('closed')
  if (group_ids && state.member !== user) return refuse('not_for_this_user')
  if (opening_hours && !isBeforeNoon(span)) return refuse('outside_opening_hours')
  if (days_ahead_max != null && dayBefore(span.to) > now.slice(0, 10)) return refuse('too_far_ahead')
  if (minutes_min != null && minutes < minutes_min) return refuse('too_short')
  if (minutes_max != null && minutes > minutes_max) return refuse('too_long')
  if (approvers && state.member !== user) return refuse('needs_approval')
  return undefined
}

/** What looks at the user's other bookings. */
export function brokenByCounts(
  state: State,
  bookable: Bookable,
  { span, user, now, isForGuest, booking }: Own,
): Expected | undefined {
  const { bookings_ahead_max, one_at_a_time, one_desk_a_day } = held(state, bookable)
  const alike = state.bookings.filter((other) => {
    const { type } = state.bookables.find(({ id }) => id === other.bookable) as Bookable
    return other.user === user && other.id !== booking && type === bookable.type
  })
  const isOwn = bookable.rules.bookings_ahead_max !== undefined
  const counted = alike.filter((other) => other.to > now && (!isOwn || other.bookable === bookable.id))
  if (bookings_ahead_max != null && booking === undefined && counted.length >= bookings_ahead_max) {
    return refuse('too_many_bookings')
  }
  if (isForGuest) return undefined
  const own = alike.filter((other) => other.guest === null)
  if (one_at_a_time && own.some((other) => overlap(other, span))) return refuse('already_booked')
  const isADesk = bookable.type !== BOOKABLE_TYPES.meetingRoom
  return one_desk_a_day && isADesk && own.some((other) => shareDay(other, span))
    ? refuse('already_booked_that_day')
    : undefined
}

// The stage is in UTC.
const shareDay = (a: Span, b: Span) =>
  a.from.slice(0, 10) <= dayBefore(b.to) && b.from.slice(0, 10) <= dayBefore(a.to)

export const counts = (state: State, bookable: Bookable): boolean => {
  const { bookings_ahead_max, one_at_a_time, one_desk_a_day } = held(state, bookable)
  return bookings_ahead_max != null || one_at_a_time === true || one_desk_a_day === true
}

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
