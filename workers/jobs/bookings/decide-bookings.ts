// Accepts or refuses new bookings that have passed all checks except two: whether the bookable is free, which
// the exclusion constraint decides, and the rules that count a user's bookings.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import {
  addWrittenBookings,
  type CountedBooking,
  findBrokenCounts,
  findUserBookings,
  hasCountingRules,
  lockUserBookings,
  NO_USER_BOOKINGS,
  throwUnlessOverridden,
  type UserBookings,
} from '../rules/enforce-rules.ts'
import {
  type AllowedBooking,
  getSpan,
  insertBookings,
  type NewBooking,
  type NewBookingReply,
} from './insert-bookings.ts'

type Decisions<Left> = Map<NewBooking, JsonText<NewBookingReply> | Refusal | Left>
type UserCount = { counted: CountedBooking; present: UserBookings }

// The limit on attempts to insert a booking. A conflicting claim may disappear before the conflict can be described. In
// that case the bookable is free after all, and the booking is tried again.
const INSERT_TRIES_MAX = 5

/** Accepts or refuses each booking. `explain` returns why a bookable was not free, or undefined if it is free
 * by now. */
export async function insertUnlessOverLimit<Left>(
  connection: Connection,
  open: NewBooking[],
  explain: (taken: NewBooking[]) => Promise<Array<Refusal | Left | undefined>>,
): Promise<Decisions<Left>> {
  const counts = await findUserCounts(connection, open)
  const isUndone = hasCountedAmongSeveral(open, counts)
  const decisions: Decisions<Left> = new Map()
  const tries = new Map<NewBooking, number>()
  while (decisions.size < open.length) {
    const { kept, broken } = applyCountingRules(
      open.filter((booking) => !decisions.has(booking)),
      counts,
    )
    if (isUndone) await connection.query('SAVEPOINT counted')
    const inserted = await insertBookings(
      connection,
      kept.filter(({ booking }) => !isKnownTaken(booking)),
    )
    const taken = kept.filter(({ booking }) => !inserted.has(booking))
    const conflicts = await explain(taken.map(({ booking }) => booking))
    // The counts for later bookings wrongly included a booking whose bookable was not free.
    const isWrong = taken.length > 0 && isUndone
    if (isWrong) await connection.query('ROLLBACK TO SAVEPOINT counted')
    else for (const [booking, decision] of [...inserted, ...broken]) decisions.set(booking, decision)
    for (const [index, { booking }] of taken.entries()) {
      const tried = (tries.get(booking) ?? 0) + 1
      tries.set(booking, tried)
      const decision = conflicts[index] ?? (tried < INSERT_TRIES_MAX ? undefined : createContendedRefusal())
      if (decision) decisions.set(booking, decision)
    }
  }
  return decisions
}

export const createContendedRefusal = () =>
  new Refusal('booking_conflict', message`Others are changing bookings for this time right now. Try again.`)

/** Whether the bookable is already known to be taken. A home office is never taken, because it is shared. */
const isKnownTaken = ({ known, fact: { bookable } }: NewBooking) => Boolean(known && !bookable?.isHomeOffice)

async function findUserCounts(
  connection: Connection,
  open: NewBooking[],
): Promise<Map<NewBooking, UserCount>> {
  const asked = open.flatMap((booking): Array<[NewBooking, CountedBooking]> => {
    const { input, context } = booking.write
    const { now, buildingIds } = context
    const { rules: facts, isForOther } = booking.fact
    if (!facts || !hasCountingRules(facts.rules)) return []
    const user = { userId: input.user_id, isForGuest: isForGuest(booking) }
    return [[booking, { ...user, facts, span: getSpan(booking), now, buildingIds, isForOther }]]
  })
  if (asked.length === 0) return new Map()
  const all = asked.map(([, counted]) => counted)
  await lockUserBookings(
    connection,
    all.map(({ userId }) => userId),
  )
  const found = await findUserBookings(connection, all)
  return new Map(
    asked.map(([booking, counted], index) => [
      booking,
      { counted, present: found[index] ?? NO_USER_BOOKINGS },
    ]),
  )
}

const isForGuest = ({ write: { input } }: NewBooking) => Boolean(input.guest_name || input.guest_email)

/** Returns whether the same user has several bookings and a rule counts at least one of these bookings. */
function hasCountedAmongSeveral(open: NewBooking[], counts: Map<NewBooking, UserCount>): boolean {
  const users = open.map(getUserId)
  return [...counts.keys()].some(
    (booking) => users.indexOf(getUserId(booking)) < users.lastIndexOf(getUserId(booking)),
  )
}

const getUserId = ({ write }: NewBooking) => write.input.user_id

/** Checks the bookings in order, as if the bookable of every booking that passes were free. */
function applyCountingRules(open: NewBooking[], counts: Map<NewBooking, UserCount>) {
  const kept: AllowedBooking[] = []
  const broken = new Map<NewBooking, Refusal>()
  const before = new Map<number, NewBooking[]>()
  for (const booking of open) {
    const { user_id } = booking.write.input
    const own = before.get(user_id) ?? []
    before.set(user_id, own)
    try {
      const found = findRulesBrokenAfter(own, counts.get(booking))
      const overridden = [...booking.overridden, ...throwUnlessOverridden(found, booking.write.input)]
      kept.push({ booking, changed: { ...booking, overridden } })
      own.push(booking)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      broken.set(booking, error)
    }
  }
  return { kept, broken }
}

function findRulesBrokenAfter(before: NewBooking[], count: UserCount | undefined): Refusal[] {
  if (!count) return []
  const { counted, present } = count
  const earlier = before.map((booking) => ({
    facts: booking.fact,
    span: getSpan(booking),
    isForGuest: isForGuest(booking),
  }))
  return findBrokenCounts(counted, addWrittenBookings(counted, present, earlier))
}
