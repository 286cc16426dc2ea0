// Moves bookings to another time or another bookable, and changes their details, in batches.
import { bookingChangesSchema, bookingMoveSchema } from '../../../shared/bookings/bookings.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { fieldName, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { type Connection, sendPipelined } from '../../runtime/connection.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  performUnrefusedWrites,
  ReplyWithETag,
  type WriteContext,
} from '../../runtime/write.ts'
import {
  ENDS_TOO_EARLY_ERRORS,
  isWithinTimeRange,
  refuseInvalidChange,
  refuseUnbookable,
} from '../claims/checks.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { type BookingFacts, lockBookingFacts } from '../claims/facts.ts'
import { lockClaimsOfBookings } from '../claims/locks.ts'
import { findOutsideTokenBuildings, refuseFixedFields } from '../rows/preconditions.ts'
import { findAbsenceRefusals } from '../rules/absences.ts'
import { isCheckInMissed, refuseMissedCheckIn } from '../rules/check-in-windows.ts'
import { type InputOverridingRules, throwUnlessOverridden } from '../rules/enforce-rules.ts'
import { type BookingDetails, type CurrentBooking, isForGuest, lockBookings } from './present-bookings.ts'
import { type BookingChange, saveBookings } from './save-bookings.ts'

export type BookingChangeFact = { before: CurrentBooking; facts: BookingFacts }
type UpdateInput = InputOf<'bookings.update'>
type MoveInput = InputOf<'bookings.move'>

/**
 * Handles PUT and PATCH of a booking. If the booking is neither moved nor extended, the rules are not checked, unless
 * it changes from a guest's booking to the user's own.
 */
export const bookingUpdates: BatchHandler<
  UpdateInput,
  BookingChangeFact | Refusal,
  ReplyWithETag<ReplyOf<'bookings.update'>>
> = {
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) =>
    lockFacts(connection, writes, [], ({ user_vehicle_id }, { bookable_id, user_id }) => ({
      bookable_id,
      user_id,
      user_vehicle_id,
      includesDeactivated: true,
    })),
  perform: (connection, writes) =>
    performUnrefusedWrites(writes, checkUpdate, (changes) => saveChanges(connection, changes)),
}

/** Moves bookings to another bookable, with the same checks as for a new booking on that bookable. */
export const bookingMoves: BatchHandler<
  MoveInput,
  BookingChangeFact | Refusal,
  ReplyWithETag<ReplyOf<'bookings.move'>>
> = {
  idOf: ({ id }) => id,
  async lockFacts(connection, writes) {
    const wanted = writes.map(({ input }) => input.bookable_id)
    const found = await lockFacts(connection, writes, wanted, ({ bookable_id }, { user_id, vehicle_id }) => ({
      bookable_id,
      user_id,
      user_vehicle_id: vehicle_id,
    }))
    return hideOutsideTokenBuildings(connection, writes, found)
  },
  perform: (connection, writes) =>
    performUnrefusedWrites(writes, checkMove, (changes) => saveChanges(connection, changes)),
}

async function saveChanges(connection: Connection, changes: BookingChange[]) {
  const saved = await saveBookings(connection, changes)
  return saved.map((each) =>
    each instanceof Refusal ? each : new ReplyWithETag(each.text, computeEtag(each.body)),
  )
}

// A token that is limited to buildings cannot move a booking to a different building.
async function hideOutsideTokenBuildings(
  connection: Connection,
  writes: Array<BatchedWrite<MoveInput>>,
  found: Array<BookingChangeFact | Refusal>,
): Promise<Array<BookingChangeFact | Refusal>> {
  const asked = writes.map(({ context, input }) => ({ context, id: input.bookable_id }))
  const outside = await findOutsideTokenBuildings(connection, 'bookables', asked)
  return found.map((each, index) => {
    if (each instanceof Refusal || !outside.has(index)) return each
    const { bookable: _bookable, ...facts } = each.facts
    return { ...each, facts }
  })
}

/** Locks the bookings, and the bookables that they are on after the change. */
async function lockFacts<Input extends UpdateInput | MoveInput>(
  connection: Connection,
  writes: Array<BatchedWrite<Input>>,
  wanted: number[],
  subjectOf: (input: Input, before: CurrentBooking) => Parameters<typeof lockBookingFacts>[1][number],
): Promise<Array<BookingChangeFact | Refusal>> {
  const ids = writes.map(({ input }) => input.id)
  const [, found] = await sendPipelined(
    connection,
    () => lockClaimsOfBookings(connection, ids, wanted),
    () => lockBookings(connection, writes),
  )
  const subjects = writes.flatMap(({ input }, index) => {
    const before = found[index]
    return !before || before instanceof Refusal ? [] : [subjectOf(input, before)]
  })
  const facts = (await lockBookingFacts(connection, subjects)).values()
  return found.map((before) =>
    before instanceof Refusal ? before : { before, facts: facts.next().value ?? {} },
  )
}

/** Returns when a booking takes place after a change. */
export const spanAfter = (
  { from_time, to_time }: Pick<UpdateInput, 'from_time' | 'to_time'>,
  before: OpenTimeRange,
  now: string,
): OpenTimeRange => ({
  from: from_time === undefined ? before.from : (from_time ?? now),
  to: to_time ?? before.to,
})

