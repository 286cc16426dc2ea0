// Creates bookings, as many as come together: one statement each to read the facts, to insert the claims, and
// to explain the conflicts. The exclusion constraint alone decides whether there is room.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import type { BatchHandler, Write } from '../../runtime/context.ts'
import { refuseInvalid, refuseUnbookable } from '../claims/checks.ts'
import { type BookingFacts, lockBookingFacts } from '../claims/facts.ts'
import { lockClaimsOfSeveral } from '../claims/locks.ts'
import { findWithin } from '../kit/building-limits.ts'
import { findBrokenRules } from '../rules/broken-rules.ts'
import { throwUnlessOverridden } from '../rules/overrides.ts'
import { type NewBooking, type NewBookingInput, type NewBookingReply, spanOf } from './insert-bookings.ts'
import { insertWithinCounts } from './insert-within-counts.ts'

type Decision = JsonText<NewBookingReply> | Refusal | undefined

export const createBookings: BatchHandler<NewBookingInput, BookingFacts, NewBookingReply> = {
  async lockFacts(connection, writes) {
    const subjects = writes.map(({ input }) => input)
    const bookableIds = subjects.map(({ bookable_id }) => bookable_id)
    const [, facts] = await pipelined(
      connection,
      () => lockClaimsOfSeveral(connection, bookableIds),
      () => lockBookingFacts(connection, subjects),
    )
    return hideOutsideTokenBuildings(connection, writes, facts)
  },

  async perform(connection, writes) {
    const bookings = writes.map((each) => ({ ...each, overridden: [] }))
    const decisions: Decision[] = bookings.map(refusalByChecks)
    const open = bookings.filter((_booking, index) => !decisions[index])
    const decided = await insertWithinCounts(connection, open)
    return decisions.map((decision, index) => decision ?? decided.get(bookings[index]) ?? beingTaken())
  },
}

// A token that is limited to buildings sees no others. Writes with the same limit are checked together.
async function hideOutsideTokenBuildings(
  connection: Connection,
  writes: Array<Write<NewBookingInput>>,
  facts: BookingFacts[],
) {
  const limits = new Map(writes.map(({ context }) => [String(context.buildingIds), context]))
  const hidden = new Set<number>()
  for (const limit of limits.values()) {
    const theirs = [...writes.entries()].filter(
      ([, { context }]) => String(context.buildingIds) === String(limit.buildingIds),
    )
    const within = await findWithin(
      connection,
      limit,
      'bookables',
      theirs.map(([, { input }]) => input.bookable_id),
    )
    for (const [index, { input }] of theirs) if (within && !within.has(input.bookable_id)) hidden.add(index)
  }
  return facts.map(({ bookable, ...fact }, index) => (hidden.has(index) ? fact : { bookable, ...fact }))
}

const beingTaken = () =>
  new Refusal('booking_conflict', message`Others are booking and cancelling this time right now. Try again.`)

function refusalByChecks(booking: NewBooking): Refusal | undefined {
  const { write, fact } = booking
  const { now } = write.context
  return refusalOf(() => {
    refuseInvalid(write.input, spanOf(booking), fact, now)
    if (fact.bookable) refuseUnbookable(fact.bookable)
    enforceRules(booking, findBrokenRules(fact.rules, spanOf(booking), now))
  })
}

function enforceRules({ write, overridden }: NewBooking, broken: Refusal[]): void {
  overridden.push(...throwUnlessOverridden(broken, write.input))
}

function refusalOf(check: () => void): Refusal | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
