// Bookables over HTTP.

import { bookableChangesSchema, bookableDetailsSchema } from '../../../shared/bookables/bookables.ts'
import { bookingOfBookableSchema } from '../../../shared/bookings/bookings.ts'
import { message } from '../../../shared/messages/message.ts'
import { dataAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { read, write } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { bookingsOfBookable, inRange } from '../bookings/bookings-queries.ts'
import { findBookable } from './bookables-queries.ts'

const missing = message`There is no bookable with this id.`

export const bookables = [
  read({
    path: '/bookables/{id}',
    name: 'getBookable',
    ability: 'read',
    tag: 'Bookables',
    summary: 'Get a bookable',
    params: object({ id: pathId() }),
    answer: dataAnswer(bookableDetailsSchema),
    missing,
    find: ({ params }, { pointReads }) => findBookable(pointReads, params.id),
  }),
  write({
    method: 'PATCH',
    path: '/bookables/{id}',
    name: 'updateBookable',
    ability: 'object-write',
    tag: 'Bookables',
    summary: 'Change a bookable',
    description:
      'Blocking a bookable does not delete its bookings. The status of an assigned bookable cannot be changed.',
    params: object({ id: pathId() }),
    body: bookableChangesSchema,
    refusals: ['bookable_assigned'],
    missing,
    takesIfMatch: true,
    job: 'bookables.update',
    etagAfter: (known) => known,
    input: ({ params, body, ifMatch }) => ({ ...body, id: params.id, if_match: ifMatch }),
  }),
  list({
    path: '/bookables/{bookable_id}/bookings',
    name: 'listBookableBookings',
    ability: 'read',
    tag: 'Bookables',
    summary: 'List the bookings of a bookable',
    params: object({ bookable_id: pathId() }),
    query: rangeQuery,
    item: bookingOfBookableSchema,
    missing,
    source: (call) => inRange(bookingsOfBookable, call, call.params.bookable_id),
  }),
]
