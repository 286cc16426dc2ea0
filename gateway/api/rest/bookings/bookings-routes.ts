// The API endpoints for bookings and series.

import { newBookingBatchSchema } from '../../../../shared/bookings/booking-batches.ts'
import {
  bookingChangesSchema,
  bookingMoveSchema,
  bookingSchema,
  bookingWithPictureSchema,
  newBookingSchema,
} from '../../../../shared/bookings/bookings.ts'
import { bookingScopeQuery, newSeriesSchema, seriesSchema } from '../../../../shared/bookings/series.ts'
import { message } from '../../../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import * as answer from '../../../../shared/schemas/answers.ts'
import { object, pathText } from '../../../../shared/schemas/fields.ts'
import { deletedSeriesQuery } from '../../../../shared/series/repetition.ts'
import {
  declareEndpoint,
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'
import { answerLivemap, LIVEMAP_TYPE } from '../livemap/livemap.ts'
import { seriesById } from './bookings-queries.ts'
import { filteredBookings } from './filtered-bookings.ts'
import { answerBooking, extendBookingETag, sendSignedLivemap } from './signed-livemap.ts'

const bookingWriteOptions = {
  refusals: ['booking_conflict', 'booking_ended', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
  takesIfMatch: true,
  etagAfter: extendBookingETag,
} satisfies Partial<Parameters<typeof declareWriteEndpoint>[1]>
const bookingChangeOptions = {
  ...bookingWriteOptions,
  query: bookingScopeQuery,
  body: bookingChangesSchema,
  refusals: [...bookingWriteOptions.refusals, 'outside_buildings'],
  job: 'bookings.update',
  seriesJob: 'series.update-bookings',
} satisfies Partial<Parameters<typeof declareWriteEndpoint>[1]>

export const bookingEndpoints = declareResourceEndpoints({
  tag: 'Bookings',
  ability: 'booking-write',
  missing: message`There is no booking with this id.`,
})({
  listBookings: declareListEndpoint('/bookings', {
    personal: 'own',
    ability: 'read',
    summary: 'List all bookings',
    refusals: ['not_found'],
    ...filteredBookings,
    item: bookingSchema,
  }),
  getBooking: declareEndpoint('GET /bookings/{id}', {
    personal: 'own',
    ability: 'read',
    summary: 'Get a booking',
    hasETag: true,
    answer: answer.createAnswerContract(bookingWithPictureSchema),
    handle: answerBooking,
  }),
  getBookingLivemap: declareEndpoint('GET /bookings/{id}/livemap', {
    personal: 'own',
    ability: 'read',
    summary: 'Show a booking on a map',
    description:
      'Returns an SVG picture of the location as it is now, with the booked bookable marked. Browsers without a token are redirected to the map of the dashboard.',
    redirectsBrowsers: true,
    answer: { status: 200, schema: answer.text(), contentTypes: [LIVEMAP_TYPE] },
    handle: (call) => call.read(({ pool }) => answerLivemap(call.services, pool, call.params.id, call.now)),
  }),
  getSignedLivemap: declareEndpoint('GET /bookings/{id}/livemap.svg', {
    ability: null,
    isOpen: true,
    summary: 'Show a booking on a map, at a signed URL',
    description:
      'Returns the same picture without a token, for use in an img element. GET bookings/{id} returns the URL as livemap_url. The URL expires within an hour.',
    query: object({ signature: pathText().optional() }),
    answer: { status: 200, schema: answer.text(), contentTypes: [LIVEMAP_TYPE] },
    refusals: ['invalid_signature'],
    handle: sendSignedLivemap,
  }),
  createBooking: declareWriteEndpoint('POST /bookings', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Create a booking',
    description: 'Returns an array with one booking.',
    body: newBookingSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'bookings.create',
  }),
  createBookings: declareWriteEndpoint('POST /bookings/batch', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Create many bookings at once',
    description:
      'Each booking succeeds or fails on its own, unless atomic is true. The answer has one item for each booking, in the same order. ' +
      'Bookings are created in the order of the list.',
    body: newBookingBatchSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'bookings.create-batch',
  }),
  checkBooking: declareWriteEndpoint('POST /bookings/check', {
    personal: 'own',
    ownerField: 'user_id',
    ability: 'read',
    summary: 'Check whether a booking is possible',
    description:
      'Takes the same body as POST bookings, and returns what that request would answer now. Nothing is booked or reserved.',
    body: newBookingSchema,
    job: 'bookings.check',
  }),
  replaceBooking: declareWriteEndpoint('PUT /bookings/{id}', {
    personal: 'own',
    ...bookingChangeOptions,
    summary: 'Change a booking',
  }),
  updateBooking: declareWriteEndpoint('PATCH /bookings/{id}', {
    personal: 'own',
    ...bookingChangeOptions,
    summary: 'Change a booking (same as PUT)',
  }),
  moveBooking: declareWriteEndpoint('POST /bookings/{id}/move', {
    personal: 'own',
    ...bookingWriteOptions,
    summary: 'Move a booking to another bookable',
    description:
      'The booking keeps its id. The move is atomic: if it is refused, the booking keeps its current bookable.',
    body: bookingMoveSchema,
    job: 'bookings.move',
  }),
  checkInBooking: declareWriteEndpoint('POST /bookings/{id}/check-in', {
    personal: 'own',
    summary: 'Check in to a booking',
    description: 'Repeating the request has no further effect.',
    refusals: ['check_in_too_early', 'booking_ended'],
    job: 'bookings.check-in',
    etagAfter: extendBookingETag,
  }),
  deleteBooking: declareWriteEndpoint('DELETE /bookings/{id}', {
    personal: 'own',
    summary: 'Delete a booking',
    description:
      'With a scope, deletes several bookings of a series: those that have not started. The current booking ends now. Past bookings stay.',
    query: bookingScopeQuery,
    refusals: ['outside_buildings'],
    takesIfMatch: true,
    job: 'bookings.delete',
    seriesJob: 'series.delete-bookings',
  }),
})

export const seriesEndpoints = declareResourceEndpoints({
  tag: 'Series',
  ability: 'booking-write',
  missing: message`There is no series with this id.`,
})({
  createSeries: declareWriteEndpoint('POST /bookings/series', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Create a series of bookings',
    description:
      'Takes a booking and how it repeats. Bookings keep their local time of day in the building. A time that daylight saving skips moves to the next hour.',
    body: newSeriesSchema,
    refusals: ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS],
    job: 'series.create',
  }),
  getSeries: declareReadEndpoint('/series/{id}', {
    personal: 'own',
    ability: 'read',
    summary: 'Get a series with its bookings',
    answer: seriesSchema,
    statement: seriesById,
    values: ({ baseUrl }) => [baseUrl],
    isLarge: true,
  }),
  deleteSeries: declareWriteEndpoint('DELETE /series/{id}', {
    personal: 'own',
    summary: 'Delete the upcoming bookings of a series',
    description:
      'Deletes the bookings that have not started. The current booking ends now, unless from is in the future. Past bookings stay.',
    query: deletedSeriesQuery('bookings'),
    refusals: ['outside_buildings'],
    job: 'series.delete',
  }),
})
