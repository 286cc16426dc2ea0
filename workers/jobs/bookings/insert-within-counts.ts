// Inserts new bookings that have passed all checks but two: whether there is room, and the rules that count a
// user's bookings. The counts are read once; earlier bookings of the batch count if they found room.
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import type { Connection } from '../../runtime/connection.ts'
import { findConflict, type OpenTimeRange } from '../claims/conflicts.ts'
import {
  type Counted,
  findUserBookings,
  lockUserBookings,
  type UserBookings,
} from '../rules/counted-bookings.ts'
import { countsBookings, findBrokenCounts, throwUnlessOverridden } from '../rules/enforce-rules.ts'
import { insertBookings, type NewBooking, type NewBookingReply, spanOf } from './insert-bookings.ts'

type Decisions = Map<NewBooking | undefined, JsonText<NewBookingReply> | Refusal>
/** `changed` also says which rules it overrides. */
type Kept = { booking: NewBooking; changed: NewBooking }
type UserCount = { counted: Counted; present: UserBookings }

// A claim in the way may vanish before it can be named; then there is room after all.
const VANISHED_MAX = 5

/** A booking without a decision met too many conflicts that vanished again. */
export async function insertWithinCounts(connection: Connection, open: NewBooking[]): Promise<Decisions> {
  const counts = await findCounts(connection, open)
  const isUndone = hasSeveralOfOneUser(counts)
  const decisions: Decisions = new Map()
  for (let vanished = 0; vanished < VANISHED_MAX && decisions.size < open.length; ) {
    const { kept, broken } = applyCounts(
      open.filter((booking) => !decisions.has(booking)),
      counts,
    )
    if (isUndone) await connection.query('SAVEPOINT counted')
    const inserted = await insertKept(connection, kept)
    const taken = kept.filter(({ booking }) => !inserted.has(booking))
    const conflicts = await Promise.all(taken.map(({ booking }) => findConflictOf(connection, booking)))
    // Bookings after one that found no room were counted wrongly.
    const isWrong = taken.length > 0 && isUndone
    if (isWrong) await connection.query('ROLLBACK TO SAVEPOINT counted')
    else for (const [booking, decision] of [...inserted, ...broken]) decisions.set(booking, decision)
    for (const [index, { booking }] of taken.entries()) {
      const conflict = conflicts[index]
      if (conflict) decisions.set(booking, conflict)
      else vanished++
    }
  }
  return decisions
}

async function insertKept(
  connection: Connection,
  kept: Kept[],
): Promise<Map<NewBooking, JsonText<NewBookingReply>>> {
  if (kept.length === 0) return new Map()
  const replies = await insertBookings(
    connection,
    kept.map(({ changed }) => changed),
  )
  return new Map(
    kept.flatMap(({ booking }, index) => {
      const reply = replies[index]
      return reply === undefined ? [] : [[booking, reply]]
    }),
  )
}

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
  const userIds = all.map(({ userId }) => userId)
  await lockUserBookings(connection, userIds)
  const found = await findUserBookings(connection, all)
  return new Map(
    asked.map(([booking, counted], index) => [
      booking,
      { counted, present: found[index] ?? { ahead: 0, present: null } },
    ]),
  )
}

const isForGuest = ({ write: { input } }: NewBooking) => Boolean(input.guest_name || input.guest_email)

function hasSeveralOfOneUser(counts: Map<NewBooking, UserCount>): boolean {
  const users = [...counts.keys()].map(({ write }) => write.input.user_id)
  return new Set(users).size < users.length
}

/** Checks them in order, as if all that are kept found room. */
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
  const { facts, span } = counted
  const same = before.filter(({ fact }) => fact.bookable?.type === facts.bookable.type)
  const { column, id } = facts.countedIn
  const ahead = same.filter(({ fact }) => fact.rules?.places[column] === id).length
  const [first = null] = same
    .filter((booking) => !isForGuest(booking) && overlaps(spanOf(booking), span))
    .map((booking) => {
      const { bookable, zone = 'UTC' } = booking.fact
      return { name: bookable?.name ?? '', zone, ...spanOf(booking) }
    })
    .concat(present.present ?? [])
    .sort((a, b) => (a.from < b.from ? -1 : 1))
  return findBrokenCounts(counted, { ahead: present.ahead + ahead, present: first })
}

const overlaps = (a: OpenTimeRange, b: OpenTimeRange) =>
  (b.to === null || a.from < b.to) && (a.to === null || b.from < a.to)

function findConflictOf(connection: Connection, booking: NewBooking): Promise<Refusal | undefined> {
  const { input, context } = booking.write
  const subject = { ...input, hasVehicle: booking.fact.vehicle !== undefined, now: context.now }
  return findConflict(connection, subject, spanOf(booking))
}
