// Bookings: taking one back.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { page } from '../framework/page.ts'
import { formatInstant } from '../time/instants.ts'
import { confirmation } from '../ui/forms.ts'
import { isOver, noBooking, requireBooking } from './booking.ts'
import { findBooking } from './queries.ts'

export const cancelBooking = page({
  path: '/bookings/{id}/cancel',
  title: 'Cancel a booking',
  section: 'Bookings',
  params: object({ id: pathId() }),
  missing: noBooking,
  actions: (action) => ({
    cancel: action(object({}), async (call) => {
      // Sent twice it is gone already: the same form gets the same answer all the same.
      const found = await findBooking(call.reads, call.params.id)
      if (found && isOver(found, call.now)) {
        throw new Refusal('booking_ended', 'The booking is over, and stays as it was.')
      }
      await call.dispatch('bookings.delete', { id: call.params.id })
      const what = found ? ` of ${found.bookable} by ${found.user}` : ''
      return { redirectTo: call.link('/bookings'), notice: `The booking${what} is cancelled.` }
    }),
  }),
  async show(call) {
    const found = await requireBooking(call)
    const { id, bookable, user, from, to, zone, location } = found
    const until = to === null ? 'open-ended' : `to ${formatInstant(to, zone)}`
    return {
      breadcrumbs: [
        ['Bookings', '/bookings'],
        [`${bookable} for ${user}`, `/bookings/${id}`],
      ],
      ...confirmation(call, {
        question: `Cancel the booking of ${bookable}?`,
        consequence: `${user} has it from ${formatInstant(from, zone)}, ${until} (${location}). It is deleted, and the place is free. The audit log keeps it.`,
        action: 'cancel',
        submit: 'Cancel the booking',
        cancel: call.link(`/bookings/${id}`),
        cancelLabel: 'Keep it',
      }),
    }
  },
})
