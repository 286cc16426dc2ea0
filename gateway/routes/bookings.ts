// Bookings over HTTP.
import { bookingSchema, newBookingSchema } from '../../shared/contracts/bookings.ts'
import { object, pathId } from '../../shared/contracts/fields.ts'
import { rangeQuery } from '../../shared/contracts/queries.ts'
import { write } from '../endpoint.ts'
import { list } from '../list.ts'
import { allBookings } from '../queries/bookings.ts'

const tag = 'Bookings'

export const bookings = [
  list({
    path: '/bookings',
    ability: 'read',
    tag,
    summary: 'Everything that is booked',
    query: rangeQuery,
    item: bookingSchema,
    ask: ({ query, baseUrl }) => ({ listing: allBookings, values: [query.from, query.to, baseUrl] }),
  }),
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
