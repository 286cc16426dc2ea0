// Claims of bookings: inserted and moved against the exclusion constraint, which alone decides whether there is room.
import { onlyRow } from '../../../shared/database.ts'
import type { InputOf } from '../../../shared/jobs.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { constraintRefusal } from '../../constraints.ts'
import type { Transaction } from '../../context.ts'
import { findConflict, type OpenSpan, type Span, type Subject } from './conflicts.ts'
import type { BookingFacts, Vehicle } from './facts.ts'

/** What to_time says is in its span. */
export type NewBooking = InputOf<'bookings.create-open'>

/** A booking's row as the audit log keeps it. */
export type Claimed = { id: number; row: unknown }

// A claim in the way may be gone again before it can be named; then there is room after all.
const INSERT_TRIES = 5

export async function claimBookable(
  trx: Transaction,
  input: NewBooking,
  span: OpenSpan,
  facts: BookingFacts,
): Promise<Claimed> {
  const subject = { ...input, hasVehicle: facts.vehicle !== undefined }
  for (let tries = 0; tries < INSERT_TRIES; tries++) {
    const claimed = await insertBooking(trx, input, span, facts)
    if (claimed) return claimed
    const conflict = await findConflict(trx, subject, span)
    if (conflict) throw conflict
  }
  throw new Refusal('booking_conflict', 'Others are booking and cancelling this time right now. Try again.')
}

// Never a plain INSERT: inserters that wait on each other for the exclusion constraint deadlock, those that may do
// nothing do not.
async function insertBooking(
  trx: Transaction,
  input: NewBooking,
  { from, to }: OpenSpan,
  { bookable, vehicle }: BookingFacts,
): Promise<Claimed | undefined> {
  const parked = bookable?.isParkingSpot ? vehicle : undefined
  const { rows } = await trx.raw(
    `INSERT INTO bookings
       (bookable_id, user_id, during, exclusive, guest_name, guest_email, booking_info, vehicle_id, license_plate)
     VALUES (?, ?, tstzrange(?, ?), ?, ?, ?, ?, ?, ?)
     ON CONFLICT ON CONSTRAINT bookings__no_overlap DO NOTHING
     RETURNING id, to_jsonb(bookings) AS row`,
    [
      input.bookable_id,
      input.user_id,
      from,
      to,
      !bookable?.isHomeOffice,
      input.guest_name || null,
      input.guest_email ?? null,
      input.booking_info || null,
      parked?.id ?? null,
      parked?.licensePlate ?? null,
    ],
  )
  return rows[0]
}

/**
 * Its bookable's lock is held. `vehicle` undefined keeps the present one, null clears it. In a savepoint: a broken
 * constraint would otherwise end the transaction before it can be said what is in the way.
 */
export async function moveClaim(
  trx: Transaction,
  subject: Subject & { id: number },
  span: Span,
  vehicle: Vehicle | null | undefined,
): Promise<Claimed> {
  const vehicleChange = vehicle === undefined ? '' : ', vehicle_id = :vehicle, license_plate = :plate'
  const values = {
    ...span,
    id: subject.id,
    vehicle: vehicle?.id ?? null,
    plate: vehicle?.licensePlate ?? null,
  }
  try {
    const { rows } = await trx.transaction((savepoint) =>
      savepoint.raw(
        `UPDATE bookings SET during = tstzrange(:from, :to), updated_at = now() ${vehicleChange} WHERE id = :id
         RETURNING id, to_jsonb(bookings) AS row`,
        values,
      ),
    )
    return onlyRow<Claimed>(rows)
  } catch (error) {
    const refusal = constraintRefusal(error)
    if (!refusal) throw error
    throw (await findConflict(trx, subject, span)) ?? refusal
  }
}
