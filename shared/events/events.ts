// Events: what the API shows of them, and what it takes to find them. The jobs that write them are in event-jobs.ts.
import * as yup from 'yup'
import { eventBookableSchema } from '../bookables/bookables.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, object, queryId } from '../schemas/fields.ts'
import { range } from '../schemas/queries.ts'

export const EVENT_STATUSES = { confirmed: 1, cancelled: 2 } as const
export const EVENT_CLASSIFICATIONS = { public: 0, private: 1, confidential: 2, default: 3 } as const
export const ATTENDEE_ROLES = { organizer: 0, attendee: 1 } as const
export const ATTENDEE_STATUSES = { noAnswer: 0, accepted: 1, tentative: 2, declined: 3 } as const

export const ATTENDEE_TYPES = ['user', 'visitor', 'bookable'] as const

const ONLY_DETAILS = 'Only with include=details.'

const attendee = {
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

export const attendeeSchema = yup.object(attendee)
export const detailedAttendeeSchema = yup.object({ ...attendee, ...attendeeDetails })
export const detailedOrganizerSchema = yup.object({ ...organizerDetails, ...organizer })

const named = { id: answer.id(), name: answer.text() }
const span = { from: answer.timestamp(), to: answer.timestamp() }
const state = {
  classification: answer.oneNumberOf(
    EVENT_CLASSIFICATIONS,
    '0 = public, 1 = private, 2 = confidential, 3 = default',
  ),
  status: answer.oneNumberOf(EVENT_STATUSES, '1 = confirmed, 2 = cancelled'),
}
const zones = { from_timezone: answer.text(), to_timezone: answer.text() }
const description = answer.text('Markdown.')
const bookables = answer.list(eventBookableSchema)
const people = { organizer: yup.object(organizer), attendees: answer.list(attendeeSchema) }
const series = { series_id: answer.id('Always null, because events do not repeat yet.').nullable() }

// What each answer shows without details.
export const plainEventSchema = yup.object({ ...named, ...span, ...state, ...people, bookables })
export const plainListedEventSchema = yup.object({
  ...named,
  ...span,
  organizer: people.organizer,
  bookables,
})
export const plainTodaysEventSchema = yup.object({
  ...named,
  description,
  from: span.from,
  from_timezone: zones.from_timezone,
  to: span.to,
  to_timezone: zones.to_timezone,
  ...state,
  ...people,
  bookables,
})

/** What all of these answers show with details. */
export const detailedEventSchema = yup.object({
  ...named,
  description,
  ...span,
  ...zones,
  ...state,
  organizer: detailedOrganizerSchema,
  attendees: answer.list(detailedAttendeeSchema),
  bookables,
  ...series,
})

// Each answer with and without details.
const eitherPeople = {
  organizer: yup.object({ ...organizer, ...answer.sometimesEach(organizerDetails) }),
  attendees: answer.list(
    yup.object({ ...attendee, ...answer.sometimesEach(attendeeDetails) }).meta({ component: 'Attendee' }),
  ),
}
const sometimesDetails = answer.sometimesEach({
  description: answer.text(`Markdown. ${ONLY_DETAILS}`),
  from_timezone: answer.text(ONLY_DETAILS),
  to_timezone: answer.text(ONLY_DETAILS),
  series_id: answer.id(`${ONLY_DETAILS} Always null, because events do not repeat yet.`).nullable(),
})

export const eventSchema = plainEventSchema
  .shape({ ...eitherPeople, ...sometimesDetails })
  .meta({ component: 'Event' })

export const listedEventSchema = plainListedEventSchema
  .shape({
    organizer: eitherPeople.organizer,
    ...answer.sometimesEach({ ...state, attendees: eitherPeople.attendees }),
    ...sometimesDetails,
  })
  .meta({ component: 'ListedEvent' })

export const todaysEventSchema = plainTodaysEventSchema
  .shape({ ...eitherPeople, series_id: sometimesDetails.series_id })
  .meta({ component: 'TodaysEvent' })

export const include = () =>
  choice(['details'], (name) => message`${name} must be details.`).meta({
    description:
      'Set to “details” to include description, from_timezone, to_timezone, classification, status, attendees, series_id, organizer.id, ' +
      'and type and user_id of each attendee.',
  })
export const includeQuery = object({ include: include() })

const place = {
  building_id: queryId().meta({ description: 'Only events with a bookable in this building.' }),
  location_id: queryId().meta({ description: 'Only events with a bookable in this location.' }),
  bookable_id: queryId().meta({ description: 'Only events with this bookable.' }),
}

export const eventsQuery = object({ ...range, ...place, include: include() })

const PLACES = Object.keys(place)

// Each is required, but only if the others are missing too: then all three report it.
const oneOf = (schema: ReturnType<typeof queryId>) =>
  schema.test(
    'one-of',
    ({ path }) => `${path} is required when neither of the others is given.`,
    function test(value) {
      const query = this.parent as Record<string, unknown>
      return value !== undefined || PLACES.some((name) => query[name] !== undefined)
    },
  )

export const eventsTodayQuery = object({
  building_id: oneOf(place.building_id),
  location_id: oneOf(place.location_id),
  bookable_id: oneOf(place.bookable_id),
  include: include(),
})
