// Moves bookings in time or to another bookable. The exclusion constraint decides whether there is room.

import { rawConnection } from '../../runtime/connection.ts'
import type { Transaction } from '../../runtime/context.ts'
import { constraintRefusal } from '../../runtime/refusals.ts'
import { queryOnly } from '../../runtime/statements.ts'
import { findConflict, type OpenTimeRange, type Subject } from '../claims/conflicts.ts'
import type { Vehicle } from '../claims/facts.ts'
import type { CheckInWindow } from '../rules/check-in-windows.ts'

/** If `vehicle` is undefined, the present one stays; null clears it. */
type Move = {
  span: OpenTimeRange
  vehicle: Vehicle | null | undefined
  checkIn: CheckInWindow
  now: string
}

/**
 * Returns the row as the audit log stores it. The caller holds the claim locks of the present bookable and of
 * the subject's, which is the new one. A new start in the future needs a new check-in. Runs in a savepoint, because a broken constraint would otherwise
 * abort the transaction before the conflict can be looked up.
 */
export async function moveClaim(
  trx: Transaction,
  subject: Subject & { id: number },
  { span, vehicle, checkIn, now }: Move,
): Promise<unknown> {
  const vehicleChange = vehicle === undefined ? '' : ', vehicle_id = :vehicle, license_plate = :plate'
  const values = {
    ...span,
    now,
    opens: checkIn.from,
    closes: checkIn.until,
    id: subject.id,
    bookable: subject.bookable_id,
    vehicle: vehicle?.id ?? null,
    plate: vehicle?.licensePlate ?? null,
  }
  try {
    const { row } = await trx.transaction((savepoint) =>
      queryOnly<{ row: unknown }>(
        savepoint,
        `UPDATE bookings SET bookable_id = :bookable, during = tstzrange(:from, :to), updated_at = now(),
           check_in_from = :opens, check_in_until = :closes, checked_in_at = CASE
             WHEN lower(during) = :from OR CAST(:from AS timestamptz) <= CAST(:now AS timestamptz) THEN checked_in_at
           END ${vehicleChange}
         WHERE id = :id RETURNING to_jsonb(bookings) AS row`,
        values,
      ),
    )
    return row
  } catch (error) {
    const refusal = constraintRefusal(error)
    if (!refusal) throw error
    throw (await findConflict(await rawConnection(trx), subject, span)) ?? refusal
  }
}
