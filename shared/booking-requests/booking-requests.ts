// Booking requests, where bookings need approval: what the API takes and shows of them, and the jobs that write them.
import * as yup from 'yup'
import { bookableInBuildingSchema } from '../bookables/bookables.ts'
import { newBookingSchema } from '../bookings/bookings.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, object, queryId, text } from '../schemas/fields.ts'
import { byId } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { userSchema } from '../users/users.ts'

export const REQUEST_STATES = ['pending', 'approved', 'declined', 'withdrawn', 'lapsed', 'released'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

export const bookingRequestSchema = yup
  .object({
    id: answer.id(),
    state: answer.oneOf(REQUEST_STATES).meta({
      description:
        '“lapsed” means that nobody decided in time, “released” that the bookable became unavailable.',
    }),
    from: answer.timestamp(),
    to: answer.timestamp(),
    bookable: bookableInBuildingSchema,
    user: userSchema,
    guest: answer.text('The guest’s name, or their e-mail if there is no name.').nullable(),
    booking_info: answer.text('The purpose of the booking.').nullable(),
    created_at: answer.timestamp(),
    expires_at: answer.timestamp('When a pending request lapses.'),
    decided_at: answer.timestamp('When the request was decided, withdrawn, released or lapsed.').nullable(),
    decided_by: yup
      .object({ type: answer.oneOf(['user', 'admin']), id: answer.id(), name: answer.text() })
      .nullable()
      .meta({
        component: 'RequestDecider',
        description:
          'Who decided the request. null if it was decided with a token that is not personal, if it lapsed, or if the person who decided hides from the owner of a personal token.',
      }),
    reason: answer.text('The reason for declining the request.').nullable(),
    booking_id: answer
      .id('The booking created from the approved request. null if it no longer exists.')
      .nullable(),
  })
  .meta({ component: 'BookingRequest' })
export type BookingRequest = yup.InferType<typeof bookingRequestSchema>

export const bookingRequestsQuery = object({
  state: choice(REQUEST_STATES, (name) => message`${name} must be one of the states of a request.`).meta({
    description: 'Only requests in this state.',
  }),
  user_id: queryId().meta({ description: 'Only requests of this user.' }),
  bookable_id: queryId().meta({ description: 'Only requests for this bookable.' }),
})

export const declineSchema = object({
  reason: text({ max: 1_000 })
    .nullable()
    .meta({ description: 'The reason, which the person who requested the booking can read.' }),
})

const replied = answer.data(bookingRequestSchema)

export const bookingRequestJobs = {
  'booking-requests.create': write(newBookingSchema, replied),
  'booking-requests.approve': write(byId, replied),
  'booking-requests.decline': write(declineSchema.concat(byId), replied),
  'booking-requests.withdraw': write(byId, null),
}
