// Changes, moves, deletes and checks in to bookings. Without check-in in time, the rest of a booking is
// released: workers/pollers/check-ins/no-shows.ts.
import { bookingChangesSchema } from '../../../shared/bookings/bookings.ts'
import {
  bookingDetailsRows,
  bookingDetailsText,
  selectBooking,
  writtenBookingJson,
  writtenBookingRows,
} from '../../../shared/bookings/bookings-shape.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { field, message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { ENDS_TOO_EARLY, isWithin, refuseInvalidChange, refuseUnbookable } from '../claims/checks.ts'
import type { OpenTimeRange } from '../claims/conflicts.ts'
import { type BookingFacts, lockFacts } from '../claims/facts.ts'
import { lockClaims } from '../claims/locks.ts'
import { findETag, refuseFixed, requireMatch, requireVersion } from '../kit/preconditions.ts'
import { refuseCheckIn, refuseLost } from '../rules/check-in-windows.ts'
import { lockBooking, type Present, saveBooking } from './save-booking.ts'

// Its placeholders are the base address and the id, in this order.
const SELECT_BOOKING = selectBooking('?', '?')

type Names = 'bookings.update' | 'bookings.move' | 'bookings.check-in' | 'bookings.delete'

export const bookingHandlers: Handlers<Names> = {
  /** PUT and PATCH. A booking that is neither moved nor extended is not checked. */
  async 'bookings.update'(write, input) {
    const { id } = input
    await lockClaimsOfBooking(write, id)
    const before = await lockBooking(write, id)
    await requireMatch(write, input.if_match, SELECT_BOOKING, [write.baseUrl, id])
    await requireVersion(write, 'bookings', id, input.version)
    refuseFixed(bookingChangesSchema, input, { ...before.row, location_id: before.location_id })
    const from = input.from_time === undefined ? before.from : (input.from_time ?? write.now)
    const span = { from, to: input.to_time }
    const facts = await lockFacts(write, { ...before, user_vehicle_id: input.user_vehicle_id })
    refuseInvalidChange(input, span, facts)
    refuseEnded(before, write)
    // A deleted bookable has only past bookings; this write arrived in time but runs too late.
    if (!facts.bookable)
      throw new Refusal('booking_ended', message`The bookable of this booking no longer exists.`)
    const isChecked = !isWithin(span, before)
    if (isChecked) refuseUnbookable(facts.bookable)
    const [bookableId, vehicle] = [before.bookable_id, vehicleAfter(input, facts)]
    const overridable = isChecked ? input : undefined
    await saveBooking(write, before, { bookableId, span, facts, vehicle, overridable })
    const reply = await finishBooking(write, id)
    return new ReplyWithETag(reply, await findETag(write, SELECT_BOOKING, [write.baseUrl, id]))
  },

  /** By administrators, to another bookable; the checks for a new booking there apply. */
  async 'bookings.move'(write, input) {
    const { id, bookable_id } = input
    await lockClaimsOfBooking(write, id, [bookable_id])
    const before = await lockBooking(write, id)
    await requireVersion(write, 'bookings', id, input.version)
    refuseEnded(before, write)
    const span = { from: input.from_time ?? before.from, to: input.to_time ?? before.to }
    const { user_id, vehicle_id } = before
    const facts = await lockFacts(write, { bookable_id, user_id, user_vehicle_id: vehicle_id })
    refuseInvalidMove(before, span, facts, write)
    if (facts.bookable) refuseUnbookable(facts.bookable)
    if (!facts.user) throw new Refusal('not_found', message`The person of this booking has been deactivated.`)
    const vehicle = facts.bookable?.isParkingSpot ? undefined : null
    await saveBooking(write, before, { bookableId: bookable_id, span, facts, vehicle, overridable: input })
    return finishBooking(write, id)
  },

  /** Users confirm that they are there. A repeated check-in gets the same answer. */
  async 'bookings.check-in'(write, { id }) {
    const { row: before, former, ...booking } = await lockBooking(write, id)
    if (!booking.isCheckedIn) {
      refuseCheckIn(booking, write.now)
      const { after } = await write.only<{ after: unknown }>(
        'UPDATE bookings SET checked_in_at = ?, updated_at = now() WHERE id = ? RETURNING to_jsonb(bookings) AS after',
        [write.now, id],
      )
      await write.audit({ action: 'bookings.check-in', id, former, before, after })
    }
    const rows = `${bookingDetailsRows} WHERE bookings.id = ?`
    const text = await write.reply(bookingDetailsText('?'), rows, [write.baseUrl, id])
    return new ReplyWithETag(text, etagOf(text))
  },

  async 'bookings.delete'(write, { id, if_match }) {
    const { row: before, former } = await lockBooking(write, id)
    await requireMatch(write, if_match, SELECT_BOOKING, [write.baseUrl, id])
    await write.run('DELETE FROM bookings WHERE id = ?', [id])
    await write.audit({ action: 'bookings.delete', id, former, before })
    return null
  },
}

function refuseEnded(booking: Present, { now }: Write) {
  refuseLost(booking, now)
  const { to, zone } = booking
  if (to === null || to > now) return
  throw new Refusal('booking_ended', message`The booking ended at ${{ at: to, zone }} and cannot be changed.`)
}

// A claim stays shared (home office) or exclusive (everything else).
function refuseInvalidMove(
  { exclusive, vehicle_id }: Present,
  { from, to }: OpenTimeRange,
  { bookable }: BookingFacts,
  { now }: Write,
) {
  if (!bookable) throw invalid({ bookable_id: [message`There is no bookable with this id.`] })
  if (bookable.isHomeOffice === exclusive) {
    throw invalid({
      bookable_id: [
        message`A home office cannot be swapped for a desk, room or parking spot, nor one of these for a home office.`,
      ],
    })
  }
  if (bookable.requiresVehicle && vehicle_id === null) {
    throw invalid({ bookable_id: [message`${bookable.name} can only be booked with a vehicle.`] })
  }
  if (to !== null && to <= from) throw invalid({ to_time: ENDS_TOO_EARLY })
  if (to !== null && to <= now)
    throw invalid({ to_time: [message`${field('to_time')} must be in the future.`] })
}

// Undefined keeps the present vehicle. Only parking bookings keep one.
function vehicleAfter({ user_vehicle_id }: InputOf<'bookings.update'>, { bookable, vehicle }: BookingFacts) {
  if (user_vehicle_id === undefined) return undefined
  return (bookable?.isParkingSpot && vehicle) || null
}

/** Locks both bookables' claims at once, in order, so that writes that swap desks wait for each other. */
async function lockClaimsOfBooking(write: Write, bookingId: number, wanted: number[] = []) {
  const find = 'SELECT bookable_id AS id FROM bookings WHERE id = ? AND event_id IS NULL'
  await lockClaims(write, [...(await write.ids(find, [bookingId])), ...wanted])
}

const finishBooking = (write: Write, id: number) =>
  write.reply(dataText(writtenBookingJson('?')), `${writtenBookingRows} WHERE bookings.id = ?`, [
    write.baseUrl,
    id,
  ])
