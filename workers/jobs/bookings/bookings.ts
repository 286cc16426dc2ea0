// Changes and deletes bookings.
import { audit } from '../../../shared/audit/audit.ts'
import { bookingChangesSchema } from '../../../shared/bookings/bookings.ts'
import {
  selectBooking,
  writtenBookingJson,
  writtenBookingRows,
} from '../../../shared/bookings/bookings-shape.ts'
import { type Former, readFormer } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { dataText, spanColumns } from '../../../shared/schemas/json.ts'
import type { JsonText } from '../../../shared/utilities/json-text.ts'
import { rawConnection } from '../../runtime/connection.ts'
import { ReplyWithETag, type Transaction, type WorkContext } from '../../runtime/context.ts'
import { finishReply } from '../../runtime/finished-reply.ts'
import { isWithin, refuseInvalidChange, refuseUnbookable } from '../claims/checks.ts'
import type { Span } from '../claims/conflicts.ts'
import { type BookingFacts, lockBookingFacts } from '../claims/facts.ts'
import { lockClaims } from '../claims/locks.ts'
import { requireWithin } from '../kit/building-limits.ts'
import { refuseFixed } from '../kit/fixed-fields.ts'
import { findETag, requireMatch } from '../kit/preconditions.ts'
import { requireVersion } from '../kit/versions.ts'
import { CHECK_IN_STATE, type CheckInState, changedCheckInWindow } from '../rules/check-in-windows.ts'
import { withOverridden } from '../rules/overrides.ts'
import { refuseBrokenRules } from './changed-rules.ts'
import { refuseLost } from './check-ins.ts'
import { moveClaim } from './claims.ts'

