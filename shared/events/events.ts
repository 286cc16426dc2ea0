// Defines the API schemas for responses and queries about events. The jobs that write events are in
// event-jobs.ts.
import * as yup from 'yup'
import { eventBookableSchema } from '../bookables/bookables.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, object, queryFlag, queryId } from '../schemas/fields.ts'
import { timeRangeFields } from '../schemas/queries.ts'

export const EVENT_STATUSES = { confirmed: 1, cancelled: 2 } as const
export const EVENT_CLASSIFICATIONS = { public: 0, private: 1, confidential: 2, default: 3 } as const
export const ATTENDEE_ROLES = { organizer: 0, attendee: 1 } as const
export const ATTENDEE_STATUSES = { noAnswer: 0, accepted: 1, tentative: 2, declined: 3 } as const

export const ATTENDEE_TYPES = ['user', 'visitor', 'bookable'] as const

const ONLY_DETAILS = 'Only with include=details.'

const attendeeFields = {
  id: answer.id('The id of the user or visitor. The id of a visitor is never the id of a user.'),
  name: answer.text(),
  email: answer.text(),
  role: answer.oneNumberOf(ATTENDEE_ROLES, '0 = organizer, 1 = attendee'),
  status: answer.oneNumberOf(ATTENDEE_STATUSES, '0 = no answer, 1 = accepted, 2 = tentative, 3 = declined'),
}
const attendeeDetails = {
  type: answer.oneOf(['user', 'visitor'], ONLY_DETAILS),
  user_id: answer.id(`null for a visitor. ${ONLY_DETAILS}`).nullable(),
}
const organizer = { name: answer.text() }
const organizerDetails = { id: answer.id(ONLY_DETAILS) }

export const attendeeSchema = yup.object(attendeeFields)
export const detailedAttendeeSchema = yup.object({ ...attendeeFields, ...attendeeDetails })
export const detailedOrganizerSchema = yup.object({ ...organizerDetails, ...organizer })

const namedFields = { id: answer.id(), name: answer.text() }
const spanFields = { from: answer.timestamp(), to: answer.timestamp() }
const stateFields = {
  classification: answer.oneNumberOf(
    EVENT_CLASSIFICATIONS,
    '0 = public, 1 = private, 2 = confidential, 3 = default',
  ),
  status: answer.oneNumberOf(EVENT_STATUSES, '1 = confirmed, 2 = cancelled'),
}
const zoneFields = { from_timezone: answer.text(), to_timezone: answer.text() }
const description = answer.text('Markdown.')
const bookables = answer.list(eventBookableSchema)
const peopleFields = { organizer: yup.object(organizer), attendees: answer.list(attendeeSchema) }
const series = { series_id: answer.id('The series that the event belongs to.').nullable() }

// The responses about events, if the request does not ask for details.
export const plainEventSchema = yup.object({
  ...namedFields,
  ...spanFields,
  ...stateFields,
  ...peopleFields,
  bookables,
})
export const plainListedEventSchema = yup.object({
  ...namedFields,
  ...spanFields,
  organizer: peopleFields.organizer,
  bookables,
})
export const plainTodaysEventSchema = yup.object({
  ...namedFields,
  description,
  from: spanFields.from,
  from_timezone: zoneFields.from_timezone,
  to: spanFields.to,
  to_timezone: zoneFields.to_timezone,
  ...stateFields,
  ...peopleFields,
  bookables,
})

/** An event in the response to any request for details. */
export const detailedEventSchema = yup.object({
  ...namedFields,
  description,
  ...spanFields,
  ...zoneFields,
  ...stateFields,
  organizer: detailedOrganizerSchema,
  attendees: answer.list(detailedAttendeeSchema),
  bookables,
  ...series,
})

// The documentation describes responses with and without details in one schema, so fields that appear only with details
// are optional.
const eitherPeople = {
  organizer: yup.object({ ...organizer, ...answer.sometimesEach(organizerDetails) }),
  attendees: answer.list(
    yup
      .object({ ...attendeeFields, ...answer.sometimesEach(attendeeDetails) })
      .meta({ component: 'Attendee' }),
  ),
}
const sometimesDetails = answer.sometimesEach({
  description: answer.text(`Markdown. ${ONLY_DETAILS}`),
  from_timezone: answer.text(ONLY_DETAILS),
  to_timezone: answer.text(ONLY_DETAILS),
  series_id: answer.id(`The series that the event belongs to. ${ONLY_DETAILS}`).nullable(),
})

export const eventSchema = plainEventSchema
  .shape({ ...eitherPeople, ...sometimesDetails })
  .meta({ component: 'Event' })

export const listedEventSchema = plainListedEventSchema
  .shape({
    organizer: eitherPeople.organizer,
    ...answer.sometimesEach({ ...stateFields, attendees: eitherPeople.attendees }),
    ...sometimesDetails,
  })
  .meta({ component: 'ListedEvent' })

export const todaysEventSchema = plainTodaysEventSchema
  .shape({ ...eitherPeople, series_id: sometimesDetails.series_id })
  .meta({ component: 'TodaysEvent' })

export const includeInput = () =>
  choice(['details'], (name) => message`${name} must be “details”.`).meta({
    description:
      'Set to “details” to include description, from_timezone, to_timezone, classification, status, attendees, series_id, organizer.id, ' +
      'and type and user_id of each attendee.',
  })
export const includeQuery = object({ include: includeInput() })
export const eventWriteQuery = object({
  include: includeInput(),
  invite: queryFlag().meta({
    description:
      'Set to true to mail an invitation to the organizer and to all attendees who have an address. From then on, Berth also mails ' +
      'them every change of the event.',
  }),
})

const placeFields = {
  building_id: queryId().meta({ description: 'Only events with a bookable in this building.' }),
  location_id: queryId().meta({ description: 'Only events with a bookable in this location.' }),
  bookable_id: queryId().meta({ description: 'Only events with this bookable.' }),
}

export const eventsQuery = object({ ...timeRangeFields, ...placeFields, include: includeInput() })

const PLACE_FIELD_NAMES = Object.keys(placeFields)

// At least one of these fields is required. If all of them are missing, each field reports it.
const requireOnePlace = (schema: ReturnType<typeof queryId>) =>
  schema.test(
    'one-of',
    ({ path }) => `${path} is required when neither of the others is given.`,
    function test(value) {
      const query = this.parent as Record<string, unknown>
      return value !== undefined || PLACE_FIELD_NAMES.some((name) => query[name] !== undefined)
    },
  )

export const eventsTodayQuery = object({
  building_id: requireOnePlace(placeFields.building_id),
  location_id: requireOnePlace(placeFields.location_id),
  bookable_id: requireOnePlace(placeFields.bookable_id),
  include: includeInput(),
})
