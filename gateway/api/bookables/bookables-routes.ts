// Bookables over HTTP.
import { bookableChangesSchema, bookableDetailsSchema } from '../../../shared/bookables/bookables.ts'
import { bookingOfBookableSchema } from '../../../shared/bookings/bookings.ts'
import { message } from '../../../shared/messages/message.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { list, read, resource, write } from '../../http/endpoint.ts'
import { bookingsOfBookable, rangeValues } from '../bookings/bookings-queries.ts'
import { bookableById } from './bookables-queries.ts'

const missing = message`There is no bookable with this id.`

export const bookables = resource({ tag: 'Bookables', ability: 'read', missing }, [
  read({
    path: '/bookables/{id}',
    name: 'getBookable',
    summary: 'Get a bookable',
    answer: bookableDetailsSchema,
    statement: bookableById,
  }),
  write({
    method: 'PATCH',
    path: '/bookables/{id}',
    name: 'updateBookable',
    ability: 'object-write',
    summary: 'Change a bookable',
    description:
      'Blocking a bookable does not delete its bookings. The status of an assigned bookable cannot be changed.',
    body: bookableChangesSchema,
    refusals: ['bookable_assigned'],
    takesIfMatch: true,
    job: 'bookables.update',
    etagAfter: (known) => known,
    input: ({ params, body, ifMatch }) => ({ ...body, id: params.id, if_match: ifMatch }),
  }),
  list({
    path: '/bookables/{bookable_id}/bookings',
    name: 'listBookableBookings',
    summary: 'List the bookings of a bookable',
    query: rangeQuery,
    item: bookingOfBookableSchema,
    listing: bookingsOfBookable,
    values: rangeValues,
  }),
])