export function checkUpdate(
  { input, context }: BatchedWrite<UpdateInput>,
  { before, facts }: BookingChangeFact,
): BookingChange {
  refuseFixedFields(bookingChangesSchema, input, before)
  const span = spanAfter(input, before, context.now)
  refuseInvalidChange(input, span, facts)
  refuseEnded(before, context)
  // A deleted bookable has only past bookings. The request arrived while the booking was running, but the write runs
  // after its end.
  if (!facts.bookable) throw new Refusal('booking_ended', message`The booked desk or room no longer exists.`)
  const isMoved = !isWithinTimeRange(span, before)
  if (isMoved) refuseUnbookable(facts.bookable, span)
  const [bookableId, vehicle] = [before.bookable_id, mergeVehicle(input, facts)]
  const details = mergeDetails(input, before)
  // The rules and absences are checked if a booking is no longer for a guest, because some do not apply to guests.
  const isChecked = isMoved || (isForGuest(before) && !isForGuest(details))
  if (isChecked) refuseAway(input, { context, before, facts, span, details })
  const overridable = isChecked ? input : undefined
  return { context, before, bookableId, span, facts, vehicle, details, overridable }
}

export function checkMove(
  { input, context }: BatchedWrite<MoveInput>,
  { before, facts }: BookingChangeFact,
): BookingChange {
  refuseFixedFields(bookingMoveSchema, input, { ...before, user_vehicle_id: before.vehicle_id })
  refuseEnded(before, context)
  const span = spanAfter(input, before, context.now)
  refuseInvalidMove(before, span, facts, context)
  if (facts.bookable) refuseUnbookable(facts.bookable, span)
  if (!facts.user)
    throw new Refusal('not_found', message`The person who holds this booking has been deactivated.`)
  const [bookableId, details] = [input.bookable_id, mergeDetails({}, before)]
  if (!isWithinTimeRange(span, before)) refuseAway(input, { context, before, facts, span, details })
  const vehicle = facts.bookable?.isParkingSpot ? undefined : null
  return { context, before, bookableId, span, facts, vehicle, details, overridable: input }
}

/** Refuses a booking that a change puts on days on which its person is away, unless it is for a guest after the change. */
function refuseAway(
  input: InputOverridingRules,
  {
    context,
    before,
    facts,
    span,
    details,
  }: Pick<BookingChange, 'context' | 'before' | 'facts' | 'span' | 'details'>,
): void {
  const booking = { context, userId: before.user_id, span, away: facts.away, isForGuest: isForGuest(details) }
  throwUnlessOverridden(findAbsenceRefusals(booking), input)
}

function refuseEnded(booking: CurrentBooking, { now }: WriteContext) {
  refuseMissedCheckIn(booking, now)
  const { to, zone } = booking
  if (to === null || to > now) return
  throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }} and cannot be changed.`)
}

/**
 * Returns whether `checkUpdate` refuses every change of this booking: it has ended, nobody checked in by the deadline, or
 * its desk or room no longer exists.
 */
export function isOver({ before, facts }: BookingChangeFact, now: string): boolean {
  return !facts.bookable || isCheckInMissed(before, now) || (before.to !== null && before.to <= now)
}

// Refuses a move between a home office and anything else. Claims on home offices are shared, all others are exclusive,
// and a move must not change that.
function refuseInvalidMove(
  { exclusive, vehicle_id }: CurrentBooking,
  { from, to }: OpenTimeRange,
  { bookable }: BookingFacts,
  { now }: WriteContext,
) {
  if (!bookable) throw invalidFields({ bookable_id: [message`There is no desk or room with this id.`] })
  if (bookable.isHomeOffice === exclusive) {
    throw invalidFields({
      bookable_id: [message`A home office cannot be swapped with a desk, room or parking spot.`],
    })
  }
  if (bookable.requiresVehicle && vehicle_id === null) {
    throw invalidFields({ bookable_id: [message`${bookable.name} can only be booked with a vehicle.`] })
  }
  if (to !== null && to <= from) throw invalidFields({ to_time: ENDS_TOO_EARLY_ERRORS })
  if (to !== null && to <= now)
    throw invalidFields({ to_time: [message`${fieldName('to_time')} must be in the future.`] })
}

// Merges the new details of a booking with the current ones. An undefined field keeps its value, and an empty text
// clears the field.
function mergeDetails(input: Partial<UpdateInput>, before: CurrentBooking): BookingDetails {
  const after = <Name extends keyof BookingDetails>(name: Name) =>
    input[name] === undefined ? before[name] : input[name] || null
  return {
    guest_name: after('guest_name'),
    guest_email: after('guest_email'),
    booking_info: after('booking_info'),
  }
}

// Returns the vehicle of a booking after a change. An undefined vehicle keeps the current one. Only parking bookings
// have a vehicle.
function mergeVehicle({ user_vehicle_id }: InputOf<'bookings.update'>, { bookable, vehicle }: BookingFacts) {
  if (user_vehicle_id === undefined) return undefined
  return (bookable?.isParkingSpot && vehicle) || null
}
