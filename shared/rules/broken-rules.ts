// Finds the rules that a booking breaks, except for those that count the user's other bookings.
import type { Message } from '../messages/message.ts'
import { Refusal, type RefusalCode } from '../messages/refusal.ts'
import { RULE_REFUSALS, type RuleRefusal } from '../messages/refusal-kinds.ts'
import { BOOKING_RULES, CLOSED_TIMES_RULE } from './booking-rules.ts'
import { type ClosedTimes, HOME_OFFICE_TYPE } from './closed-times.ts'
import type { TimeSpan } from './other-bookings.ts'
import type { BookingRule, CountRuleChecks } from './rule-checks.ts'
import { RULE_NAMES, type RuleName, type Rules } from './rules.ts'

type AnyRule = BookingRule<(typeof BOOKING_RULES)[RuleName]['schema'], unknown>
const RULES_BY_NAME: Record<RuleName, AnyRule> = BOOKING_RULES

export function findBrokenRules(facts: RuleFacts | undefined, span: TimeSpan, now: string): Refusal[] {
  if (!facts) return []
  const { rules } = facts
  const booking = { ...span, ...facts, now, slots: rules.slots }
  const checked = RULE_NAMES.flatMap((name): CheckedRule[] => {
    const rule = RULES_BY_NAME[name]
    return 'check' in rule && rules[name] != null ? [[rule.refusal, rule.check(rules[name], booking)]] : []
  })
  return toRefusals([[CLOSED_TIMES_RULE.refusal, CLOSED_TIMES_RULE.check(facts.closed, booking)], ...checked])
}

/** The SQL that finds the user's other bookings for each rule that counts them (shared/rules/other-bookings.ts). */
export const COUNTING_RULES_SQL = RULE_NAMES.flatMap((name) => {
  const rule = RULES_BY_NAME[name]
  return 'counts' in rule ? [[name, rule.counts.sql] as const] : []
})

type CheckedRule = [RuleRefusal, Message | undefined]

/**
 * Returns a refusal for each broken rule, in the order of the documentation. The reply to the caller names the first
 * one.
 */
export function toRefusals(checked: CheckedRule[]): Refusal[] {
  return checked
    .flatMap(([refusal, detail]) => (detail ? [new Refusal(refusal, detail)] : []))
    .sort((one, other) => getRuleOrder(one) - getRuleOrder(other))
}

/** Returns the rules that count the user's other bookings, without those that are switched off. */
export function findCountingRules(
  rules: Rules,
): Array<{ name: RuleName; rule: CountRuleChecks<unknown, unknown> }> {
  return RULE_NAMES.flatMap((name) => {
    const rule = RULES_BY_NAME[name]
    return 'counts' in rule && rules[name] != null && rules[name] !== false ? [{ name, rule }] : []
  })
}

const getRuleOrder = ({ code }: Refusal) => (RULE_REFUSALS as RefusalCode[]).indexOf(code)

/**
 * SQL for the rules that apply to a bookable, or null if no place sets rules. Needs `users`, and a bookable joined with
 * its location and building.
 */
export const RULES_SQL = `
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

type RulePlaceRow = { id: number; name: string; rules: Rules | null }

/** The rules of the places around a bookable, as RULES_SQL selects them. */
export type RulesRow = {
  bookable: RulePlaceRow & { type: number }
  location: RulePlaceRow
  building: RulePlaceRow
  zone: string
  user: number
  groups: number[]
}

/** The rules in force: for each rule, the nearest place that sets a value wins, even if the value is null. */
export type RuleFacts = {
  rules: Rules
  bookable: RulesRow['bookable']
  building: RulesRow['building']
  zone: string
  user: number
  /** The ids of the user's groups. */
  groups: number[]
  /** The closed times of the bookable and of the places around it. */
  closed: Array<ClosedTimes & { name: string }>
  /** The place that sets the limit on how many bookings a user may have. Only bookings in this place count. */
  countedIn: { column: keyof PlaceIds; id: number; name: string }
  /** The ids of the bookable and of the places around it. */
  places: PlaceIds
}

type PlaceIds = { bookables: number; locations: number; buildings: number }

export function toRuleFacts(row: RulesRow | null | undefined): RuleFacts | undefined {
  if (!row) return undefined
  const { bookable, location, building, zone, user, groups } = row
  return {
    rules: { ...building.rules, ...location.rules, ...bookable.rules },
    bookable,
    building,
    zone,
    user,
    groups,
    closed: listClosedTimes(row),
    countedIn: findCountedPlace(row),
    places: { bookables: bookable.id, locations: location.id, buildings: building.id },
  }
}

// Returns the closed times that apply to a bookable. Closed buildings do not affect people who work at home.
function listClosedTimes({ bookable, location, building }: RulesRow): RuleFacts['closed'] {
  const places = bookable.type === HOME_OFFICE_TYPE ? [bookable] : [building, location, bookable]
  return places.flatMap(({ name, rules }) => (rules?.closed ?? []).map((each) => ({ ...each, name })))
}

function findCountedPlace({ bookable, location, building }: RulesRow): RuleFacts['countedIn'] {
  const sets = ({ rules }: RulePlaceRow) => rules?.bookings_ahead_max !== undefined
  if (sets(bookable)) return { column: 'bookables', id: bookable.id, name: bookable.name }
  if (sets(location)) return { column: 'locations', id: location.id, name: location.name }
  return { column: 'buildings', id: building.id, name: building.name }
}
