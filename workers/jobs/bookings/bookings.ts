// Checks in to bookings and deletes them, in batches. workers/pollers/check-ins/no-shows.ts releases bookings without a
// check-in.
import { bookingDetailsText } from '../../../shared/bookings/bookings-shape.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import {
  type BatchHandler,
  type Handlers,
  performSingleWrite,
  performUnrefusedWrites,
  ReplyWithETag,
} from '../../runtime/write.ts'
import { refuseClosedCheckIn } from '../rules/check-in-windows.ts'
import { bookingMoves, bookingUpdates } from './changes.ts'
import { type CurrentBooking, findBookingBodies, lockBookings } from './present-bookings.ts'
import { BASE_URL_SQL, prepareBookingChange } from './record-bookings.ts'

type BookingJobNames = 'bookings.update' | 'bookings.move' | 'bookings.check-in' | 'bookings.delete'

const checkInBookings = prepareBookingChange('check-in-bookings', {
  action: 'bookings.check-in',
  columns: { now: 'timestamptz' },
  change: `
    UPDATE bookings SET checked_in_at = asked.now, updated_at = now() FROM asked WHERE bookings.id = asked.id`,
  reply: bookingDetailsText(BASE_URL_SQL),
})

/** Records that users have arrived. Repeating a check-in returns the same response. */
export const bookingCheckIns: BatchHandler<
  InputOf<'bookings.check-in'>,
  CurrentBooking | Refusal,
  ReplyWithETag<ReplyOf<'bookings.check-in'>>
> = {
  idOf: ({ id }) => id,
  lockFacts: lockBookings,
  perform: (connection, writes) =>
    performUnrefusedWrites(
      writes,
      ({ context }, booking: CurrentBooking) => {
        const { now } = context
        if (!booking.isCheckedIn) refuseClosedCheckIn(booking, now)
        return { ...booking, context, values: { now } }
      },
      async (bookings) => {
        const shown = await findBookingBodies(
          connection,
          bookings.filter(({ isCheckedIn }) => isCheckedIn),
        )
        const waiting = bookings.filter(({ isCheckedIn }) => !isCheckedIn)
        for (const { id, text } of await checkInBookings(connection, waiting)) shown.set(id, text)
        return bookings.map(({ id }) => {
          const text = shown.get(id)
          if (text === undefined) throw new Error('A booking that is locked was not found')
          return new ReplyWithETag(text, computeEtag(text))
        })
      },
    ),
}

const deleteBookings = prepareBookingChange('delete-bookings', {
  action: 'bookings.delete',
  columns: {},
  change: 'DELETE FROM bookings USING asked WHERE bookings.id = asked.id',
})

export const bookingDeletions: BatchHandler<InputOf<'bookings.delete'>, CurrentBooking | Refusal, null> = {
  idOf: ({ id }) => id,
  lockFacts: (connection, writes) => lockBookings(connection, writes, { isForBookers: true }),
  perform: (connection, writes) =>
    performUnrefusedWrites(
      writes,
      ({ context }, { id }: CurrentBooking) => ({ id, context, values: {} }),
      async (bookings) => (await deleteBookings(connection, bookings)).map(() => null),
    ),
}

export const bookingHandlers: Handlers<BookingJobNames> = {
  'bookings.update': (write, input) => performSingleWrite(bookingUpdates, write, input),
  'bookings.move': (write, input) => performSingleWrite(bookingMoves, write, input),
  'bookings.check-in': (write, input) => performSingleWrite(bookingCheckIns, write, input),
  'bookings.delete': (write, input) => performSingleWrite(bookingDeletions, write, input),
}
