// Creates bookings, as many as come together: one statement each to read the facts, to insert the claims, and
// to explain the conflicts. The exclusion constraint alone decides whether there is room.

import type { BatchItem } from '../../../shared/bookings/booking-batches.ts'
import type { WrittenBooking } from '../../../shared/bookings/bookings.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { Refusal, type RefusalCode, writeErrors } from '../../../shared/messages/refusal.ts'
import { isRule } from '../../../shared/messages/refusal-kinds.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { type JsonText, parseJsonText } from '../../../shared/utilities/json-text.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import { refusalFromError } from '../../runtime/refusals.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  type Handlers,
  openWrite,
  performOne,
  refusalBy,
  TAKEN,
  type Write,
  type Writes,
  withFacts,
} from '../../runtime/write.ts'
import { refuseInvalid, refuseUnbookable } from '../claims/checks.ts'
import { type BookingFacts, lockBookingFacts, lockFacts } from '../claims/facts.ts'
import { lockClaims, lockClaimsOfSeveral } from '../claims/locks.ts'
import { refuseForOthers } from '../rows/personal-tokens.ts'
import { findOutsideTokenBuildings } from '../rows/preconditions.ts'
import { enforceRules, throwUnlessOverridden } from '../rules/enforce-rules.ts'
import { insertUnlessOverLimit } from './decide-bookings.ts'
import {
  findBookingConflicts,
  type NewBooking,
  type NewBookingInput,
  type NewBookingReply,
  spanOf,
} from './insert-bookings.ts'

type Names =
  | 'bookings.create'
  | 'bookings.create-open'
  | 'bookings.check'
  | 'bookings.try'
  | 'bookings.create-batch'

export const newBookingHandlers: Handlers<Names> = {
  'bookings.create': createOne,
  'bookings.create-open': createOne,

  async 'bookings.check'(write, input) {
    const refusal = await findRefusal(write, input)
    return { data: refusal ? { allowed: false, ...describeRefusal(refusal) } : { allowed: true } }
  },

  async 'bookings.try'(write, input) {
    const refusal = await findRefusal(write, input)
    if (!refusal) return { data: { allowed: true } }
    const { code, detail, errors, members } = refusal
    const broken_rules = isRule(code) ? await findAllBroken(write, input) : []
    throw new Refusal(code, detail, { errors, members: { ...members, broken_rules } })
  },

  /** Either each independently, or all or none. */
  async 'bookings.create-batch'(write, { bookings, atomic, needs_one }) {
    for (const { user_id } of bookings) refuseForOthers(write, user_id)
    const decisions = await createMany(write, bookings)
    const isNoneBooked = decisions.every((decision) => decision instanceof Refusal)
    if (atomic || (needs_one && isNoneBooked)) refuseAny(decisions)
    return { data: decisions.map(describe) }
  },
}

/** Runs what books, and undoes it: rolling back to the savepoint also frees the locks. */
export async function findRefusal(write: Write, input: NewBookingInput): Promise<Refusal | undefined> {
  refuseForOthers(write, input.user_id)
  const savepoint = await write.trx.transaction()
  try {
    await createOne(openWrite(savepoint, write), input)
    return undefined
  } catch (error) {
    const refusal = refusalFromError(error)
    if (!refusal) throw error
    return refusal
  } finally {
    await savepoint.rollback()
  }
}

async function findAllBroken(write: Write, input: InputOf<'bookings.try'>): Promise<RefusalCode[]> {
  const { rules } = await lockFacts(write, input)
  const asked = {
    facts: rules,
    userId: input.user_id,
    isForGuest: Boolean(input.guest_name || input.guest_email),
    span: { from: input.from_time ?? write.now, to: input.to_time },
    isAddedTo: async () => true,
  }
  return enforceRules(write, { overrides_rules: true }, asked)
}

function describe(decision: WrittenBooking | Refusal): BatchItem {
  if (!(decision instanceof Refusal)) return { status: 200, booking: decision }
  return { status: decision.status, ...describeRefusal(decision) }
}

/** The same members as an error response. */
function describeRefusal({ code, message: detail, errors, members }: Refusal) {
  return { code, detail, ...(errors ? { errors: writeErrors(errors) } : {}), ...members }
}

