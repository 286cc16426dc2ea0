// Changes of bookings, to another time or another bookable, as many as come together.
import { bookingChangesSchema, bookingMoveSchema } from '../../../shared/bookings/bookings.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Connection, pipelined } from '../../runtime/connection.ts'
import {
  type BatchedWrite,
  type BatchHandler,
  performUnrefused,
  ReplyWithETag,
  type WriteContext,
} from '../../runtime/write.ts'
import { ENDS_TOO_EARLY, isWithin, refuseInvalidChange, refuseUnbookable } from '../claims/checks.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { type BookingFacts, lockBookingFacts } from '../claims/facts.ts'
import { lockClaimsOfBookings } from '../claims/locks.ts'
import { findOutsideTokenBuildings, refuseFixed } from '../rows/preconditions.ts'
import { refuseLost } from '../rules/check-in-windows.ts'
import { type BookingDetails, isForGuest, lockBookings, type Present } from './present-bookings.ts'
import { type Change, saveBookings } from './save-bookings.ts'

export type Fact = { before: Present; facts: BookingFacts }
type Update = InputOf<'bookings.update'>
type Move = InputOf<'bookings.move'>

/** PUT and PATCH. A booking that is neither moved nor extended is not checked, unless it becomes the user's own. */
export const updates: BatchHandler<Update, Fact | Refusal, ReplyWithETag<ReplyOf<'bookings.update'>>> = {
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) =>
    lockFacts(connection, writes, [], ({ user_vehicle_id }, before) => ({ ...before, user_vehicle_id })),
  perform: (connection, writes) =>
    performUnrefused(writes, checkUpdate, (changes) => save(connection, changes)),
}

/** To another bookable; the checks for a new booking there apply. */
export const moves: BatchHandler<Move, Fact | Refusal, ReplyWithETag<ReplyOf<'bookings.move'>>> = {
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
    performUnrefused(writes, checkMove, (changes) => save(connection, changes)),
}

async function save(connection: Connection, changes: Change[]) {
  const saved = await saveBookings(connection, changes)
  return saved.map((each) =>
    each instanceof Refusal ? each : new ReplyWithETag(each.text, etagOf(each.body)),
  )
}

// A token that is limited to buildings can move to no others.
async function hideOutsideTokenBuildings(
  connection: Connection,
  writes: Array<BatchedWrite<Move>>,
  found: Array<Fact | Refusal>,
): Promise<Array<Fact | Refusal>> {
  const asked = writes.map(({ context, input }) => ({ context, id: input.bookable_id }))
  const outside = await findOutsideTokenBuildings(connection, 'bookables', asked)
  return found.map((each, index) => {
    if (each instanceof Refusal || !outside.has(index)) return each
    const { bookable: _bookable, ...facts } = each.facts
    return { ...each, facts }
  })
}

/** Locks the bookings, and the bookables that they are on afterwards. */
async function lockFacts<Input extends Update | Move>(
  connection: Connection,
  writes: Array<BatchedWrite<Input>>,
  wanted: number[],
  subjectOf: (input: Input, before: Present) => Parameters<typeof lockBookingFacts>[1][number],
): Promise<Array<Fact | Refusal>> {
  const ids = writes.map(({ input }) => input.id)
  const [, found] = await pipelined(
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

function checkUpdate({ input, context }: BatchedWrite<Update>, { before, facts }: Fact): Change {
  refuseFixed(bookingChangesSchema, input, before)
  const from = input.from_time === undefined ? before.from : (input.from_time ?? context.now)
  const span = { from, to: input.to_time ?? before.to }
  refuseInvalidChange(input, span, facts)
  refuseEnded(before, context)
  // A deleted bookable has only past bookings; this write arrived in time but runs too late.
  if (!facts.bookable) throw new Refusal('booking_ended', message`What was booked no longer exists.`)
  const isMoved = !isWithin(span, before)
  if (isMoved) refuseUnbookable(facts.bookable)
  const [bookableId, vehicle] = [before.bookable_id, vehicleAfter(input, facts)]
  const details = detailsAfter(input, before)
  // Some rules count only the bookings that are not for guests.
  const isChecked = isMoved || (isForGuest(before) && !isForGuest(details))
  const overridable = isChecked ? input : undefined
  return { context, before, bookableId, span, facts, vehicle, details, overridable }
}

export function checkMove({ input, context }: BatchedWrite<Move>, { before, facts }: Fact): Change {
  refuseFixed(bookingMoveSchema, input, { ...before, user_vehicle_id: before.vehicle_id })
  refuseEnded(before, context)
  const from = input.from_time === undefined ? before.from : (input.from_time ?? context.now)
  const span = { from, to: input.to_time ?? before.to }
  refuseInvalidMove(before, span, facts, context)
  if (facts.bookable) refuseUnbookable(facts.bookable)
  if (!facts.user) throw new Refusal('not_found', message`The person of this booking has been deactivated.`)
  const vehicle = facts.bookable?.isParkingSpot ? undefined : null
  const [bookableId, details] = [input.bookable_id, detailsAfter({}, before)]
  return { context, before, bookableId, span, facts, vehicle, details, overridable: input }
}

function refuseEnded(booking: Present, { now }: WriteContext) {
  refuseLost(booking, now)
  const { to, zone } = booking
  if (to === null || to > now) return
  throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }} and cannot be changed.`)
}

// A claim stays shared (home office) or exclusive (everything else).
function refuseInvalidMove(
  { exclusive, vehicle_id }: Present,
  { from, to }: OpenTimeRange,
  { bookable }: BookingFacts,
  { now }: WriteContext,
) {
  if (!bookable) throw invalid({ bookable_id: [message`There is no desk or room with this id.`] })
  if (bookable.isHomeOffice === exclusive) {
    throw invalid({
      bookable_id: [
        message`A home office cannot be swapped for a desk, room or parking spot, nor one of these for a home office.`,
      ],
    })
  }
  if (bookable.requiresVehicle && vehicle_id === null) {
    throw invalid({ bookable_id: [message`${bookable.name} can only be booked with a vehicle.`] })
  }
  if (to !== null && to <= from) throw invalid({ to_time: ENDS_TOO_EARLY })
  if (to !== null && to <= now)
    throw invalid({ to_time: [message`${field('to_time')} must be in the future.`] })
}

// Undefined keeps what is there; an empty text clears it.
function detailsAfter(input: Partial<Update>, before: Present): BookingDetails {
  const after = <Name extends keyof BookingDetails>(name: Name) =>
    input[name] === undefined ? before[name] : input[name] || null
  return {
    guest_name: after('guest_name'),
    guest_email: after('guest_email'),
    booking_info: after('booking_info'),
  }
}

// Undefined keeps the present vehicle. Only parking bookings keep one.
function vehicleAfter({ user_vehicle_id }: InputOf<'bookings.update'>, { bookable, vehicle }: BookingFacts) {
  if (user_vehicle_id === undefined) return undefined
  return (bookable?.isParkingSpot && vehicle) || null
}
