// Checks the current state of the booking that an action is about. A stale tab may show an older state. If
// the booking has since been cancelled, moved or ended, the action is refused, and the refusal says what has
// changed.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { numberColumn, selectRow } from '../../../reads/rows/rows.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { findOwnBooking, type OwnBooking } from './own-bookings.ts'

/** A form about a booking. `seen` is the state of the booking that the page showed. */
export const bookingIdForm = object({ id: required(queryId()), seen: text({ max: 200 }) })
type BookingForm = { id: number; seen?: string | undefined }

/** Returns the hidden fields of a form about this booking. */
export const createHiddenBookingFields = (booking: OwnBooking) => ({
  id: booking.id,
  seen: formatSeenState(booking),
})

const formatSeenState = ({ bookableId, from, to }: OwnBooking) => [bookableId, from, to ?? ''].join(' ')

const BOOKING_CANCELLED = message`This booking has already been cancelled.`
const BOOKING_NOT_FOUND = message`You do not have this booking.`

type BookingCall = ActionCall<unknown, unknown, BookingForm>

/** Ends the booking now, or cancels it if it has not begun. Returns the booking as it was before. Returns
 * undefined if the same form is sent twice (a double click); the second request then gets the first response
 * again. */
export async function endBooking(call: BookingCall): Promise<OwnBooking | undefined> {
  const { id } = call.form
  const booking = await findUnchangedBooking(call)
  const { data } = await call.dispatch('bookings.cancel', { ids: [id] })
  if (data.kept.length > 0) throw await explainGoneBooking(call)
  return booking
}

export async function checkIn(call: BookingCall): Promise<void> {
  const { id } = call.form
  await findUnchangedBooking(call)
  try {
    await call.dispatch('bookings.check-in', { id })
  } catch (error) {
    if (error instanceof Refusal && GONE_REFUSALS.includes(error.code)) throw await explainGoneBooking(call)
    throw error
  }
}

const GONE_REFUSALS: RefusalCode[] = ['not_found', 'booking_ended']

async function findUnchangedBooking(call: BookingCall): Promise<OwnBooking | undefined> {
  const { id, seen } = call.form
  const found = await findOwnBooking(call, id)
  if (!found || hasEnded(found, call.now) || seen === undefined || seen === formatSeenState(found))
    return found
  const { from, to, zone } = found
  throw new Refusal(
    'changed_meanwhile',
    message`This booking has changed: it is now ${formatPlace(found)}, ${{ from, to, zone }}. Try again if you still want to.`,
  )
}

const hasEnded = ({ to }: OwnBooking, now: string) => to !== null && to <= now

async function explainGoneBooking(call: BookingCall): Promise<Refusal> {
  const found = await findOwnBooking(call, call.form.id)
  if (!found)
    return new Refusal(
      'not_found',
      (await isCancelled(call, call.form.id)) ? BOOKING_CANCELLED : BOOKING_NOT_FOUND,
    )
  const ended = message`Your booking of ${formatPlace(found)} already ended on ${{ at: found.to ?? call.now, zone: found.zone }}.`
  return new Refusal('booking_ended', ended)
}

async function isCancelled({ reads, requirePerson }: Call, id: number): Promise<boolean> {
  const columns = { id: numberColumn('booking_id') }
  const from = 'cancelled_bookings WHERE booking_id = $1 AND user_id = $2 LIMIT 1'
  return (await selectRow(reads, columns, from, [id, requirePerson().id])) !== undefined
}
