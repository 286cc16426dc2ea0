// Checks in to bookings and deletes them, as many as come together. Without check-in in time, the rest of a booking is
// released: workers/pollers/check-ins/no-shows.ts.
import { bookingDetailsText } from '../../../shared/bookings/bookings-shape.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import {
  type BatchHandler,
  type Handlers,
  performOne,
  performUnrefused,
  ReplyWithETag,
} from '../../runtime/write.ts'
import { refuseCheckIn } from '../rules/check-in-windows.ts'
import { moves, updates } from './changes.ts'
import { findBodies, lockBookings, type Present } from './present-bookings.ts'
import { BASE_URL, prepareChange } from './record-bookings.ts'

type Names = 'bookings.update' | 'bookings.move' | 'bookings.check-in' | 'bookings.delete'

const checkIn = prepareChange('check-in-bookings', {
  action: 'bookings.check-in',
  columns: { now: 'timestamptz' },
  change: `
    UPDATE bookings SET checked_in_at = asked.now, updated_at = now() FROM asked WHERE bookings.id = asked.id`,
  reply: bookingDetailsText(BASE_URL),
})

/** Users confirm that they are there. A repeated check-in gets the same answer. */
export const checkIns: BatchHandler<
  InputOf<'bookings.check-in'>,
  Present | Refusal,
  ReplyWithETag<ReplyOf<'bookings.check-in'>>
> = {
  idOf: ({ id }) => id,
  lockFacts: lockBookings,
  perform: (connection, writes) =>
    performUnrefused(
      writes,
      ({ context }, booking: Present) => {
        const { now } = context
        if (!booking.isCheckedIn) refuseCheckIn(booking, now)
        return { ...booking, context, values: { now } }
      },
      async (bookings) => {
        const shown = await findBodies(
          connection,
          bookings.filter(({ isCheckedIn }) => isCheckedIn),
        )
        const waiting = bookings.filter(({ isCheckedIn }) => !isCheckedIn)
        for (const { id, text } of await checkIn(connection, waiting)) shown.set(id, text)
        return bookings.map(({ id }) => {
          const text = shown.get(id)
          if (text === undefined) throw new Error('A booking that is locked was not found')
          return new ReplyWithETag(text, etagOf(text))
        })
      },
    ),
}

const remove = prepareChange('delete-bookings', {
  action: 'bookings.delete',
  columns: {},
  change: 'DELETE FROM bookings USING asked WHERE bookings.id = asked.id',
})

export const deletions: BatchHandler<InputOf<'bookings.delete'>, Present | Refusal, null> = {
  idOf: ({ id }) => id,
  lockFacts: lockBookings,
  perform: (connection, writes) =>
    performUnrefused(
      writes,
      ({ context }, { id }: Present) => ({ id, context, values: {} }),
      async (bookings) => (await remove(connection, bookings)).map(() => null),
    ),
}

export const bookingHandlers: Handlers<Names> = {
  'bookings.update': (write, input) => performOne(updates, write, input),
  'bookings.move': (write, input) => performOne(moves, write, input),
  'bookings.check-in': (write, input) => performOne(checkIns, write, input),
  'bookings.delete': (write, input) => performOne(deletions, write, input),
}
