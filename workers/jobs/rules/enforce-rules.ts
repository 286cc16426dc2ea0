// Checks bookings against the rules of their places (shared/rules/booking-rules.ts). An administrator
// may override them, which the audit log records.
import { lockOf, waitForLock } from '../../../shared/database/locks.ts'
import type { Refusal, RefusalCode } from '../../../shared/messages/refusal.ts'
import {
  COUNTING_SQL,
  countingRules,
  findBrokenRules,
  type RuleFacts,
  refuseAll,
} from '../../../shared/rules/broken-rules.ts'
import type { Time } from '../../../shared/rules/other-bookings.ts'
import type { RuleName, Rules } from '../../../shared/rules/rules.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { Write, WriteContext } from '../../runtime/write.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'

export type Overridable = { overrides_rules?: boolean | undefined }

/** The rules that count the user's other bookings. The lock of the user is held. */
export function findBrokenCounts(asked: Counted, has: UserBookings): Refusal[] {
  const { facts, bookingId, isAdded = bookingId === undefined, isForGuest, buildingIds } = asked
  const { bookable, countedIn } = facts
  const counted = { bookable, countedIn, isAdded, isForGuest, isLimited: buildingIds !== undefined }
  return refuseAll(
    countingRules(facts.rules).map(({ name, rule }) => [
      rule.refusal,
      rule.checkCounts(facts.rules[name], has[name], counted),
    ]),
  )
}

/** Without such rules, no bookings need to be counted. */
export const countsBookings = (rules: Rules): boolean => countingRules(rules).length > 0

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
  write: Write,
  overridable: Overridable,
  { facts, isAddedTo, ...asked }: Checked,
): Promise<RefusalCode[]> {
  const { now, buildingIds } = write
  const broken = findBrokenRules(facts, asked.span, now)
  if (facts && countsBookings(facts.rules)) {
    const connection = await write.connection()
    await lockUserBookings(connection, [asked.userId])
    const counted = { ...asked, facts, now, buildingIds, isAdded: (await isAddedTo?.(facts)) ?? false }
    const [has] = await findUserBookings(connection, [counted])
    if (has) broken.push(...findBrokenCounts(counted, has))
  }
  return throwUnlessOverridden(broken, overridable)
}

export type Counted = {
  userId: number
  facts: RuleFacts
  span: OpenTimeRange
  now: string
  /** A guest's booking occupies a place, but not the user's own time. */
  isForGuest: boolean
  /** The booking that is changed: it neither conflicts with itself nor adds to the count. */
  bookingId?: number
  /** For a limited token, the user's bookings elsewhere are not named. */
  buildingIds: WriteContext['buildingIds']
  /** The booking moves to a place where it was not counted, so it adds one there. */
  isAdded?: boolean
}

/** In the order of their ids; after all other locks except those of claims (docs/decisions/0005). */
export async function lockUserBookings(connection: Connection, userIds: number[]): Promise<void> {
  await connection.query({
    name: 'lock-user-bookings',
    text: `SELECT ${waitForLock(lockOf('userBookings', 'id'))}
           FROM (SELECT DISTINCT id FROM unnest($1::bigint[]) AS id ORDER BY id) AS in_order`,
    values: [userIds],
  })
}

/** What the user's other bookings are to the rules that count them. */
export type UserBookings = { [Name in RuleName]?: unknown }
export const NONE: UserBookings = {}

const ASKED = ['rule', 'user_id', 'type', 'booking_id', 'place_kind', 'place_id', 'from_time', 'to_time']
const COUNT = `
  SELECT CASE asked.rule ${COUNTING_SQL.map(([name, sql]) => `WHEN '${name}' THEN (${sql})`).join(' ')} END AS found
  FROM unnest($1::text[], $2::bigint[], $3::smallint[], $4::bigint[], $5::text[], $6::bigint[], $7::timestamptz[],
    $8::timestamptz[]) WITH ORDINALITY AS asked (${ASKED.join(', ')}, ordinal)
  ORDER BY asked.ordinal`

/** Results are in the order of `all`. The locks of the users are held. Bookings that ask the same are counted once. */
export async function findUserBookings(connection: Connection, all: Counted[]): Promise<UserBookings[]> {
  const asked = new Map<string, unknown[]>()
  const keys = all.map((counted) =>
    countingRules(counted.facts.rules).map(({ name, rule }) => {
      const row = questionOf(counted, name, rule.counts.during(timeOf(counted)))
      asked.set(row.join(), row)
      return [name, row.join()] as const
    }),
  )
  if (asked.size === 0) return all.map(() => NONE)
  const { rows } = await connection.query<{ found: unknown }>({
    name: 'count-user-bookings',
    text: COUNT,
    values: ASKED.map((_name, column) => [...asked.values()].map((row) => row[column])),
  })
  const found = new Map([...asked.keys()].map((key, index) => [key, rows[index]?.found]))
  return keys.map((each) => Object.fromEntries(each.map(([name, key]) => [name, found.get(key)])))
}

export const timeOf = ({ span, now, facts: { zone } }: Counted) => ({ ...span, now, zone })

const questionOf = ({ userId, facts, bookingId }: Counted, name: RuleName, { from, to }: Time) => {
  const { column, id } = facts.countedIn
  return [name, userId, facts.bookable.type, bookingId ?? null, column, id, from, to]
}
