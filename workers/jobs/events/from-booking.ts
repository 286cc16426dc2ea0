// Makes a meeting of a booked room: the event takes the place of the booking, in one transaction with all checks of both, so
// that nobody else gets the room in between.
import { onlyRow } from '../../../shared/database/database.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { type Handlers, performOne } from '../../runtime/write.ts'
import { deletions } from '../bookings/bookings.ts'
import { lockBookings } from '../bookings/present-bookings.ts'
import { lockClaimsOfBookings } from '../claims/locks.ts'
import { eventCreations } from './events.ts'

export const fromBookingHandlers: Handlers<'events.create-from-booking'> = {
  async 'events.create-from-booking'(write, { booking_id, name, attendees }) {
    const connection = await write.connection()
    const asked = { id: booking_id }
    await lockClaimsOfBookings(connection, [booking_id], [])
    const booking = onlyRow(await lockBookings(connection, [{ input: asked, context: write }]))
    if (booking instanceof Refusal) throw booking
    const { bookable_id, user_id, from, to, zone } = booking
    if (to === null) throw invalid({ booking_id: [message`The booking has no end. Enter one first.`] })
    if (to <= write.now)
      throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }}.`)
    await performOne(deletions, write, asked)
    return performOne(eventCreations, write, {
      name,
      from_time: from,
      to_time: to,
      from_timezone: zone,
      to_timezone: zone,
      organizer_user_id: user_id,
      attendees: [{ type: 'bookable', id: bookable_id }, ...(attendees ?? [])],
    })
  },
}
