// Bookings over HTTP.

import { newBookingBatchSchema } from '../../../shared/bookings/booking-batches.ts'
import {
  bookingChangesSchema,
  bookingSchema,
  bookingWithPictureSchema,
  newBookingSchema,
} from '../../../shared/bookings/bookings.ts'
import { message } from '../../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../../shared/messages/refusal-kinds.ts'
import { dataAnswer, textAnswer } from '../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../shared/schemas/fields.ts'
import { rangeQuery } from '../../../shared/schemas/queries.ts'
import { endpoint, list, resource, write } from '../../http/endpoint.ts'
import { answerLivemap, LIVEMAP_TYPE } from '../livemap/livemap.ts'
import { allBookings, rangeValues } from './bookings-queries.ts'
import { answerBooking, extendBookingETag, sendSignedLivemap } from './signed-livemap.ts'

const missing = message`There is no booking with this id.`

export const bookings = resource({ tag: 'Bookings', ability: 'booking-write', missing }, [
  list({
    path: '/bookings',
    name: 'listBookings',
    ability: 'read',
    summary: 'List all bookings',
    query: rangeQuery,
    item: bookingSchema,
    listing: allBookings,
    values: rangeValues,
  }),
  endpoint({
    method: 'GET',
    path: '/bookings/{id}',
    name: 'getBooking',
    ability: 'read',
    summary: 'Get a booking',
    hasETag: true,
    answer: dataAnswer(bookingWithPictureSchema),
    handle: answerBooking,
  }),
  endpoint({
    method: 'GET',
    path: '/bookings/{id}/livemap',
    name: 'getBookingLivemap',
    ability: 'read',
    summary: 'Show a booking on a map',
    description:
      'An SVG picture of the location as it is now, with the booked bookable marked. A browser without a token is sent to the map of the dashboard.',
    redirectsBrowsers: true,
    answer: { status: 200, schema: textAnswer(), contentTypes: [LIVEMAP_TYPE] },
    handle: (call) => call.read(({ pool }) => answerLivemap(call.services, pool, call.params.id, call.now)),
  }),
  endpoint({
    method: 'GET',
    path: '/bookings/{id}/livemap.svg',
    name: 'getSignedLivemap',
    ability: null,
    isOpen: true,
    summary: 'Show a booking on a map, at a signed address',
    description:
      'The same picture at the address that GET bookings/{id} has as livemap_url, for an img element: the address is good for an hour at most.',
    query: object({ signature: pathText().optional() }),
    answer: { status: 200, schema: textAnswer(), contentTypes: [LIVEMAP_TYPE] },
    refusals: ['invalid_signature'],
    handle: sendSignedLivemap,
  }),
  write({
    method: 'POST',
    path: '/bookings',
    name: 'createBooking',
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
      summary: method === 'PUT' ? 'Change a booking' : 'Change a booking (same as PUT)',
      body: bookingChangesSchema,
      refusals: [
        'booking_conflict',
        'booking_ended',
        'bookable_blocked',
        'bookable_assigned',
        ...RULE_REFUSALS,
      ],
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
    summary: 'Check in to a booking',
    description: 'Repeating it has no further effect.',
    refusals: ['check_in_too_early', 'booking_ended'],
    job: 'bookings.check-in',
    etagAfter: extendBookingETag,
    input: ({ params }) => ({ id: params.id }),
  }),
  write({
    method: 'DELETE',
    path: '/bookings/{id}',
    name: 'deleteBooking',
    summary: 'Delete a booking',
    takesIfMatch: true,
    job: 'bookings.delete',
    input: ({ params, ifMatch }) => ({ id: params.id, if_match: ifMatch }),
  }),
])
