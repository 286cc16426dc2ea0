// Checks the current state of the booking that an action is about. A stale tab may show an older state: if the booking has been
// cancelled, moved or ended since, the action is refused, and the refusal says what has changed.
import { message } from '../../../shared/messages/message.ts'
import { Refusal, type RefusalCode } from '../../../shared/messages/refusal.ts'
import { object, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { number, selectRow } from '../../reads/rows/rows.ts'
import type { ActionCall, Call } from '../pages/page/page.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import { findOwnBooking, type OwnBooking } from './own-bookings.ts'

/** `seen` is the state of the booking that the page showed. */
export const oneBooking = object({ id: required(queryId()), seen: text({ max: 200 }) })
type BookingForm = { id: number; seen?: string | undefined }

/** The hidden fields of a form for this booking. */
export const bookingFields = (booking: OwnBooking) => ({ id: booking.id, seen: describeSeen(booking) })

const describeSeen = ({ bookableId, from, to }: OwnBooking) => [bookableId, from, to ?? ''].join(' ')

const CANCELLED = message`This booking has been cancelled already.`
const UNKNOWN = message`You have no such booking.`

type BookingCall = ActionCall<unknown, unknown, BookingForm>

/**
 * Ends the booking now, or cancels it if it has not begun. Returns its former state, or undefined if the same form is sent twice
 * (a double click), which then gets the first answer again.
 */
export async function endBooking(call: BookingCall): Promise<OwnBooking | undefined> {
  const { id } = call.form
  const booking = await findUnchanged(call)
  const { data } = await call.dispatch('bookings.cancel', { ids: [id] })
  if (data.kept.length > 0) throw await explainGone(call)
  return booking
}

export async function checkIn(call: BookingCall): Promise<void> {
  const { id } = call.form
  await findUnchanged(call)
  try {
    await call.dispatch('bookings.check-in', { id })
  } catch (error) {
    if (error instanceof Refusal && GONE.includes(error.code)) throw await explainGone(call)
    throw error
  }
}

const GONE: RefusalCode[] = ['not_found', 'booking_ended']

async function findUnchanged(call: BookingCall): Promise<OwnBooking | undefined> {
  const { id, seen } = call.form
  const found = await findOwnBooking(call, id)
  if (!found || isOver(found, call.now) || seen === undefined || seen === describeSeen(found)) return found
  const { from, to, zone } = found
  throw new Refusal(
    'changed_meanwhile',
    message`This booking has changed: it is now ${formatPlace(found)}, ${{ from, to, zone }}. Try again if you still want to.`,
  )
}

const isOver = ({ to }: OwnBooking, now: string) => to !== null && to <= now

async function explainGone(call: BookingCall): Promise<Refusal> {
  const found = await findOwnBooking(call, call.form.id)
  if (!found) return new Refusal('not_found', (await isCancelled(call, call.form.id)) ? CANCELLED : UNKNOWN)
  const ended = message`Your booking of ${formatPlace(found)} has ended already, on ${{ at: found.to ?? call.now, zone: found.zone }}.`
  return new Refusal('booking_ended', ended)
}

async function isCancelled({ reads, requirePerson }: Call, id: number): Promise<boolean> {
  const columns = { id: number('booking_id') }
  const from = 'cancelled_bookings WHERE booking_id = $1 AND user_id = $2 LIMIT 1'
  return (await selectRow(reads, columns, from, [id, requirePerson().id])) !== undefined
}
