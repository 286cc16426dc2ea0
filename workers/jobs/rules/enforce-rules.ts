// Checks bookings against the rules of their places (shared/rules/booking-rules.ts). Administrators may override rules,
// which the audit log records.
import { lockKeySql, waitForLockSql } from '../../../shared/database/locks.ts'
import type { Refusal, RefusalCode } from '../../../shared/messages/refusal.ts'
import {
  COUNTING_RULES_SQL,
  findBrokenRules,
  findCountingRules,
  type RuleFacts,
  toRefusals,
} from '../../../shared/rules/broken-rules.ts'
import type { BookingInSameWrite, TimeSpan } from '../../../shared/rules/other-bookings.ts'
import type { RuleName, Rules } from '../../../shared/rules/rules.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { Write, WriteContext } from '../../runtime/write.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import type { BookingFacts } from '../claims/facts.ts'

export type InputOverridingRules = {
  overrides_rules?: boolean | undefined
  /** Whether to book although the person is away. Callers without the right to override rules may do this too. */
  overrides_absence?: boolean | undefined
}

/**
 * Returns the broken rules among those that count the user's other bookings. The caller must hold the lock of the user.
 */
export function findBrokenCounts(asked: CountedBooking, has: UserBookings): Refusal[] {
  const { facts, bookingId, isAdded = bookingId === undefined, isForGuest, buildingIds, isForOther } = asked
  const { bookable, countedIn } = facts
  const counted = {
    bookable,
    countedIn,
    isAdded,
    isForGuest,
    isLimited: buildingIds !== undefined || isForOther === true,
  }
  return toRefusals(
    findCountingRules(facts.rules).map(({ name, rule }) => [
      rule.refusal,
      rule.checkCounts(facts.rules[name], has[name], counted),
    ]),
  )
}

/** Returns whether any rule counts bookings. If none does, the user's bookings do not have to be read. */
export const hasCountingRules = (rules: Rules): boolean => findCountingRules(rules).length > 0

/** Throws the refusal of the first broken rule, unless the caller overrides rules. Returns the overridden rules. */
export function throwUnlessOverridden(
  broken: Refusal[],
  { overrides_rules, overrides_absence }: InputOverridingRules,
): RefusalCode[] {
  const first = broken.find(({ code }) => !overrides_absence || code !== 'user_away')
  if (first && !overrides_rules) throw first
  return broken.map(({ code }) => code)
}

/** Leaves out the rule that a booking needs approval, if an approver has approved the booking. */
export const omitNeedsApproval = (
  broken: Refusal[],
  { is_approved }: { is_approved?: boolean | undefined },
) => broken.filter(({ code }) => !is_approved || code !== 'needs_approval')

/** Adds the overridden rules to a row that the audit log stores. */
export function addOverriddenRules(row: unknown, overridden: RefusalCode[]): unknown {
  return overridden.length > 0 ? { ...(row as object), overridden_rules: overridden } : row
}

type CheckedBooking = Pick<CountedBooking, 'userId' | 'isForGuest' | 'span' | 'bookingId'> & {
  facts: RuleFacts | undefined
  /** Returns whether moving the booking adds one to the bookings that a rule counts. If this function is
   * absent, the move adds none. */
  isAddedTo?(facts: RuleFacts): Promise<boolean>
}

/** Checks a changed booking against all rules. Returns the overridden rules. */
export async function enforceRules(
  write: Write,
  overridable: InputOverridingRules,
  { facts, isAddedTo, ...asked }: CheckedBooking,
): Promise<RefusalCode[]> {
  const { now, buildingIds } = write
  const broken = findBrokenRules(facts, asked.span, now)
  if (facts && hasCountingRules(facts.rules)) {
    const connection = await write.connection()
    await lockUserBookings(connection, [asked.userId])
    const counted = { ...asked, facts, now, buildingIds, isAdded: (await isAddedTo?.(facts)) ?? false }
    const [has] = await findUserBookings(connection, [counted])
    if (has) broken.push(...findBrokenCounts(counted, has))
  }
  return throwUnlessOverridden(broken, overridable)
}

export type CountedBooking = {
  userId: number
  facts: RuleFacts
  span: OpenTimeRange
  now: string
  /**
   * Whether the booking is for a guest. Such a booking occupies a place, but the user is still free to book another
   * one.
   */
  isForGuest: boolean
  /** The id of the booking that is being changed. It neither conflicts with itself nor counts. */
  bookingId?: number
  /** The buildings that the token is limited to. Messages do not name the user's bookings elsewhere. */
  buildingIds: WriteContext['buildingIds']
  /** Whether somebody books for the user. Messages do not name the user's bookings to them. */
  isForOther?: boolean
  /** Set if the booking moves to a place where it did not count before, so that it adds one to the count there. */
  isAdded?: boolean
}

