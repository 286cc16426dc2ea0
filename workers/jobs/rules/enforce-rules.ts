// Checks bookings against the rules of their places (shared/rules/booking-rules.ts). An administrator
// may override them, which the audit log records.
import { lockOf, waitForLock } from '../../../shared/database/locks.ts'
import type { Refusal, RefusalCode } from '../../../shared/messages/refusal.ts'
import {
  brokenBy,
  findBrokenRules,
  RULES_BY_NAME,
  type RuleFacts,
} from '../../../shared/rules/broken-rules.ts'
import type { HeldBooking } from '../../../shared/rules/rule-checks.ts'
import { RULE_NAMES, type Rules } from '../../../shared/rules/rules.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { wholeDays } from '../../../shared/schemas/wall-clock.ts'
import type { Connection } from '../../runtime/connection.ts'
import type { Write, WriteContext } from '../../runtime/write.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'

export type Overridable = { overrides_rules?: boolean | undefined }

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
    (name) => 'checkCounts' in RULES_BY_NAME[name] && rules[name] != null && rules[name] !== false,
  )
}

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

/** The bookings of a user that a rule counts. */
export type UserBookings = {
  /** How many, in the place where they are counted. */
  ahead: number
  /** The first one at the same time. */
  present: HeldBooking | null
  /** The first one on the same days of the building, where a rule asks for it. */
  thatDay: HeldBooking | null
}
export const NONE: UserBookings = { ahead: 0, present: null, thatDay: null }

// Names floor and building, because several buildings may have a desk of the same name.
const heldDuring = (range: string) => `(
    SELECT json_build_object('name', bookables.name || ' (' || locations.name || ', ' || buildings.name || ')',
      'from', ${timestampText('lower(bookings.during)')}, 'to', ${timestampText('upper(bookings.during)')},
      'zone', buildings.timezone)
    FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
    JOIN locations ON locations.id = bookables.location_id JOIN buildings ON buildings.id = locations.building_id
    WHERE bookings.user_id = asked.user_id AND bookings.during && ${range}
      AND bookables.type = asked.type AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
      AND bookings.id IS DISTINCT FROM asked.booking_id
    ORDER BY lower(bookings.during), bookings.id LIMIT 1
  )`

// Past bookings do not count, and a guest's booking is not its user's. $4 and $5 are the place where bookings
// are counted; each place is counted once for all rows.
const COUNT = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::smallint[], $3::timestamptz[], $4::text[], $5::bigint[], $6::timestamptz[],
      $7::timestamptz[], $8::bigint[], $9::timestamptz[], $10::timestamptz[]) WITH ORDINALITY
      AS asked (user_id, type, now, place_kind, place_id, from_time, to_time, booking_id, day_begins, day_ends, ordinal)
  ), counted AS MATERIALIZED (
    SELECT places.*, (
      SELECT count(*)::int
      FROM bookings
      JOIN bookables ON bookables.id = bookings.bookable_id
      JOIN locations ON locations.id = bookables.location_id
      WHERE bookings.user_id = places.user_id AND bookings.during && tstzrange(places.now, NULL)
        AND bookables.type = places.type
        AND CASE places.place_kind WHEN 'bookables' THEN bookables.id WHEN 'locations' THEN locations.id
          ELSE locations.building_id END = places.place_id
    ) AS ahead
    FROM (SELECT DISTINCT user_id, type, now, place_kind, place_id FROM asked) AS places
  )
  SELECT asked.ordinal::int, counted.ahead, ${heldDuring('tstzrange(from_time, to_time)')} AS present,
    CASE WHEN day_begins IS NOT NULL THEN ${heldDuring('tstzrange(day_begins, day_ends)')} END AS "thatDay"
  FROM asked JOIN counted USING (user_id, type, now, place_kind, place_id)`

/** Results are in the order of `all`. The locks of the users are held. */
export async function findUserBookings(connection: Connection, all: Counted[]): Promise<UserBookings[]> {
  if (all.length === 0) return []
  const values = all.map(({ userId, facts, span, now, bookingId }) => {
    const days = facts.rules.one_desk_a_day ? wholeDays(span, facts.zone) : undefined
    return [
      userId,
      facts.bookable.type,
      now,
      facts.countedIn.column,
      facts.countedIn.id,
      span.from,
      span.to,
      bookingId ?? null,
      days?.from ?? null,
      days?.to ?? null,
    ]
  })
  const columns = values[0]?.map((_value, column) => values.map((row) => row[column])) ?? []
  const { rows } = await connection.query<UserBookings & { ordinal: number }>({
    name: 'count-user-bookings',
    text: COUNT,
    values: columns,
  })
  const found = new Map(rows.map((row) => [row.ordinal - 1, row]))
  return all.map((_each, index) => found.get(index) ?? NONE)
}
