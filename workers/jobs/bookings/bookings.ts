// Changes, moves, deletes and checks in to bookings. Without check-in in time, the rest of a booking is
// released: workers/pollers/check-ins/releases.ts.
import { audit } from '../../../shared/audit/audit.ts'
import { bookingChangesSchema } from '../../../shared/bookings/bookings.ts'
import {
  bookingDetailsRows,
  bookingDetailsText,
  selectBooking,
  writtenBookingJson,
  writtenBookingRows,
} from '../../../shared/bookings/bookings-shape.ts'
import { type Former, readFormer } from '../../../shared/changes/former.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { dataText, spanColumns } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Transaction, type WorkContext } from '../../runtime/context.ts'
import { queryIds, queryOnly, queryReply, requireRow } from '../../runtime/statements.ts'
import { ENDS_TOO_EARLY, isWithin, refuseInvalidChange, refuseUnbookable } from '../claims/checks.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { type BookingFacts, lockFacts, type Vehicle } from '../claims/facts.ts'
import { lockClaims } from '../claims/locks.ts'
import { requireWithin } from '../kit/building-limits.ts'
import { findETag, refuseFixed, requireMatch, requireVersion } from '../kit/preconditions.ts'
import {
  CHECK_IN_STATE,
  type CheckInState,
  changedCheckInWindow,
  checkInWindow,
  refuseCheckIn,
  refuseLost,
} from '../rules/check-in-windows.ts'
import { enforceRules, withOverridden } from '../rules/enforce-rules.ts'
import { moveClaim } from './claims.ts'

/** A booking before the write: its user, bookable and time, and its row for the audit log. */
type Present = CheckInState & {
  id: number
  bookable_id: number
  location_id: number
  user_id: number
  vehicle_id: number | null
  from: string
  to: string | null
  isForGuest: boolean
  /** False for a home office. */
  exclusive: boolean
  row: Record<string, unknown>
  former: Former
}

// Its placeholders are the base address and the id, in this order.
const SELECT_BOOKING = selectBooking('?', '?')
const NO_BOOKING = message`There is no booking with this id.`

type Names = 'bookings.update' | 'bookings.move' | 'bookings.check-in' | 'bookings.delete'

export const bookingHandlers: Handlers<Names> = {
  /** PUT and PATCH. A booking that is neither moved nor extended is not checked. */
  async 'bookings.update'(trx, input, context) {
    const { id } = input
    await lockClaimsOfBooking(trx, id)
    const before = await lockBooking(trx, id, context)
    await requireMatch(trx, input.if_match, SELECT_BOOKING, [context.baseUrl, id])
    await requireVersion(trx, 'bookings', id, input.version)
    refuseFixed(bookingChangesSchema, input, { ...before.row, location_id: before.location_id })
    const from = input.from_time === undefined ? before.from : (input.from_time ?? context.now)
    const span = { from, to: input.to_time }
    const facts = await lockFacts(trx, { ...before, user_vehicle_id: input.user_vehicle_id })
    refuseInvalidChange(input, span, facts)
    refuseEnded(before, context)
    // A deleted bookable has only past bookings; this write arrived in time but runs too late.
    if (!facts.bookable)
      throw new Refusal('booking_ended', message`The bookable of this booking no longer exists.`)
    const isChecked = !isWithin(span, before)
    if (isChecked) refuseUnbookable(facts.bookable)
    const overridden = isChecked ? await enforceChanged(trx, input, before, span, facts, context) : []
    const bookableId = before.bookable_id
    const vehicle = vehicleAfter(input, facts)
    await saveBooking(trx, before, { bookableId, span, facts, vehicle, overridden }, context)
    const reply = await finishBooking(trx, id, context)
    return new ReplyWithETag(reply, await findETag(trx, SELECT_BOOKING, [context.baseUrl, id]))
  },

  /** By administrators, to another bookable; the checks for a new booking there apply. */
  async 'bookings.move'(trx, input, context) {
    const { id, bookable_id } = input
    await lockClaimsOfBooking(trx, id, [bookable_id])
    const before = await lockBooking(trx, id, context)
    await requireVersion(trx, 'bookings', id, input.version)
    refuseEnded(before, context)
    const span = { from: input.from_time ?? before.from, to: input.to_time ?? before.to }
    const { user_id, vehicle_id } = before
    const facts = await lockFacts(trx, { bookable_id, user_id, user_vehicle_id: vehicle_id })
    refuseInvalidMove(before, span, facts, context)
    if (facts.bookable) refuseUnbookable(facts.bookable)
    if (!facts.user) throw new Refusal('not_found', message`The person of this booking has been deactivated.`)
    const overridden = await enforceChanged(trx, input, before, span, facts, context)
    const vehicle = facts.bookable?.isParkingSpot ? undefined : null
    await saveBooking(trx, before, { bookableId: bookable_id, span, facts, vehicle, overridden }, context)
    return finishBooking(trx, id, context)
  },

  /** Users confirm that they are there. A repeated check-in gets the same answer. */
  async 'bookings.check-in'(trx, { id }, context) {
    const { row: before, former, ...booking } = await lockBooking(trx, id, context)
    if (!booking.isCheckedIn) {
      refuseCheckIn(booking, context.now)
      const { after } = await queryOnly<{ after: unknown }>(
        trx,
        'UPDATE bookings SET checked_in_at = ?, updated_at = now() WHERE id = ? RETURNING to_jsonb(bookings) AS after',
        [context.now, id],
      )
      await audit(trx, context, { action: 'bookings.check-in', id, former, before, after })
    }
    const rows = `${bookingDetailsRows} WHERE bookings.id = ?`
    const text = await queryReply(trx, bookingDetailsText('?'), rows, [context.baseUrl, id])
    return new ReplyWithETag(text, etagOf(text))
  },

  async 'bookings.delete'(trx, { id, if_match }, context) {
    const { row: before, former } = await lockBooking(trx, id, context)
    await requireMatch(trx, if_match, SELECT_BOOKING, [context.baseUrl, id])
    await trx.raw('DELETE FROM bookings WHERE id = ?', [id])
    await audit(trx, context, { action: 'bookings.delete', id, former, before })
    return null
  },
}

