// The API endpoints for booking requests, which are made where bookings need approval.
import {
  bookingRequestSchema,
  bookingRequestsQuery,
  declineSchema,
  newBookingRequestQuery,
  newBookingRequestSchema,
} from '../../../../shared/booking-requests/booking-requests.ts'
import {
  BOOKING_REQUEST_ROWS_SQL,
  bookingRequestJson,
  IS_REQUEST_SQL,
  selectBookingRequestSql,
} from '../../../../shared/booking-requests/booking-requests-shape.ts'
import { LAPSES_AFTER_WORKING_HOURS } from '../../../../shared/booking-requests/lapse.ts'
import { message } from '../../../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import {
  declareListEndpoint,
  declareReadEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const refusals = ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS] as const
const optionalCondition = (value: string, condition: string) => `(${value} IS NULL OR ${condition})`

export const bookingRequestEndpoints = declareResourceEndpoints({
  tag: 'Booking requests',
  ability: 'booking-write',
  missing: message`There is no booking request with this id.`,
})({
  listBookingRequests: declareListEndpoint('/booking-requests', {
    personal: 'requests',
    ability: 'read',
    summary: 'List booking requests',
    description: 'With a personal token, returns its owner’s requests and those that the owner may decide.',
    query: bookingRequestsQuery,
    values: ({ query }) => [query.state ?? null, query.user_id ?? null, query.bookable_id ?? null],
    item: bookingRequestSchema,
    listing: {
      name: 'booking-requests',
      item: bookingRequestJson,
      rows: `${BOOKING_REQUEST_ROWS_SQL} WHERE ${IS_REQUEST_SQL}
        AND ${optionalCondition('$1::text', 'booking_requests.state = $1')}
        AND ${optionalCondition('$2::bigint', 'booking_requests.user_id = $2')}
        AND ${optionalCondition('$3::bigint', 'booking_requests.bookable_id = $3')}`,
      order: { 'booking_requests.id': 'bigint' },
    },
  }),
  getBookingRequest: declareReadEndpoint('/booking-requests/{id}', {
    personal: 'requests',
    ability: 'read',
    summary: 'Get a booking request',
    answer: bookingRequestSchema,
    statement: { name: 'find-booking-request', text: selectBookingRequestSql('$1') },
  }),
  createBookingRequest: declareWriteEndpoint('POST /booking-requests', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Request a booking',
    description:
      'For bookables whose bookings need approval. Takes the body of POST bookings, and for an event in a meeting room a title and ' +
      'attendees, and reserves the time until an approver decides. ' +
      `A pending request lapses after ${LAPSES_AFTER_WORKING_HOURS} working hours of the building, or at its start if that comes first. ` +
      'Working hours are the opening hours of the building, except when it is closed. If it has no opening hours, they are Monday to Friday from 8:00 to 18:00.',
    query: newBookingRequestQuery,
    body: newBookingRequestSchema,
    refusals: [...refusals, 'too_many_open_requests'],
    job: 'booking-requests.create',
  }),
  approveBookingRequest: declareWriteEndpoint('POST /booking-requests/{id}/approve', {
    personal: 'own',
    summary: 'Approve a booking request',
    description:
      'Creates the booking or the event. Attendees who have left since are not invited. The owner of a personal token must be one of the approvers.',
    refusals: ['request_decided', ...refusals],
    job: 'booking-requests.approve',
  }),
  declineBookingRequest: declareWriteEndpoint('POST /booking-requests/{id}/decline', {
    personal: 'own',
    summary: 'Decline a booking request',
    body: declineSchema,
    refusals: ['request_decided'],
    job: 'booking-requests.decline',
  }),
  cancelBookingRequest: declareWriteEndpoint('DELETE /booking-requests/{id}', {
    personal: 'own',
    summary: 'Withdraw a booking request',
    description: 'A withdrawn request can still be retrieved.',
    refusals: ['request_decided'],
    job: 'booking-requests.withdraw',
  }),
})
