// Saves a booking at another time or on another bookable, if the rules allow it. The exclusion constraint decides
// whether there is room.
import type { Former } from '../../../shared/changes/former.ts'
import { message } from '../../../shared/messages/message.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { constraintRefusal } from '../../runtime/refusals.ts'
import type { Write } from '../../runtime/write.ts'
import { findConflict, type OpenTimeRange } from '../claims/conflicts.ts'
import type { BookingFacts, Vehicle } from '../claims/facts.ts'
import { requireInTokenBuildings } from '../kit/preconditions.ts'
import {
  CHECK_IN_STATE,
  type CheckInState,
  changedCheckInWindow,
  checkInWindow,
} from '../rules/check-in-windows.ts'
import { enforceRules, type Overridable, withOverridden } from '../rules/enforce-rules.ts'

/** A booking before the write: its user, bookable and time, and its row for the audit log. */
export type Present = CheckInState & {
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

const NO_BOOKING = message`There is no booking with this id.`

/** The rooms of events are claims too, but not bookings in this part of the API. */
export async function lockBooking(write: Write, id: number): Promise<Present> {
  const found = await write.requireRow<Omit<Present, 'former'>>(
    `SELECT id, bookable_id, user_id, vehicle_id, exclusive, ${spanColumns('bookings')}, ${CHECK_IN_STATE}, to_jsonb(bookings) AS row,
       (SELECT location_id FROM bookables WHERE bookables.id = bookable_id),
       guest_name IS NOT NULL OR guest_email IS NOT NULL AS "isForGuest"
     FROM bookings WHERE id = ? AND event_id IS NULL FOR UPDATE`,
    [id],
    NO_BOOKING,
  )
  await requireInTokenBuildings(write, 'bookings', [id], NO_BOOKING)
  return { ...found, former: await write.readFormer('bookings', [id]) }
}

type Change = {
  bookableId: number
  span: OpenTimeRange
  facts: BookingFacts
  /** Undefined keeps the present vehicle; null clears it. */
  vehicle: Vehicle | null | undefined
  /** Without it, the rules are not checked. */
  overridable: Overridable | undefined
}

/** The caller holds the claim locks of both bookables. A new start in the future needs a new check-in. */
export async function saveBooking(
  write: Write,
  before: Present,
  { bookableId, span, facts, vehicle, overridable }: Change,
): Promise<void> {
  const { now } = write
  const { id, former, user_id: userId, isForGuest } = before
  // A booking is not counted against itself.
  const checked = { facts: facts.rules, userId, isForGuest, span, bookingId: id }
  const overridden = overridable ? await enforceRules(write, overridable, checked) : []
  const checkIn =
    bookableId === before.bookable_id
      ? changedCheckInWindow(facts.rules, before, span, now)
      : checkInWindow(facts.rules, span, now)
  const values = {
    ...span,
    now,
    opens: checkIn.from,
    closes: checkIn.until,
    id,
    bookable: bookableId,
    ...(vehicle === undefined ? {} : { vehicle: vehicle?.id ?? null, plate: vehicle?.licensePlate ?? null }),
  }
  try {
    // In a savepoint, because a broken constraint would abort the transaction before the conflict can be read.
    const { rows } = await write.trx.transaction((savepoint) =>
      savepoint.raw(
        `UPDATE bookings SET bookable_id = :bookable, during = tstzrange(:from, :to), updated_at = now(),
           check_in_from = :opens, check_in_until = :closes, checked_in_at = CASE
             WHEN lower(during) = :from OR CAST(:from AS timestamptz) <= CAST(:now AS timestamptz) THEN checked_in_at
           END ${vehicle === undefined ? '' : ', vehicle_id = :vehicle, license_plate = :plate'}
         WHERE id = :id RETURNING to_jsonb(bookings) AS row`,
        values,
      ),
    )
    const after = withOverridden(rows[0].row, overridden)
    await write.audit({ action: 'bookings.update', id, former, before: before.row, after })
  } catch (error) {
    const refusal = constraintRefusal(error)
    if (!refusal) throw error
    const hasVehicle = vehicle === undefined ? before.vehicle_id !== null : vehicle !== null
    const subject = { bookable_id: bookableId, user_id: userId, hasVehicle, now, id }
    throw (await findConflict(await write.connection(), subject, span)) ?? refusal
  }
}
