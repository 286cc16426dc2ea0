// Bookings: taking one back.
import { object, pathId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { backPath, backQuery } from '../framework/back.ts'
import { page } from '../framework/page.ts'
import { formatInstant } from '../time/instants.ts'
import { confirmation } from '../ui/forms.ts'
import { isOver, requireBooking } from './booking.ts'
import { findBooking, missingBooking } from './queries.ts'

export const cancelBooking = page({
  path: '/bookings/{id}/cancel',
  title: 'Cancel booking',
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingBooking,
  actions: (action) => ({
    cancel: action(object({}), async (call) => {
      // Sent twice it is gone already: the same form gets the same answer all the same.
      const found = await findBooking(call.reads, call.params.id)
      if (found && isOver(found, call.now)) {
        throw new Refusal('booking_ended', 'This booking is over and can no longer be cancelled.')
      }
      await call.dispatch('bookings.delete', { id: call.params.id })
      const what = found ? ` of ${found.bookable} for ${found.user}` : ''
      return { redirectTo: call.link(backPath(call, '/bookings')), notice: `Booking${what} cancelled.` }
    }),
  }),
  async show(call) {
    const found = await requireBooking(call)
    const { id, bookable, user, from, to, zone, location } = found
    const until = to === null ? 'open-ended' : `to ${formatInstant(to, zone)}`
    return {
      breadcrumbs: [
        ['Bookings', backPath(call, '/bookings')],
        [`${bookable} for ${user}`, `/bookings/${id}`],
      ],
      ...confirmation(call, {
        question: `Cancel the booking of ${bookable}?`,
        consequence: `${user} has it from ${formatInstant(from, zone)}, ${until} (${location}). Others can book this time again. The audit log keeps a record.`,
        action: 'cancel',
        submit: 'Cancel booking',
        cancel: call.link(`/bookings/${id}`, { back: call.query.back }),
      }),
    }
  },
})