/** A booking before the write: its user, bookable and time, and its row for the audit log. */
export type Present = CheckInState & {
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

const BOOKING = writtenBookingJson('?')
// Its placeholders are the base address and the id, in this order.
const SELECT_BOOKING = selectBooking('?', '?')
const NO_BOOKING = message`There is no booking with this id.`

/**
 * PUT and PATCH. Locks the claims of the bookable, so that two writes that swap times wait for each other.
 */
export async function updateBooking(
  trx: Transaction,
  input: InputOf<'bookings.update'>,
  context: WorkContext,
): Promise<ReplyWithETag<ReplyOf<'bookings.update'>>> {
  const { id } = input
  await lockClaimsOfBooking(trx, id)
  const before = await lockBooking(trx, id, context)
  await requireMatchingBooking(trx, input, context)
  await requireVersion(trx, 'bookings', id, input.version)
  refuseFixed(bookingChangesSchema, input, { ...before.row, location_id: before.location_id })
  const from = input.from_time === undefined ? before.from : (input.from_time ?? context.now)
  const span = { from, to: input.to_time }
  const subject = { ...before, user_vehicle_id: input.user_vehicle_id }
  const facts = onlyRow(await lockBookingFacts(await rawConnection(trx), [subject]))
  refuseInvalidChange(input, span, facts)
  refuseEnded(before, context)
  // A deleted bookable has only past bookings; this write arrived in time but runs too late.
  if (!facts.bookable)
    throw new Refusal('booking_ended', message`The bookable of this booking no longer exists.`)
  const overridden = await refuseMove(trx, { input, before, span, facts }, context)
  const vehicle = vehicleAfter(input, facts)
  const hasVehicle = vehicle === undefined ? before.vehicle_id !== null : vehicle !== null
  const checkIn = changedCheckInWindow(facts.rules, before, span, context.now)
  const change = { span, vehicle, checkIn, now: context.now }
  const { row } = await moveClaim(trx, { ...before, id, hasVehicle, now: context.now }, change)
  const { former } = before
  const entry = { action: 'bookings.update', resource: 'bookings', resourceId: id, former } as const
  await audit(trx, context, { ...entry, before: before.row, after: withOverridden(row, overridden) })
  const reply = await finishBooking(trx, id, context)
  return new ReplyWithETag(reply, await findETag(trx, SELECT_BOOKING, [context.baseUrl, id]))
}

export async function deleteBooking(
  trx: Transaction,
  { id, if_match }: InputOf<'bookings.delete'>,
  context: WorkContext,
): Promise<ReplyOf<'bookings.delete'>> {
  const { row, former } = await lockBooking(trx, id, context)
  await requireMatchingBooking(trx, { id, if_match }, context)
  await trx.raw('DELETE FROM bookings WHERE id = ?', [id])
  const entry = { action: 'bookings.delete', resource: 'bookings', resourceId: id, former } as const
  await audit(trx, context, { ...entry, before: row })
  return null
}

type Move = { input: InputOf<'bookings.update'>; before: Present; span: Span; facts: BookingFacts }

/** A booking that is neither moved nor extended is not checked. Returns the overridden rules. */
async function refuseMove(trx: Transaction, move: Move, context: WorkContext): Promise<RefusalCode[]> {
  const { before, span, facts } = move
  if (!facts.bookable || isWithin(span, before)) return []
  refuseUnbookable(facts.bookable)
  return refuseBrokenRules(trx, move, context)
}

/** The row is locked already. */
function requireMatchingBooking(
  trx: Transaction,
  { id, if_match }: InputOf<'bookings.delete'>,
  { baseUrl }: WorkContext,
): Promise<void> {
  return requireMatch(trx, if_match, SELECT_BOOKING, [baseUrl, id])
}

export function refuseEnded(booking: Present, { now }: WorkContext) {
  refuseLost(booking, now)
  const { to, zone } = booking
  if (to === null || to > now) return
  throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }} and cannot be changed.`)
}

// Undefined keeps the present vehicle. Only parking bookings keep one.
function vehicleAfter({ user_vehicle_id }: InputOf<'bookings.update'>, { bookable, vehicle }: BookingFacts) {
  if (user_vehicle_id === undefined) return undefined
  return (bookable?.isParkingSpot && vehicle) || null
}

/** The rooms of events are claims too, but not bookings in this part of the API. */
export async function lockBooking(trx: Transaction, id: number, context: WorkContext): Promise<Present> {
  const { rows } = await trx.raw(
    `SELECT bookable_id, user_id, vehicle_id, exclusive, ${spanColumns('bookings')}, ${CHECK_IN_STATE}, to_jsonb(bookings) AS row,
       (SELECT location_id FROM bookables WHERE bookables.id = bookable_id),
       guest_name IS NOT NULL OR guest_email IS NOT NULL AS "isForGuest"
     FROM bookings WHERE id = ? AND event_id IS NULL FOR UPDATE`,
    [id],
  )
  const found: Omit<Present, 'former'> | undefined = rows[0]
  if (!found) throw new Refusal('not_found', NO_BOOKING)
  await requireWithin(trx, context, 'bookings', id, NO_BOOKING)
  return { ...found, former: await readFormer(trx, 'bookings', [id]) }
}

/** Locks the claims of its present bookable and of the wanted ones. */
export async function lockClaimsOfBooking(trx: Transaction, bookingId: number, wanted: number[] = []) {
  const { rows } = await trx.raw('SELECT bookable_id FROM bookings WHERE id = ? AND event_id IS NULL', [
    bookingId,
  ])
  await lockClaims(trx, [...rows.map((row: { bookable_id: number }) => row.bookable_id), ...wanted])
}

export async function finishBooking(
  trx: Transaction,
  id: number,
  { baseUrl }: WorkContext,
): Promise<JsonText<ReplyOf<'bookings.update'>>> {
  const statement = (text: string) => `SELECT ${text} FROM ${writtenBookingRows} WHERE bookings.id = ?`
  return (await finishReply(trx, dataText(BOOKING), statement, [baseUrl, id])).text
}
