// Books a place for a colleague, if a rule of the place allows it. The booking belongs to the colleague, so the rules
// for the colleague apply.
import type { InputOf } from '../../../../shared/jobs/jobs.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { t } from '../../locales/translate.ts'
import type { ActionCall } from '../../pages/page/page.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { requireColleague } from './invited.ts'
import { isBecauseOfOtherBookings } from './reword-refusal.ts'
import { canBookForColleague } from './seat-form.ts'
import { isBookableFor, type SeatDetails } from './seats.ts'
import { formatWantedTime, type WantedTime } from './wanted-time.ts'

type ColleagueBooking = {
  seat: SeatDetails
  time: WantedTime
  booking: InputOf<'bookings.create'>
  /** Whether the form asks for several days. */
  isSeveral: boolean
}

export async function bookForColleague(
  call: ActionCall<unknown, unknown, { overrides_absence?: boolean | undefined }>,
  typed: string,
  { seat, time, booking, isSeveral }: ColleagueBooking,
) {
  const refuse = (detail: Message) => invalidFields({ colleague: [detail] })
  if (isSeveral) throw refuse(message`To book for a colleague, book one day at a time.`)
  if (booking.guest_name || booking.guest_email)
    throw refuse(message`Book either for a colleague or for a guest.`)
  const { id, name } = await requireColleague(call, typed)
  if (!canBookForColleague(seat) || !(await isBookableFor(call, seat, id)))
    throw refuse(message`You cannot book ${seat.name} for ${name}.`)
  try {
    const { overrides_absence = false } = call.form
    const wanted = { ...booking, user_id: id, user_vehicle_id: null, overrides_absence }
    await call.dispatch('bookings.create', wanted)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'not_for_this_user') throw refuse(message`You cannot book ${seat.name} for ${name}.`)
    throw isBecauseOfOtherBookings(error) ? refuse(error.detail) : error
  }
  const place = formatPlace({ ...seat, bookable: seat.name })
  return { redirectTo: call.link('/'), notice: t`${place} is booked for ${name}: ${formatWantedTime(time)}.` }
}
