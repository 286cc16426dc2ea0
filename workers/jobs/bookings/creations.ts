// Creates bookings in batches, with one statement to read the facts, one to insert the claims, and one to explain the
// conflicts. Only the exclusion constraint decides whether a bookable is free.

import type { BatchItem } from '../../../shared/bookings/booking-batches.ts'
import type { WrittenBooking } from '../../../shared/bookings/bookings.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { Refusal, type RefusalCode, writeErrors } from '../../../shared/messages/refusal.ts'
import { isBookingRule } from '../../../shared/messages/refusal-kinds.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { type JsonText, parseJsonText } from '../../../shared/utilities/json-text.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import { toRefusal } from '../../runtime/refusals.ts'
import { tryOut } from '../../runtime/try-out.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  catchRefusal,
  type Handlers,
  openWritesWithFacts,
  performSingleWrite,
  TAKEN_BY_OTHERS,
  type Write,
  type WritesWithFacts,
} from '../../runtime/write.ts'
import { refuseInvalidBooking, refuseUnbookable } from '../claims/checks.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { type BookingFacts, lockBookingFacts, lockMovedClaimFacts } from '../claims/facts.ts'
import { lockClaims, lockClaimsOfSeveral } from '../claims/locks.ts'
import { refuseUnlessOwner } from '../rows/personal-tokens.ts'
import { findOutsideTokenBuildings } from '../rows/preconditions.ts'
import { findAbsenceRefusals } from '../rules/absences.ts'
import { enforceRules, omitNeedsApproval, throwUnlessOverridden } from '../rules/enforce-rules.ts'
import { throwFirstRefusal } from '../series/series.ts'
import { findAllowedForOthers } from './book-for-others.ts'
import { insertUnlessOverLimit } from './decide-bookings.ts'
import {
  findBookingConflicts,
  getSpan,
  type NewBooking,
  type NewBookingFacts,
  type NewBookingInput,
  type NewBookingReply,
} from './insert-bookings.ts'

type BookingJobNames =
  | 'bookings.create'
  | 'bookings.create-open'
  | 'bookings.check'
  | 'bookings.try'
  | 'bookings.create-batch'

export const newBookingHandlers: Handlers<BookingJobNames> = {
  'bookings.create': createOneBooking,
  'bookings.create-open': createOneBooking,

  async 'bookings.check'(write, input) {
    const refusal = await findRefusal(write, input)
    // A token that may not ask about somebody gets the same refusal as when it books.
    if (refusal?.code === 'personal_token') throw refusal
    return { data: refusal ? { allowed: false, ...describeRefusal(refusal) } : { allowed: true } }
  },

  async 'bookings.try'(write, input) {
    const refusal = await findRefusal(write, input)
    if (!refusal) return { data: { allowed: true } }
    const { code, detail, errors, members } = refusal
    const broken_rules = isBookingRule(code) ? await findAllBrokenRules(write, input) : []
    throw new Refusal(code, detail, { errors, members: { ...members, broken_rules } })
  },

  /** Creates several bookings: either each one independently of the others, or all or none. */
  async 'bookings.create-batch'(write, { bookings, atomic, needs_one }) {
    for (const { user_id } of bookings) refuseUnlessOwner(write, user_id)
    const decisions = await createManyBookings(write, bookings)
    const isNoneBooked = decisions.every((decision) => decision instanceof Refusal)
    if (atomic || (needs_one && isNoneBooked)) throwFirstRefusal(decisions)
    return { data: decisions.map(describeDecision) }
  },
}

/** Finds out why a booking would be refused. */
export const findRefusal = (write: Write, input: NewBookingInput): Promise<Refusal | undefined> =>
  findRefusalOf(write, (trial) => createOneBooking(trial, input))

/** Finds out why a change would be refused. */
export async function findRefusalOf(
  write: Write,
  change: (trial: Write) => Promise<unknown>,
): Promise<Refusal | undefined> {
  try {
    await tryOut(write, change)
    return undefined
  } catch (error) {
    const refusal = toRefusal(error)
    if (!refusal) throw error
    return refusal
  }
}

async function findAllBrokenRules(write: Write, input: InputOf<'bookings.try'>): Promise<RefusalCode[]> {
  const facts = await lockMovedClaimFacts(write, input)
  const span = { from: input.from_time ?? write.now, to: input.to_time }
  const isForGuest = Boolean(input.guest_name || input.guest_email)
  const asked = { facts: facts.rules, userId: input.user_id, isForGuest, span, isAddedTo: async () => true }
  const away = findAbsenceRefusals(toBookingForUser({ input, context: write }, span, facts))
  const broken = await enforceRules(write, { overrides_rules: true }, asked)
  return [...broken, ...away.map(({ code }) => code)]
}

function describeDecision(decision: WrittenBooking | Refusal): BatchItem {
  if (!(decision instanceof Refusal)) return { status: 200, booking: decision }
  return { status: decision.status, ...describeRefusal(decision) }
}

/** Returns a refusal with the same members as an error response. */
export function describeRefusal({ code, message: detail, errors, members }: Refusal) {
  return { code, detail, ...(errors ? { errors: writeErrors(errors) } : {}), ...members }
}

