// Booking requests over HTTP, where bookings need approval.
import {
  bookingRequestSchema,
  bookingRequestsQuery,
  declineSchema,
} from '../../../../shared/booking-requests/booking-requests.ts'
import {
  bookingRequestJson,
  bookingRequestRows,
  IS_REQUEST,
  selectBookingRequest,
} from '../../../../shared/booking-requests/booking-requests-shape.ts'
import { LAPSES_AFTER_WORKING_HOURS } from '../../../../shared/booking-requests/lapse.ts'
import { newBookingSchema } from '../../../../shared/bookings/bookings.ts'
import { message } from '../../../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import { list, read, resource, write } from '../../../server/http/endpoint.ts'

const refusals = ['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS] as const
const whereGiven = (value: string, condition: string) => `(${value} IS NULL OR ${condition})`

export const bookingRequests = resource({
  tag: 'Booking requests',
  ability: 'booking-write',
  missing: message`There is no booking request with this id.`,
})({
  listBookingRequests: list('/booking-requests', {
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
      rows: `${bookingRequestRows} WHERE ${IS_REQUEST}
        AND ${whereGiven('$1::text', 'booking_requests.state = $1')}
        AND ${whereGiven('$2::bigint', 'booking_requests.user_id = $2')}
        AND ${whereGiven('$3::bigint', 'booking_requests.bookable_id = $3')}`,
      order: { 'booking_requests.id': 'bigint' },
    },
  }),
  getBookingRequest: read('/booking-requests/{id}', {
    personal: 'requests',
    ability: 'read',
    summary: 'Get a booking request',
    answer: bookingRequestSchema,
    statement: { name: 'find-booking-request', text: selectBookingRequest('$1') },
  }),
  createBookingRequest: write('POST /booking-requests', {
    personal: 'own',
    ownerField: 'user_id',
    summary: 'Request a booking',
    description:
      'For bookables whose bookings need approval. Takes the same body as POST bookings, and reserves the time until an approver decides. ' +
      `A pending request lapses after ${LAPSES_AFTER_WORKING_HOURS} working hours of the building, or at its start if that comes first. ` +
      'Working hours are the opening hours of the building, except when it is closed. If it has no opening hours, they are Monday to Friday from 8:00 to 18:00.',
    body: newBookingSchema,
    refusals: [...refusals, 'too_many_open_requests'],
    job: 'booking-requests.create',
  }),
  approveBookingRequest: write('POST /booking-requests/{id}/approve', {
    personal: 'own',
    summary: 'Approve a booking request',
    description: 'Creates the booking. The owner of a personal token must be one of the approvers.',
    refusals: ['request_decided', ...refusals],
    job: 'booking-requests.approve',
  }),
  declineBookingRequest: write('POST /booking-requests/{id}/decline', {
    personal: 'own',
    summary: 'Decline a booking request',
    body: declineSchema,
    refusals: ['request_decided'],
    job: 'booking-requests.decline',
  }),
  cancelBookingRequest: write('DELETE /booking-requests/{id}', {
    personal: 'own',
    summary: 'Withdraw a booking request',
    description: 'A withdrawn request can still be retrieved.',
    refusals: ['request_decided'],
    job: 'booking-requests.withdraw',
  }),
})
