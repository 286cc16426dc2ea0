// New bookings: as many as come together, in one statement each for what the checks ask about, for the claims, and for what
// is said of those that were refused. The exclusion constraint alone decides whether there is room.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/refusal.ts'
import type { JsonText } from '../../../shared/shapes/json-text.ts'
import { atOnce, type Connection } from '../../connection.ts'
import type { BatchHandler, Write } from '../../context.ts'
import { lockClaimsOfSeveral } from '../bookables/locks.ts'
import { findWithin } from '../building-limits.ts'
import { countsBookings, findBrokenRules } from '../rules/broken-rules.ts'
import { type Counted, findBrokenCounts, lockUserBookings } from '../rules/counted-rules.ts'
import { requireKept } from '../rules/overrides.ts'
import type { RuleFacts } from '../rules/rule-facts.ts'
import { refuseInvalid, refuseUnbookable } from './checks.ts'
import { findConflict } from './conflicts.ts'
import { type BookingFacts, lockBookingFacts } from './facts.ts'
import {
  insertBookings,
  type NewBooking,
  type NewBookingInput,
  type NewBookingReply,
  spanOf,
} from './insert-bookings.ts'

type Decision = JsonText<NewBookingReply> | Refusal | undefined

// A claim in the way may be gone again before it can be named; then there is room after all.
const INSERT_TRIES = 5

export const createBookings: BatchHandler<NewBookingInput, BookingFacts, NewBookingReply> = {
  async lockFacts(connection, writes) {
    const subjects = writes.map(({ input }) => input)
    const bookableIds = subjects.map(({ bookable_id }) => bookable_id)
    const [, facts] = await atOnce(
      connection,
      () => lockClaimsOfSeveral(connection, bookableIds),
      () => lockBookingFacts(connection, subjects),
    )
    return hideElsewhere(connection, writes, facts)
  },

  async perform(connection, writes) {
    const bookings = writes.map((each) => ({ ...each, overridden: [] }))
    const decisions: Decision[] = bookings.map(refusalByChecks)
    const batch = { connection, bookings, decisions }
    for (const round of await lockRounds(batch)) await performRound(batch, round)
    return decisions.map((decision) => decision ?? beingTaken())
  },
}

// A token that is limited to buildings knows of no bookable elsewhere. Those of one limit are asked about together.
async function hideElsewhere(
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

type Batch = { connection: Connection; bookings: NewBooking[]; decisions: Decision[] }
type Round = { indices: number[]; counts: boolean }

/** Whose bookings are counted has one booking in each round at most: the next one sees those before. */
async function lockRounds({ connection, bookings, decisions }: Batch): Promise<Round[]> {
  const rounds: Round[] = [{ indices: [], counts: false }]
  const counted = new Map<number, number>()
  bookings.forEach(({ write, fact }, index) => {
    if (decisions[index]) return
    const counts = fact.rules !== undefined && countsBookings(fact.rules.rules)
    const { user_id } = write.input
    const number = counts ? (counted.get(user_id) ?? 0) : 0
    const round = rounds[number] ?? { indices: [], counts }
    rounds[number] = { indices: [...round.indices, index], counts: round.counts || counts }
    if (counts) counted.set(user_id, number + 1)
  })
  if (counted.size > 0) await lockUserBookings(connection, [...counted.keys()])
  return rounds
}

async function performRound({ connection, bookings, decisions }: Batch, { indices, counts }: Round) {
  const decideOpen = async (decide: (open: NewBooking[]) => Promise<Decision[]>) => {
    const open = indices.filter((index) => !decisions[index])
    if (open.length === 0) return
    const decided = await decide(open.flatMap((index) => bookings[index] ?? []))
    open.forEach((index, position) => {
      decisions[index] = decided[position]
    })
  }
  if (counts) await decideOpen((open) => refusalsByCounts(connection, open))
  for (let tries = 0; tries < INSERT_TRIES; tries++) {
    await decideOpen((open) => insertBookings(connection, open))
    await decideOpen((open) =>
      Promise.all(open.map((booking) => findConflict(connection, subjectOf(booking), spanOf(booking)))),
    )
  }
}

const beingTaken = () =>
  new Refusal('booking_conflict', message`Others are booking and cancelling this time right now. Try again.`)

function refusalByChecks(booking: NewBooking): Refusal | undefined {
  const { write, fact } = booking
  const { now } = write.context
  return refusalOf(() => {
    refuseInvalid(write.input, spanOf(booking), fact, now)
    if (fact.bookable) refuseUnbookable(fact.bookable)
    holdTo(booking, findBrokenRules(fact.rules, spanOf(booking), now))
  })
}

async function refusalsByCounts(connection: Connection, open: NewBooking[]): Promise<Decision[]> {
  const counted = open.flatMap((booking) => {
    const facts = booking.fact.rules
    return facts && countsBookings(facts.rules) ? [{ booking, ...countedOf(booking, facts) }] : []
  })
  const broken = await findBrokenCounts(connection, counted)
  const refusals = new Map(
    counted.map(({ booking }, index) => [booking, refusalOf(() => holdTo(booking, broken[index] ?? []))]),
  )
  return open.map((booking) => refusals.get(booking))
}

function countedOf(booking: NewBooking, facts: RuleFacts): Counted {
  const { input, context } = booking.write
  const isForGuest = Boolean(input.guest_name || input.guest_email)
  const { now, buildingIds } = context
  return { userId: input.user_id, facts, span: spanOf(booking), now, isForGuest, buildingIds }
}

function holdTo({ write, overridden }: NewBooking, broken: Refusal[]): void {
  overridden.push(...requireKept(broken, write.input))
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

function subjectOf({ write: { input, context }, fact }: NewBooking) {
  return { ...input, hasVehicle: fact.vehicle !== undefined, now: context.now }
}
