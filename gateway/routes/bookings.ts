// Bookings over HTTP.
import { newBookingSchema } from '../../shared/contracts/bookings.ts'
import { object, pathId } from '../../shared/contracts/fields.ts'
import { write } from '../endpoint.ts'

const tag = 'Bookings'

export const bookings = [
  write({
    method: 'POST',
    path: '/bookings',
    ability: 'booking-write',
    tag,
    summary: 'Book something',
    description: 'Answers with an array of one booking.',
    body: newBookingSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned'],
    job: 'bookings.create',
    input: ({ body }) => body,
  }),
  write({
    method: 'DELETE',
    path: '/bookings/{id}',
    ability: 'booking-write',
    tag,
    summary: 'Delete a booking',
    params: object({ id: pathId() }),
    missing: 'There is no booking with this id.',
    job: 'bookings.delete',
    input: ({ params }) => ({ id: params.id }),
  }),
]
