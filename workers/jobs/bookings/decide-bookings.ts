// Decides new bookings that have passed all checks but two: whether there is room, and the rules that count a user's
// bookings. The exclusion constraint decides the first.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { countingRules, type RuleFacts } from '../../../shared/rules/broken-rules.ts'
import type { EarlierBooking } from '../../../shared/rules/other-bookings.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import {
  type Counted,
  countsBookings,
  findBrokenCounts,
  findUserBookings,
  lockUserBookings,
  NONE,
  throwUnlessOverridden,
  timeOf,
  type UserBookings,
} from '../rules/enforce-rules.ts'
import {
  insertBookings,
  type Kept,
  type NewBooking,
  type NewBookingReply,
  spanOf,
} from './insert-bookings.ts'

type Decisions<Left> = Map<NewBooking, JsonText<NewBookingReply> | Refusal | Left>
type UserCount = { counted: Counted; present: UserBookings }

// A conflicting claim may vanish before it can be named; then there is room after all, and the booking is tried again.
const TRIES_MAX = 5

/** Decides each booking. `explain` returns why there was no room for some bookings, or undefined if there is room by now. */
export async function insertUnlessOverLimit<Left>(
  connection: Connection,
  open: NewBooking[],
  explain: (taken: NewBooking[]) => Promise<Array<Refusal | Left | undefined>>,
): Promise<Decisions<Left>> {
  const counts = await findCounts(connection, open)
  const isUndone = hasCountedAmongSeveral(open, counts)
  const decisions: Decisions<Left> = new Map()
  const tries = new Map<NewBooking, number>()
  while (decisions.size < open.length) {
    const { kept, broken } = applyCounts(
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
    // Bookings after one that found no room were counted wrongly.
    const isWrong = taken.length > 0 && isUndone
    if (isWrong) await connection.query('ROLLBACK TO SAVEPOINT counted')
    else for (const [booking, decision] of [...inserted, ...broken]) decisions.set(booking, decision)
    for (const [index, { booking }] of taken.entries()) {
      const tried = (tries.get(booking) ?? 0) + 1
      tries.set(booking, tried)
      const decision = conflicts[index] ?? (tried < TRIES_MAX ? undefined : beingTaken())
      if (decision) decisions.set(booking, decision)
    }
  }
  return decisions
}

export const beingTaken = () =>
  new Refusal('booking_conflict', message`Others are booking and cancelling this time right now. Try again.`)

/** Home offices are shared. */
const isKnownTaken = ({ known, fact: { bookable } }: NewBooking) => Boolean(known && !bookable?.isHomeOffice)

async function findCounts(connection: Connection, open: NewBooking[]): Promise<Map<NewBooking, UserCount>> {
  const asked = open.flatMap((booking): Array<[NewBooking, Counted]> => {
    const { input, context } = booking.write
    const { now, buildingIds } = context
    const facts = booking.fact.rules
    if (!facts || !countsBookings(facts.rules)) return []
    const user = { userId: input.user_id, isForGuest: isForGuest(booking) }
    return [[booking, { ...user, facts, span: spanOf(booking), now, buildingIds }]]
  })
  if (asked.length === 0) return new Map()
  const all = asked.map(([, counted]) => counted)
  await lockUserBookings(
    connection,
    all.map(({ userId }) => userId),
  )
  const found = await findUserBookings(connection, all)
  return new Map(
    asked.map(([booking, counted], index) => [booking, { counted, present: found[index] ?? NONE }]),
  )
}

const isForGuest = ({ write: { input } }: NewBooking) => Boolean(input.guest_name || input.guest_email)

/** Whether a rule counts one of several bookings of the same user, even if no rule counts the others. */
function hasCountedAmongSeveral(open: NewBooking[], counts: Map<NewBooking, UserCount>): boolean {
  const users = open.map(userOf)
  return [...counts.keys()].some(
    (booking) => users.indexOf(userOf(booking)) < users.lastIndexOf(userOf(booking)),
  )
}

const userOf = ({ write }: NewBooking) => write.input.user_id

/** Checks the bookings in order, as if there were room for all that pass. */
function applyCounts(open: NewBooking[], counts: Map<NewBooking, UserCount>) {
  const kept: Kept[] = []
  const broken = new Map<NewBooking, Refusal>()
  const before = new Map<number, NewBooking[]>()
  for (const booking of open) {
    const { user_id } = booking.write.input
    const own = before.get(user_id) ?? []
    before.set(user_id, own)
    try {
      const found = brokenAfter(own, counts.get(booking))
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

function brokenAfter(before: NewBooking[], count: UserCount | undefined): Refusal[] {
  if (!count) return []
  const { counted, present } = count
  const { rules, bookable, countedIn } = counted.facts
  const same = before.filter(({ fact }) => fact.bookable?.type === bookable.type)
  const earlier = same.flatMap((booking) => earlierOf(booking, countedIn))
  const has = countingRules(rules).map(({ name, rule: { counts } }) => [
    name,
    counts.withEarlier(present[name], earlier, counts.during(timeOf(counted))),
  ])
  return findBrokenCounts(counted, Object.fromEntries(has))
}

function earlierOf(booking: NewBooking, { column, id }: RuleFacts['countedIn']): EarlierBooking[] {
  const { bookable, rules } = booking.fact
  if (!bookable || !rules) return []
  return [
    {
      booking: { name: bookable.name, zone: rules.zone, ...spanOf(booking) },
      isForGuest: isForGuest(booking),
      isCountedThere: rules.places[column] === id,
    },
  ]
}
