// The page of one of the person's bookings: a card with everything about it and its actions. My day opens the page in a
// sheet. After the person has booked something, the page confirms the booking.
import type { InferType } from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { isAfterField } from '../../../../shared/schemas/inputs.ts'
import { dateTime } from '../../../../shared/schemas/times.ts'
import { numberColumn, selectRow } from '../../../reads/rows/rows.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { getSeveralScope, scopeFields, type scopeForm } from '../../pages/bookings/series-scope.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { formatSpan } from '../../pages/time/spans.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { listOtherTimes, readPlaceTimes } from '../book/bookable-times.ts'
import { type BookedSpan, listFreeSeats } from '../book/seats.ts'
import { showBookingCard } from './booking-card.ts'
import { parseChosenSpan, showAlternativesOfChange } from './change-refused.ts'
import { listNearColleagues } from './near-people.ts'
import { findOwnBooking, type OwnBooking } from './own-bookings.ts'
import { bookingIdForm, checkIn, endBooking } from './present-booking.ts'

const BOOKING_NOT_FOUND = message`You do not have this booking, or it is over.`
const OTHER_SEATS_MAX = 5

const typedTimesForm = object({
  from_time: required(localDateTime()),
  to_time: required(localDateTime()).test(...isAfterField('from_time')),
  ...scopeFields,
})
/** The form with a button for each time, which sends both instants, separated by a space. */
const chosenTimeForm = object({ span: required(text({ max: 100 })), ...scopeFields })
const moveForm = object({ bookable: required(queryId()), from: dateTime(), to: dateTime() })

type BookingCall = Call<{ id: number }>
type ScopedAction = ActionCall<{ id: number }, unknown, InferType<typeof scopeForm>>

export const bookingPage = definePage({
  path: '/bookings/{id}',
  title: sentence`Booking`,
  section: 'My day',
  params: object({ id: pathId() }),
  missing: BOOKING_NOT_FOUND,
  actions: (action) => ({
    'change-time': action(typedTimesForm, async (call) => {
      const booking = await requireBooking(call)
      const { zone, ...present } = booking
      const { from = present.from, to } = parseSpan(call.form, { from: zone, to: zone }, present)
      if (!to) throw invalidFields({ to_time: [message`Enter the end.`] })
      return changeTime(call, booking, { from, to })
    }),
    'set-time': action(chosenTimeForm, async (call) => {
      const span = parseChosenSpan(call.form.span)
      if (!span) throw new Refusal('malformed_body', message`This form does not belong to this page.`)
      return changeTime(call, await requireBooking(call), span)
    }),
    move: action(moveForm, async (call) => {
      const { bookable: bookable_id, from, to: to_time } = call.form
      const starts = from ?? (await requireBooking(call)).from
      const from_time = starts > call.now ? starts : null
      const { data } = await call.dispatch('bookings.move', {
        ...call.params,
        bookable_id,
        from_time,
        to_time,
      })
      const moved = await requireBooking(call)
      return {
        redirectTo: call.linkHere(),
        notice: t`You now have ${data.bookable.name} (${moved.location}).`,
      }
    }),
    'check-in': action(bookingIdForm, async (call) => {
      await checkIn(call)
      return { redirectTo: call.linkHere(), notice: t`You are checked in.` }
    }),
    cancel: action(bookingIdForm.shape(scopeFields), async (call) => {
      const scope = getSeveralScope(call.form)
      if (!scope) return { redirectTo: call.link('/'), notice: await endAndDescribe(call) }
      await call.dispatch('series.delete-bookings', { ...call.params, scope })
      return { redirectTo: call.link('/'), notice: await describeCancelled(call) }
    }),
  }),
  async show(call) {
    const booking = await requireBooking(call)
    const { bookable, location, building, zone, type, buildingId, bookableId } = booking
    const span = findRemainingSpan(booking, call.now)
    const [times, seats, near, alternatives] = await Promise.all([
      readPlaceTimes(call, { bookableId, zone, except: booking.id }, booking.from),
      span
        ? listFreeSeats(call, { building: buildingId, type, near: bookableId }, span, OTHER_SEATS_MAX)
        : [],
      listNearColleagues(call, booking),
      showAlternativesOfChange(call, booking),
    ])
    const shown = {
      booking,
      times: span ? listOtherTimes(times, span, call.now) : [],
      seats,
      near,
      alternatives,
    }
    return {
      title: bookable,
      lead: `${formatSpan(booking, zone, call.now)} · ${location}, ${building}`,
      content: showBookingCard(call, shown),
    }
  },
})

/**
 * Returns the time at which other places must be free to replace the booking. For a running booking, the rest of it.
 */
const findRemainingSpan = ({ from, to }: OwnBooking, now: string): BookedSpan | undefined =>
  to === null ? undefined : { from: from > now ? from : now, to }

async function requireBooking(call: BookingCall): Promise<OwnBooking> {
  const found = await findOwnBooking(call, call.params.id)
  if (!found || (found.to !== null && found.to <= call.now)) throw new Refusal('not_found', BOOKING_NOT_FOUND)
  return found
}

async function changeTime(call: ScopedAction, booking: OwnBooking, { from, to }: BookedSpan) {
  const scope = getSeveralScope(call.form)
  const change = { id: booking.id, from_time: from, to_time: to }
  if (scope) await call.dispatch('series.update-bookings', { ...change, scope })
  else await call.dispatch('bookings.update', change)
  const span = formatSpan({ from, to }, booking.zone, call.now)
  return { redirectTo: call.linkHere(), notice: t`${formatPlace(booking)} is booked: ${span}.` }
}

/** Returns a sentence that says how many bookings the last write has cancelled, or ended if they were running. */
async function describeCancelled(call: ActionCall): Promise<string> {
  const counted = { bookings: numberColumn('count(*)::int') }
  const entries = "audit_log WHERE attempt = $1 AND action IN ('bookings.delete', 'bookings.update')"
  const found = await selectRow(call.services.primary, counted, entries, [call.lastAttempt() ?? null])
  // A form that is sent twice cancels only once, so the second attempt has no entries.
  if (!found || found.bookings === 0) return t`Cancelled.`
  return plural(found.bookings, '# booking cancelled.', '# bookings cancelled.')
}

/** Ends or cancels the booking. Returns a sentence that says which of the two happened. */
export async function endAndDescribe(call: Parameters<typeof endBooking>[0]): Promise<string> {
  const booking = await endBooking(call)
  if (!booking) return t`Cancelled.`
  return booking.isRunning
    ? t`Your booking of ${formatPlace(booking)} has ended. Others can now book the place.`
    : t`Cancelled: ${formatPlace(booking)}, ${formatSpan(booking, booking.zone, call.now)}.`
}
