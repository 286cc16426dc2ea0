// Bookables over HTTP.
import { bookingOfBookableSchema } from '../../shared/contracts/bookings.ts'
import { object, pathId } from '../../shared/contracts/fields.ts'
import { rangeQuery } from '../../shared/contracts/queries.ts'
import { list } from '../list.ts'
import { bookingsOfBookable } from '../queries/bookings.ts'

export const bookables = [
  list({
    path: '/bookables/{bookable_id}/bookings',
    ability: 'read',
    tag: 'Bookables',
    summary: 'When a bookable is booked',
    params: object({ bookable_id: pathId() }),
    query: rangeQuery,
    item: bookingOfBookableSchema,
    missing: 'There is no bookable with this id.',
    ask: ({ params, query, baseUrl }) => ({
      listing: bookingsOfBookable,
      values: [params.bookable_id, query.from, query.to, baseUrl],
    }),
  }),
]
