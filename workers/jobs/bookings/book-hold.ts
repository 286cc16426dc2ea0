// Turns a hold into a booking, with all checks of a new booking. The same transaction frees the hold.
import { parseJsonText } from '../../../shared/utilities/json-text.ts'
import type { Write } from '../../runtime/write.ts'
import { freeHold, type Hold } from '../claims/holds.ts'
import { createOneBooking } from './creations.ts'
import type { NewBookingInput } from './insert-bookings.ts'

/** Books what a hold reserves. The hold must be locked. Returns the id of the booking. */
export async function bookHold(
  write: Write,
  hold: Hold,
  more: Pick<NewBookingInput, 'is_approved' | 'is_for_other'>,
): Promise<number> {
  await freeHold(write, hold)
  const { from, to, vehicle_id, guest_name, guest_email, booking_info, bookable_id, user_id } = hold
  const booked = { bookable_id, user_id, from_time: from, to_time: to }
  const details = { user_vehicle_id: vehicle_id, guest_name, guest_email, booking_info }
  const created = await createOneBooking(write, { ...booked, ...details, ...more })
  return parseJsonText(created).data[0].id
}
