// Which rules of its places a booking breaks, apart from those that count the user's other bookings.
import type { Message } from '../messages/message.ts'
import { Refusal, type RefusalCode } from '../messages/refusal.ts'
import { RULE_REFUSALS, type RuleRefusal } from '../messages/refusal-kinds.ts'
import { BOOKING_RULES, CLOSED } from './booking-rules.ts'
import { type Closed, HOME_OFFICE } from './closed.ts'
import type { Time } from './other-bookings.ts'
import type { BookingRule, CountChecks } from './rule-checks.ts'
import { RULE_NAMES, type RuleName, type Rules } from './rules.ts'

type AnyRule = BookingRule<(typeof BOOKING_RULES)[RuleName]['schema'], unknown>
const RULES_BY_NAME: Record<RuleName, AnyRule> = BOOKING_RULES

export function findBrokenRules(facts: RuleFacts | undefined, span: Time, now: string): Refusal[] {
  if (!facts) return []
  const booking = { ...span, ...facts, now }
  const { rules } = facts
  const checked = RULE_NAMES.flatMap((name): Checked[] => {
    const rule = RULES_BY_NAME[name]
    return 'check' in rule && rules[name] != null ? [[rule.refusal, rule.check(rules[name], booking)]] : []
  })
  return refuseAll([[CLOSED.refusal, CLOSED.check(facts.closed, booking)], ...checked])
}

/** The SQL of what each rule counts (shared/rules/other-bookings.ts). */
export const COUNTING_SQL = RULE_NAMES.flatMap((name) => {
  const rule = RULES_BY_NAME[name]
  return 'counts' in rule ? [[name, rule.counts.sql] as const] : []
})

type Checked = [RuleRefusal, Message | undefined]

/** In the order of the documentation; the reply names the first one. */
export function refuseAll(checked: Checked[]): Refusal[] {
  return checked
    .flatMap(([refusal, detail]) => (detail ? [new Refusal(refusal, detail)] : []))
    .sort((one, other) => orderOf(one) - orderOf(other))
}

/** Those that count the user's other bookings and are not switched off. */
export function countingRules(rules: Rules): Array<{ name: RuleName; rule: CountChecks<unknown, unknown> }> {
  return RULE_NAMES.flatMap((name) => {
    const rule = RULES_BY_NAME[name]
    return 'counts' in rule && rules[name] != null && rules[name] !== false ? [{ name, rule }] : []
  })
}

const orderOf = ({ code }: Refusal) => (RULE_REFUSALS as RefusalCode[]).indexOf(code)

/** SQL for the rules, null if none are set. Needs `users` and a bookable, its location and building. */
export const RULES = `
  CASE WHEN bookables.rules IS NOT NULL OR locations.rules IS NOT NULL OR buildings.rules IS NOT NULL
  THEN json_build_object(
    'bookable', json_build_object('id', bookables.id, 'name', bookables.name, 'type', bookables.type,
      'rules', bookables.rules),
    'location', json_build_object('id', locations.id, 'name', locations.name, 'rules', locations.rules),
    'building', json_build_object('id', buildings.id, 'name', buildings.name, 'rules', buildings.rules),
    'zone', buildings.timezone,
    'user', users.id,
    'groups', ARRAY(SELECT group_id FROM group_members WHERE group_members.user_id = users.id)
  ) END`

type Place = { id: number; name: string; rules: Rules | null }

/** As RULES selects them. */
export type RulesRow = {
  bookable: Place & { type: number }
  location: Place
  building: Place
  zone: string
  user: number
  groups: number[]
}

/** The effective rules: for each field the nearest place that sets it wins, even with a null. */
export type RuleFacts = {
  rules: Rules
  bookable: RulesRow['bookable']
  building: RulesRow['building']
  zone: string
  user: number
  /** The user's groups. */
  groups: number[]
  /** The closed times of the bookable and of the places around it. */
  closed: Array<Closed & { name: string }>
  /** The place that sets the limit, within which a user's bookings are counted. */
  countedIn: { column: keyof PlaceIds; id: number; name: string }
  /** The bookable and the places around it. */
  places: PlaceIds
}

type PlaceIds = { bookables: number; locations: number; buildings: number }

export function ruleFacts(row: RulesRow | null | undefined): RuleFacts | undefined {
  if (!row) return undefined
  const { bookable, location, building, zone, user, groups } = row
  return {
    rules: { ...building.rules, ...location.rules, ...bookable.rules },
    bookable,
    building,
    zone,
    user,
    groups,
    closed: closedTimes(row),
    countedIn: countedIn(row),
    places: { bookables: bookable.id, locations: location.id, buildings: building.id },
  }
}

// People who work at home do not need the building.
function closedTimes({ bookable, location, building }: RulesRow): RuleFacts['closed'] {
  const places = bookable.type === HOME_OFFICE ? [bookable] : [building, location, bookable]
  return places.flatMap(({ name, rules }) => (rules?.closed ?? []).map((each) => ({ ...each, name })))
}

function countedIn({ bookable, location, building }: RulesRow): RuleFacts['countedIn'] {
  const sets = ({ rules }: Place) => rules?.bookings_ahead_max !== undefined
  if (sets(bookable)) return { column: 'bookables', id: bookable.id, name: bookable.name }
  if (sets(location)) return { column: 'locations', id: location.id, name: location.name }
  return { column: 'buildings', id: building.id, name: building.name }
}
