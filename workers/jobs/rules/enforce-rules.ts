// Checks bookings against the rules of their places (shared/contracts/rules/booking-rules.ts). An administrator
// may override them, which the audit log records.

import type { Message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { BOOKING_RULES, type BookingRule, CLOSED } from '../../../shared/rules/booking-rules.ts'
import { RULE_NAMES, type RuleName, type Rules } from '../../../shared/rules/rules.ts'
import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import type { RuleFacts } from '../claims/rule-facts.ts'
import { type Counted, findUserBookings, lockUserBookings, type UserBookings } from './counted-bookings.ts'

type AnyRule = BookingRule<(typeof BOOKING_RULES)[RuleName]['schema'], unknown>
const RULES: Record<RuleName, AnyRule> = BOOKING_RULES

export type Overridable = { overrides_rules?: boolean | undefined }

/** In the order of the documentation; the reply names the first one. */
export function findBrokenRules(facts: RuleFacts | undefined, span: OpenTimeRange, now: string): Refusal[] {
  if (!facts) return []
  const booking = { ...span, ...facts, now }
  const isClosed = CLOSED.check(facts.closed, booking)
  const closed = isClosed ? [new Refusal(CLOSED.refusal, isClosed)] : []
  return [...closed, ...brokenBy(facts.rules, (rule, value) => 'check' in rule && rule.check(value, booking))]
}

/** The rules that count the user's other bookings. The lock of the user is held. */
export function findBrokenCounts(asked: Counted, has: UserBookings): Refusal[] {
  const { facts, bookingId, isAdded = bookingId === undefined, isForGuest, buildingIds } = asked
  const { bookable, countedIn } = facts
  const counted = { ...has, bookable, countedIn, isAdded, isForGuest, isLimited: buildingIds !== undefined }
  return brokenBy(facts.rules, (rule, value) => 'checkCounts' in rule && rule.checkCounts(value, counted))
}

/** Without such rules, no bookings need to be counted. */
export function countsBookings(rules: Rules): boolean {
  return RULE_NAMES.some(
    (name) => 'checkCounts' in RULES[name] && rules[name] != null && rules[name] !== false,
  )
}

function brokenBy(
  rules: Rules,
  check: (rule: AnyRule, value: unknown) => Message | false | undefined,
): Refusal[] {
  const broken = RULE_NAMES.flatMap((name) => {
    const rule = RULES[name]
    const detail = rules[name] == null ? undefined : check(rule, rules[name])
    return detail && rule.refusal ? [new Refusal(rule.refusal, detail)] : []
  })
  return broken.sort((one, other) => orderOf(one) - orderOf(other))
}

const orderOf = ({ code }: Refusal) => (RULE_REFUSALS as readonly RefusalCode[]).indexOf(code)

/** Throws the first broken rule, unless they are overridden. Returns the overridden rules. */
export function throwUnlessOverridden(broken: Refusal[], { overrides_rules }: Overridable): RefusalCode[] {
  const [first] = broken
  if (first && !overrides_rules) throw first
  return broken.map(({ code }) => code)
}

/** Adds the overridden rules to a row for the audit log. */
export function withOverridden(row: unknown, overridden: RefusalCode[]): unknown {
  return overridden.length > 0 ? { ...(row as object), overridden_rules: overridden } : row
}

type Checked = Pick<Counted, 'userId' | 'isForGuest' | 'span' | 'bookingId'> & {
  facts: RuleFacts | undefined
  /** Whether the booking, which is moved, adds one to those that are counted; false if unset. */
  isAddedTo?(facts: RuleFacts): Promise<boolean>
}

/** Checks a booking that is changed against all rules. Returns the overridden ones. */
export async function enforceRules(
  trx: Transaction,
  overridable: Overridable,
  { facts, isAddedTo, ...asked }: Checked,
  { now, buildingIds }: WorkContext,
): Promise<RefusalCode[]> {
  const broken = findBrokenRules(facts, asked.span, now)
  if (facts && countsBookings(facts.rules)) {
    const connection = await rawConnection(trx)
    await lockUserBookings(connection, [asked.userId])
    const counted = { ...asked, facts, now, buildingIds, isAdded: (await isAddedTo?.(facts)) ?? false }
    const [has] = await findUserBookings(connection, [counted])
    if (has) broken.push(...findBrokenCounts(counted, has))
  }
  return throwUnlessOverridden(broken, overridable)
}
