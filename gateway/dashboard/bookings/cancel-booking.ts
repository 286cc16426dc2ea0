// The page that cancels a booking.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { formatInstant } from '../time/instants.ts'
import { confirmation } from '../ui/forms.ts'
import { isOver, requireBooking } from './booking.ts'
import { type BookingRow, findBooking, missingBooking } from './queries.ts'

export const cancelBooking = page({
  path: '/bookings/{id}/cancel',
  title: sentence`Cancel booking`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingBooking,
  actions: (action) => ({
    cancel: action(object({}), async (call) => {
      // If the form is sent twice, the second request finds no booking. It succeeds like the first.
      const found = await findBooking(call.reads, call.params.id)
      if (found && isOver(found, call.now)) {
        throw new Refusal('booking_ended', message`This booking is over and can no longer be cancelled.`)
      }
      await call.dispatch('bookings.delete', { id: call.params.id })
      const notice = found
        ? t`Booking of ${found.bookable} for ${found.user} cancelled.`
        : t`Booking cancelled.`
      return { redirectTo: call.link(backPath(call, '/bookings')), notice }
    }),
  }),
  async show(call) {
    const found = await requireBooking(call)
    const { id, bookable, user } = found
    return {
      breadcrumbs: [
        [t`Bookings`, backPath(call, '/bookings')],
        [t`${bookable} for ${user}`, keepBack(call, `/bookings/${id}`)],
      ],
      ...confirmation(call, {
        question: t`Cancel the booking of ${bookable}?`,
        consequence: `${describe(found)} ${t`Others can book this time again. The audit log keeps a record.`}`,
        action: 'cancel',
        submit: t`Cancel booking`,
        cancel: call.link(keepBack(call, `/bookings/${id}`)),
      }),
    }
  },
})

function describe({ user, from, to, zone, location }: BookingRow): string {
  const start = formatInstant(from, zone)
  return to === null
    ? t`Booked by ${user} from ${start}, open-ended (${location}).`
    : t`Booked by ${user} from ${start}, to ${formatInstant(to, zone)} (${location}).`
}
