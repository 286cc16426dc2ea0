// Books what a hold keeps, in the transaction that frees it, with all checks of a new booking.
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import type { Write } from '../../runtime/write.ts'
import { freeHold, type Hold } from '../claims/holds.ts'
import { createOne } from './creations.ts'

/** The row of the hold is locked. Returns the id of the booking. */
export async function bookHold(
  write: Write,
  hold: Hold,
  { is_approved }: { is_approved: boolean },
): Promise<number> {
  await freeHold(write, hold)
  const { from, to, vehicle_id, guest_name, guest_email, booking_info, ...who } = hold
  const { bookable_id, location_id, user_id } = who
  const booked = { bookable_id, location_id, user_id, from_time: from, to_time: to }
  const details = { user_vehicle_id: vehicle_id, guest_name, guest_email, booking_info }
  const created = await createOne(write, { ...booked, ...details, is_approved })
  return parseJsonText(created).data[0].id
}