/** Returns the overridden rules. A booking is not counted against itself. */
function enforceChanged(
  trx: Transaction,
  input: { overrides_rules?: boolean | undefined },
  { id, user_id: userId, isForGuest }: Present,
  span: OpenTimeRange,
  { rules }: BookingFacts,
  context: WorkContext,
): Promise<RefusalCode[]> {
  return enforceRules(trx, input, { facts: rules, userId, isForGuest, span, bookingId: id }, context)
}

type Change = {
  bookableId: number
  span: OpenTimeRange
  facts: BookingFacts
  vehicle: Vehicle | null | undefined
  overridden: RefusalCode[]
}

async function saveBooking(
  trx: Transaction,
  before: Present,
  { bookableId, span, facts, vehicle, overridden }: Change,
  context: WorkContext,
): Promise<void> {
  const { now } = context
  const { id, former } = before
  const hasVehicle = vehicle === undefined ? before.vehicle_id !== null : vehicle !== null
  const isMoved = bookableId !== before.bookable_id
  const checkIn = isMoved
    ? checkInWindow(facts.rules, span, now)
    : changedCheckInWindow(facts.rules, before, span, now)
  const subject = { bookable_id: bookableId, user_id: before.user_id, hasVehicle, now, id }
  const row = await moveClaim(trx, subject, { span, vehicle, checkIn, now })
  const after = withOverridden(row, overridden)
  await audit(trx, context, { action: 'bookings.update', id, former, before: before.row, after })
}

function refuseEnded(booking: Present, { now }: WorkContext) {
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
  { now }: WorkContext,
) {
  if (!bookable) throw invalid({ bookable_id: [message`There is no bookable with this id.`] })
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

// Undefined keeps the present vehicle. Only parking bookings keep one.
function vehicleAfter({ user_vehicle_id }: InputOf<'bookings.update'>, { bookable, vehicle }: BookingFacts) {
  if (user_vehicle_id === undefined) return undefined
  return (bookable?.isParkingSpot && vehicle) || null
}

/** The rooms of events are claims too, but not bookings in this part of the API. */
async function lockBooking(trx: Transaction, id: number, context: WorkContext): Promise<Present> {
  const found = await requireRow<Omit<Present, 'former'>>(
    trx,
    `SELECT id, bookable_id, user_id, vehicle_id, exclusive, ${spanColumns('bookings')}, ${CHECK_IN_STATE}, to_jsonb(bookings) AS row,
       (SELECT location_id FROM bookables WHERE bookables.id = bookable_id),
       guest_name IS NOT NULL OR guest_email IS NOT NULL AS "isForGuest"
     FROM bookings WHERE id = ? AND event_id IS NULL FOR UPDATE`,
    [id],
    NO_BOOKING,
  )
  await requireWithin(trx, context, 'bookings', id, NO_BOOKING)
  return { ...found, former: await readFormer(trx, 'bookings', [id]) }
}

/**
 * Locks the claims of the present bookable and of the wanted ones together, in the order of their ids, so that
 * two writes that swap times or desks wait for each other.
 */
async function lockClaimsOfBooking(trx: Transaction, bookingId: number, wanted: number[] = []) {
  const find = 'SELECT bookable_id AS id FROM bookings WHERE id = ? AND event_id IS NULL'
  await lockClaims(trx, [...(await queryIds(trx, find, [bookingId])), ...wanted])
}

const finishBooking = (trx: Transaction, id: number, { baseUrl }: WorkContext) =>
  queryReply(trx, dataText(writtenBookingJson('?')), `${writtenBookingRows} WHERE bookings.id = ?`, [
    baseUrl,
    id,
  ])
