// Turns the booking of a room into an event. The event replaces the booking in one transaction with the checks of both,
// so that nobody else can take the room in between.
import { getOnlyRow } from '../../../shared/database/database.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { type Handlers, performSingleWrite } from '../../runtime/write.ts'
import { bookingDeletions } from '../bookings/bookings.ts'
import { lockBookings } from '../bookings/present-bookings.ts'
import { lockClaimsOfBookings } from '../claims/locks.ts'
import { eventCreations } from './events.ts'

export const fromBookingHandlers: Handlers<'events.create-from-booking'> = {
  async 'events.create-from-booking'(write, { booking_id, name, attendees, invite }) {
    const connection = await write.connection()
    const asked = { id: booking_id }
    await lockClaimsOfBookings(connection, [booking_id], [])
    const booking = getOnlyRow(await lockBookings(connection, [{ input: asked, context: write }]))
    if (booking instanceof Refusal) throw booking
    const { bookable_id, user_id, from, to, zone } = booking
    if (to === null) throw invalidFields({ booking_id: [message`The booking has no end. Enter one first.`] })
    if (to <= write.now)
      throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }}.`)
    await performSingleWrite(bookingDeletions, write, asked)
    // The booked room needs no further approval. The approval does not include other rooms.
    const isOnlyRoom = !attendees?.some(({ type }) => type === 'bookable')
    return performSingleWrite(eventCreations, write, {
      name,
      from_time: from,
      to_time: to,
      from_timezone: zone,
      to_timezone: zone,
      organizer_user_id: user_id,
      attendees: [{ type: 'bookable', id: bookable_id }, ...(attendees ?? [])],
      invite,
      is_approved: isOnlyRoom,
    })
  },
}