/**
 * Locks the users in the order of their ids. These locks come after all others except those of claims
 * (docs/decisions/0005).
 */
export async function lockUserBookings(connection: Connection, userIds: number[]): Promise<void> {
  await connection.query({
    name: 'lock-user-bookings',
    text: `SELECT ${waitForLockSql(lockKeySql('userBookings', 'id'))}
           FROM (SELECT DISTINCT id FROM unnest($1::bigint[]) AS id ORDER BY id) AS in_order`,
    values: [userIds],
  })
}

/** The information that each counting rule needs about the user's other bookings. */
export type UserBookings = { [Name in RuleName]?: unknown }
export const NO_USER_BOOKINGS: UserBookings = {}

const QUERY_COLUMNS = [
  'rule',
  'user_id',
  'type',
  'booking_id',
  'place_kind',
  'place_id',
  'from_time',
  'to_time',
]
const COUNT_SQL = `
  SELECT CASE asked.rule ${COUNTING_RULES_SQL.map(([name, sql]) => `WHEN '${name}' THEN (${sql})`).join(' ')} END AS found
  FROM (SELECT *, $9::bigint[] AS changed_ids
    FROM unnest($1::text[], $2::bigint[], $3::smallint[], $4::bigint[], $5::text[], $6::bigint[], $7::timestamptz[],
      $8::timestamptz[]) WITH ORDINALITY AS rows (${QUERY_COLUMNS.join(', ')}, ordinal)) AS asked
  ORDER BY asked.ordinal`

/**
 * Finds the user's other bookings for each counting rule, without those of `changedIds`. Returns results in the order of
 * `all`. The caller must hold the locks of the users. Identical queries run only once.
 */
export async function findUserBookings(
  connection: Connection,
  all: CountedBooking[],
  changedIds: number[] = [],
): Promise<UserBookings[]> {
  const asked = new Map<string, unknown[]>()
  const keys = all.map((counted) =>
    findCountingRules(counted.facts.rules).map(({ name, rule }) => {
      const row = toQueryValues(counted, name, rule.counts.during(getBookingTime(counted)))
      asked.set(row.join(), row)
      return [name, row.join()] as const
    }),
  )
  if (asked.size === 0) return all.map(() => NO_USER_BOOKINGS)
  const { rows } = await connection.query<{ found: unknown }>({
    name: 'count-user-bookings',
    text: COUNT_SQL,
    values: [
      ...QUERY_COLUMNS.map((_name, column) => [...asked.values()].map((row) => row[column])),
      changedIds,
    ],
  })
  const found = new Map([...asked.keys()].map((key, index) => [key, rows[index]?.found]))
  return keys.map((each) => Object.fromEntries(each.map(([name, key]) => [name, found.get(key)])))
}

/** A booking as it is after the write. */
export type WrittenBooking = { facts: BookingFacts; span: OpenTimeRange; isForGuest: boolean }

/** Adds other bookings that the same write gives the user to those that `findUserBookings` has found. */
export function addWrittenBookings(
  counted: CountedBooking,
  found: UserBookings,
  written: WrittenBooking[],
): UserBookings {
  const { rules, bookable, zone, countedIn } = counted.facts
  const others = written.flatMap(({ facts, span, isForGuest }): BookingInSameWrite[] => {
    if (facts.bookable?.type !== bookable.type) return []
    // If no place around the bookable sets rules, the bookable is not in the place that sets the limit.
    const booking = { name: facts.bookable.name, zone: facts.rules?.zone ?? zone, ...span }
    return [{ booking, isForGuest, isCountedThere: facts.rules?.places[countedIn.column] === countedIn.id }]
  })
  const time = getBookingTime(counted)
  const all = findCountingRules(rules).map(({ name, rule: { counts } }) => [
    name,
    counts.addFromSameWrite(found[name], others, counts.during(time)),
  ])
  return Object.fromEntries(all)
}

const getBookingTime = ({ span, now, facts: { zone } }: CountedBooking) => ({ ...span, now, zone })

const toQueryValues = (
  { userId, facts, bookingId }: CountedBooking,
  name: RuleName,
  { from, to }: TimeSpan,
) => {
  const { column, id } = facts.countedIn
  return [name, userId, facts.bookable.type, bookingId ?? null, column, id, from, to]
}