export function createOne(write: Write, input: NewBookingInput) {
  return performOne(createBookings, write, input)
}

/**
 * Several bookings in one write, in the given order if they want the same bookable. Locks all claims first:
 * retrying a claim would break the lock order.
 */
export async function createMany(
  write: Write,
  inputs: Array<InputOf<'bookings.create'> & { series_id?: number }>,
): Promise<Array<WrittenBooking | Refusal>> {
  const bookableIds = inputs.map(({ bookable_id }) => bookable_id)
  await lockClaims(write, bookableIds)
  const decisions = await createAll(write, inputs)
  return decisions.map((decision) =>
    decision instanceof Refusal ? decision : parseJsonText(decision).data[0],
  )
}

/** Throws the first refusal, with its index. */
export function refuseAny(decisions: Array<WrittenBooking | Refusal>): WrittenBooking[] {
  return decisions.map((decision, index) => {
    if (!(decision instanceof Refusal)) return decision
    const { code, detail, errors, members } = decision
    throw new Refusal(code, detail, { errors, members: { ...members, index } })
  })
}

async function createAll(write: Write, inputs: NewBookingInput[]) {
  const connection = await write.connection()
  const writes = inputs.map((input) => ({ input, context: write }))
  const facts = await createBookings.lockFacts(connection, writes)
  return createBookings.perform(connection, withFacts(writes, facts))
}

export const createBookings: BatchHandler<NewBookingInput, BookingFacts, JsonText<NewBookingReply>> = {
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

  perform: (connection, writes) =>
    decideAll<never>(connection, writes, (taken) =>
      findBookingConflicts(
        connection,
        taken.map(({ write }) => write),
      ),
    ),

  conflicts: {
    // If several callers want the same bookable, all but one of them are refused, and often all.
    find: async (connection, writes) =>
      hasSameBookable(writes) ? findBookingConflicts(connection, writes) : [],
    performOrLeave: (connection, writes) =>
      decideAll<typeof TAKEN>(connection, writes, async (taken) => taken.map(({ known }) => known ?? TAKEN)),
    explain: findBookingConflicts,
  },
}

function hasSameBookable(writes: Array<BatchedWrite<NewBookingInput>>): boolean {
  return new Set(writes.map(({ input }) => input.bookable_id)).size < writes.length
}

/** Returns the decisions in the order of the writes. */
async function decideAll<Left>(
  connection: Connection,
  writes: Array<Writes<NewBookingInput, BookingFacts>[number] & { known?: Refusal | undefined }>,
  explain: (taken: NewBooking[]) => Promise<Array<Refusal | Left | undefined>>,
): Promise<Array<JsonText<NewBookingReply> | Refusal | Left>> {
  const bookings = writes.map((each) => ({ ...each, overridden: [] }))
  const refused = bookings.map(refusalByChecks)
  const open = bookings.filter((_booking, index) => !refused[index])
  const decided = await insertUnlessOverLimit(connection, open, explain)
  return bookings.map((booking, index) => {
    const decision = refused[index] ?? decided.get(booking)
    if (decision === undefined) throw new Error('A booking has no decision')
    return decision
  })
}

// A token that is limited to buildings sees no others.
async function hideOutsideTokenBuildings(
  connection: Connection,
  writes: Array<BatchedWrite<NewBookingInput>>,
  facts: BookingFacts[],
) {
  const asked = writes.map(({ context, input }) => ({ context, id: input.bookable_id }))
  const outside = await findOutsideTokenBuildings(connection, 'bookables', asked)
  return facts.map(({ bookable, ...fact }, index) => (outside.has(index) ? fact : { bookable, ...fact }))
}

function refusalByChecks(booking: NewBooking): Refusal | undefined {
  const { write, fact, overridden } = booking
  const { now } = write.context
  return refusalBy(() => {
    refuseForOthers(write.context, write.input.user_id)
    refuseInvalid(write.input, spanOf(booking), fact, now)
    if (fact.bookable) refuseUnbookable(fact.bookable)
    const { is_approved } = write.input
    const broken = findBrokenRules(fact.rules, spanOf(booking), now).filter(
      ({ code }) => !is_approved || code !== 'needs_approval',
    )
    overridden.push(...throwUnlessOverridden(broken, write.input))
    return undefined
  })
}
