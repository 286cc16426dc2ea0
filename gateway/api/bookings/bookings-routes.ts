// Bookings over HTTP.

import { newBookingBatchSchema } from '../../../shared/bookings/booking-batches.ts'
import {
  bookingChangesSchema,
  bookingSchema,
  bookingWithPictureSchema,
  newBookingSchema,
} from '../../../shared/bookings/bookings.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { dataAnswer, textAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathId, pathText } from '../../../shared/schemas/fields.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { endpoint, write } from '../../http/kit/endpoint.ts'
import { list } from '../../http/listing-endpoint.ts'
import { answerLivemap, LIVEMAP_TYPE } from '../livemap/livemap.ts'
import { allBookings, inRange } from './bookings-queries.ts'
import { answerBooking, extendBookingETag, NO_BOOKING, sendSignedLivemap } from './signed-livemap.ts'

const tag = 'Bookings'

export const bookings = [
  list({
    path: '/bookings',
    name: 'listBookings',
    ability: 'read',
    tag,
    summary: 'List all bookings',
    query: rangeQuery,
    item: bookingSchema,
    source: (call) => inRange(allBookings, call),
  }),
  endpoint({
    method: 'GET',
    path: '/bookings/{id}',
    name: 'getBooking',
    ability: 'read',
    tag,
    summary: 'Get a booking',
    params: object({ id: pathId() }),
    hasETag: true,
    answer: dataAnswer(bookingWithPictureSchema),
    missing: NO_BOOKING,
    handle: answerBooking,
  }),
  endpoint({
    method: 'GET',
    path: '/bookings/{id}/livemap',
    name: 'getBookingLivemap',
    ability: 'read',
    tag,
    summary: 'Show a booking on a map',
    description:
      'An SVG picture of the location as it is now, with the booked bookable marked. A browser without a token is sent to the map of the dashboard.',
    redirectsBrowsers: true,
    params: object({ id: pathId() }),
    answer: { status: 200, schema: textAnswer(), contentTypes: [LIVEMAP_TYPE] },
    missing: NO_BOOKING,
    async handle(call) {
      const { params, now, services } = call
      const answer = await call.read(({ pool }) => answerLivemap(services, pool, params.id, now))
      if (!answer) throw new Refusal('not_found', NO_BOOKING)
      return answer
    },
  }),
  endpoint({
    method: 'GET',
    path: '/bookings/{id}/livemap.svg',
    name: 'getSignedLivemap',
    ability: null,
    isOpen: true,
    tag,
    summary: 'Show a booking on a map, at a signed address',
    description:
      'The same picture at the address that GET bookings/{id} has as livemap_url, for an img element: the address is good for an hour at most.',
    params: object({ id: pathId() }),
    query: object({ signature: pathText().optional() }),
    answer: { status: 200, schema: textAnswer(), contentTypes: [LIVEMAP_TYPE] },
    refusals: ['invalid_signature'],
    missing: NO_BOOKING,
    handle: sendSignedLivemap,
  }),
  write({
    method: 'POST',
    path: '/bookings',
    name: 'createBooking',
    ability: 'booking-write',
    tag,
    summary: 'Create a booking',
    description: 'The answer is an array with one booking.',
    body: newBookingSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'bookings.create',
    input: ({ body }) => body,
  }),
  write({
    method: 'POST',
    path: '/bookings/batch',
    name: 'createBookings',
    ability: 'booking-write',
    tag,
    summary: 'Create many bookings at once',
    description:
      'Each is booked or refused for itself, unless atomic is true; the answer has one item for each, in the same order. ' +
      'Those that come first are booked first.',
    body: newBookingBatchSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'bookings.create-batch',
    input: ({ body }) => body,
  }),
  write({
    method: 'POST',
    path: '/bookings/check',
    name: 'checkBooking',
    ability: 'read',
    tag,
    summary: 'Check whether something can be booked',
    description:
      'Takes what POST bookings takes, and says what that would answer at this moment. Nothing is booked or reserved.',
    body: newBookingSchema,
    job: 'bookings.check',
    input: ({ body }) => body,
  }),
  ...(['PUT', 'PATCH'] as const).map((method) =>
    write({
      method,
      path: '/bookings/{id}',
      name: method === 'PUT' ? 'replaceBooking' : 'updateBooking',
      ability: 'booking-write',
      tag,
      summary: method === 'PUT' ? 'Change a booking' : 'Change a booking (same as PUT)',
      params: object({ id: pathId() }),
      body: bookingChangesSchema,
      refusals: [
        'booking_conflict',
        'booking_ended',
        'bookable_blocked',
        'bookable_assigned',
        ...RULE_REFUSALS,
      ],
      missing: NO_BOOKING,
      takesIfMatch: true,
      job: 'bookings.update',
      etagAfter: extendBookingETag,
      input: ({ params, body, ifMatch }) => ({ ...body, id: params.id, if_match: ifMatch }),
    }),
  ),
  write({
    method: 'POST',
    path: '/bookings/{id}/check-in',
    name: 'checkInBooking',
    ability: 'booking-write',
    tag,
    summary: 'Check in to a booking',
    description: 'Repeating it has no further effect.',
    params: object({ id: pathId() }),
    refusals: ['check_in_too_early', 'booking_ended'],
    missing: NO_BOOKING,
    job: 'bookings.check-in',
    etagAfter: extendBookingETag,
    input: ({ params }) => ({ id: params.id }),
  }),
  write({
    method: 'DELETE',
    path: '/bookings/{id}',
    name: 'deleteBooking',
    ability: 'booking-write',
    tag,
    summary: 'Delete a booking',
    params: object({ id: pathId() }),
    missing: NO_BOOKING,
    takesIfMatch: true,
    job: 'bookings.delete',
    input: ({ params, ifMatch }) => ({ id: params.id, if_match: ifMatch }),
  }),
]
