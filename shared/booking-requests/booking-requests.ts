// Defines the API schemas of booking requests, for places where bookings need approval, and the jobs that
// write them.
import * as yup from 'yup'
import { bookableInBuildingSchema } from '../bookables/bookables.ts'
import { newBookingSchema } from '../bookings/bookings.ts'
import { ATTENDEES_MAX, attendeeInputSchema } from '../events/event-jobs.ts'
import { ATTENDEE_TYPES, eventWriteQuery } from '../events/events.ts'
import { message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { choice, list, object, queryId, required, text, treatNullAsAbsent } from '../schemas/fields.ts'
import { idInput } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { userSchema } from '../users/users.ts'

export const REQUEST_STATES = ['pending', 'approved', 'declined', 'withdrawn', 'lapsed', 'released'] as const
export type RequestState = (typeof REQUEST_STATES)[number]

const [USER, VISITOR] = ATTENDEE_TYPES

export const requestedAttendeeSchema = yup
  .object({
    type: answer.oneOf([USER, VISITOR]),
    user_id: answer.id('null for a visitor.').nullable(),
    name: answer.text(),
    email: answer.text(),
  })
  .meta({ component: 'RequestedAttendee' })

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
    title: answer.text('The title of the requested event. null for a request of a booking.').nullable(),
    attendees: answer.list(requestedAttendeeSchema).meta({
      description:
        'The attendees besides the organizer. A personal token sees no attendees who hide from its owner.',
    }),
    invite: answer.flag().meta({ description: 'Whether approving the request invites the attendees.' }),
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
    event_id: answer.id('The event created from the approved request.').nullable(),
  })
  .meta({ component: 'BookingRequest' })
export type BookingRequest = yup.InferType<typeof bookingRequestSchema>

const meetingFields = {
  title: treatNullAsAbsent(text({ max: 255, min: 1 })).meta({
    description:
      'The title of an event. With a title, approving the request creates an event in the meeting room instead of a booking; ' +
      'booking_info becomes its description.',
  }),
  attendees: treatNullAsAbsent(list(required(attendeeInputSchema), { max: ATTENDEES_MAX }))
    .test(
      'titled',
      createFieldMessage(() => message`People can only be invited to a meeting with a title.`),
      (attendees, { parent: { title } }) => !attendees?.length || Boolean(title),
    )
    .meta({
      description: 'The users and visitors who attend the event, as for POST events.',
      whenAbsent: [],
    }),
}

export const newBookingRequestSchema = newBookingSchema.shape(meetingFields)
export const newBookingRequestQuery = eventWriteQuery.pick(['invite'])

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

const replySchema = answer.data(bookingRequestSchema)

export const bookingRequestJobs = {
  'booking-requests.create': writeJob(newBookingRequestSchema.concat(newBookingRequestQuery), replySchema),
  'booking-requests.approve': writeJob(idInput, replySchema),
  'booking-requests.decline': writeJob(declineSchema.concat(idInput), replySchema),
  'booking-requests.withdraw': writeJob(idInput, null),
}