export function createOneBooking(write: Write, input: NewBookingInput) {
  return performSingleWrite(createBookings, write, input)
}

/**
 * Creates several bookings in one write. Bookings on the same bookable are created in the given order. Locks the
 * bookables of all claims first, because a repeated attempt to insert a claim would break the lock order.
 */
export async function createManyBookings(
  write: Write,
  inputs: Array<InputOf<'bookings.create'> & { series_id?: number }>,
): Promise<Array<WrittenBooking | Refusal>> {
  const bookableIds = inputs.map(({ bookable_id }) => bookable_id)
  await lockClaims(write, bookableIds)
  const decisions = await createAllBookings(write, inputs)
  return decisions.map((decision) =>
    decision instanceof Refusal ? decision : parseJsonText(decision).data[0],
  )
}

async function createAllBookings(write: Write, inputs: NewBookingInput[]) {
  const connection = await write.connection()
  const writes = inputs.map((input) => ({ input, context: write }))
  const facts = await createBookings.lockFacts(connection, writes)
  return createBookings.perform(connection, openWritesWithFacts(writes, facts))
}

export const createBookings: BatchHandler<NewBookingInput, NewBookingFacts, JsonText<NewBookingReply>> = {
  async lockFacts(connection, writes) {
    const subjects = writes.map(({ input }) => input)
    const bookableIds = subjects.map(({ bookable_id }) => bookable_id)
    const [, facts] = await sendPipelined(
      connection,
      () => lockClaimsOfSeveral(connection, bookableIds),
      () => lockBookingFacts(connection, subjects),
    )
    const allowed = await findAllowedForOthers(connection, writes)
    const seen = await hideOutsideTokenBuildings(connection, writes, facts)
    return seen.map((fact, place) => ({
      ...fact,
      isForOther: allowed.has(place) || writes[place]?.input.is_for_other === true,
    }))
  },

  perform: (connection, writes) =>
    decideAllBookings<never>(connection, writes, (taken) =>
      findBookingConflicts(
        connection,
        taken.map(({ write }) => write),
      ),
    ),

  conflicts: {
    // If several callers want the same bookable, all of them but one are usually refused.
    find: async (connection, writes) =>
      hasSameBookable(writes) ? findBookingConflicts(connection, writes) : [],
    performOrLeave: (connection, writes) =>
      decideAllBookings<typeof TAKEN_BY_OTHERS>(connection, writes, async (taken) =>
        taken.map(({ known }) => known ?? TAKEN_BY_OTHERS),
      ),
    explain: findBookingConflicts,
  },
}

function hasSameBookable(writes: Array<BatchedWrite<NewBookingInput>>): boolean {
  return new Set(writes.map(({ input }) => input.bookable_id)).size < writes.length
}

/** Accepts or refuses each booking. Returns the decisions in the order of the writes. */
async function decideAllBookings<Left>(
  connection: Connection,
  writes: Array<WritesWithFacts<NewBookingInput, NewBookingFacts>[number] & { known?: Refusal | undefined }>,
  explain: (taken: NewBooking[]) => Promise<Array<Refusal | Left | undefined>>,
): Promise<Array<JsonText<NewBookingReply> | Refusal | Left>> {
  const bookings = writes.map((each) => ({ ...each, overridden: [] }))
  const refused = bookings.map(findRefusalByChecks)
  const open = bookings.filter((_booking, index) => !refused[index])
  const decided = await insertUnlessOverLimit(connection, open, explain)
  return bookings.map((booking, index) => {
    const decision = refused[index] ?? decided.get(booking)
    if (decision === undefined) throw new Error('A booking has no decision')
    return decision
  })
}

// Hides bookables outside the token's buildings, which a limited token cannot see.
async function hideOutsideTokenBuildings(
  connection: Connection,
  writes: Array<BatchedWrite<NewBookingInput>>,
  facts: BookingFacts[],
) {
  const asked = writes.map(({ context, input }) => ({ context, id: input.bookable_id }))
  const outside = await findOutsideTokenBuildings(connection, 'bookables', asked)
  return facts.map(({ bookable, ...fact }, index) => (outside.has(index) ? fact : { bookable, ...fact }))
}

const toBookingForUser = (
  { input, context }: BatchedWrite<NewBookingInput>,
  span: OpenTimeRange,
  { away }: BookingFacts,
) => {
  const isForGuest = Boolean(input.guest_name || input.guest_email)
  return { context, userId: input.user_id, span, away, isForGuest }
}

function findRefusalByChecks(booking: NewBooking): Refusal | undefined {
  const { write, fact, overridden } = booking
  const { now } = write.context
  return catchRefusal(() => {
    if (!fact.isForOther) refuseUnlessOwner(write.context, write.input.user_id)
    refuseInvalidBooking(write.input, getSpan(booking), fact, now)
    if (fact.bookable) refuseUnbookable(fact.bookable, getSpan(booking))
    const broken = omitNeedsApproval(findBrokenRules(fact.rules, getSpan(booking), now), write.input)
    broken.push(...findAbsenceRefusals(toBookingForUser(write, getSpan(booking), fact), write.input))
    overridden.push(...throwUnlessOverridden(broken, write.input))
    return undefined
  })
}
