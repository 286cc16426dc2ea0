// Events: what the API takes and says of them.
import * as yup from 'yup'
import { dataAnswer, idAnswer, integerAnswer, listAnswer, textAnswer, timestampAnswer } from './answers.ts'
import { eventBookableSchema } from './bookables.ts'
import { object, queryId } from './fields.ts'
import { range } from './queries.ts'

export const EVENT_STATUSES = { confirmed: 1, cancelled: 2 } as const

const attendeeSchema = yup
  .object({
    id: idAnswer().meta({ description: 'The attendee’s own id.' }),
    name: textAnswer(),
    email: textAnswer(),
    role: integerAnswer([0, 1]).meta({ description: '0 = organizer, 1 = attendee' }),
    status: integerAnswer([0, 1, 2, 3]).meta({
      description: '0 = no answer, 1 = accepted, 2 = tentative, 3 = declined',
    }),
  })
  .meta({ component: 'Attendee' })

const organizer = yup.object({ name: textAnswer() })
const bookables = listAnswer(eventBookableSchema)
const named = { id: idAnswer(), name: textAnswer() }
const span = { from: timestampAnswer(), to: timestampAnswer() }
const state = {
  classification: integerAnswer([0, 1, 2, 3]).meta({
    description: '0 = public, 1 = private, 2 = confidential, 3 = default',
  }),
  status: integerAnswer(Object.values(EVENT_STATUSES)).meta({ description: '1 = confirmed, 2 = cancelled' }),
}
const people = { organizer, attendees: listAnswer(attendeeSchema) }

export const eventSchema = yup
  .object({ ...named, ...span, ...state, ...people, bookables })
  .meta({ component: 'Event' })

export const eventAnswer = dataAnswer(eventSchema)

export const listedEventSchema = yup
  .object({ ...named, ...span, organizer, bookables })
  .meta({ component: 'ListedEvent' })

export const todaysEventSchema = yup
  .object({
    ...named,
    description: textAnswer().meta({ description: 'Markdown.' }),
    ...span,
    from_timezone: textAnswer(),
    to_timezone: textAnswer(),
    ...state,
    ...people,
    bookables,
  })
  .meta({ component: 'TodaysEvent' })

const place = {
  building_id: queryId().meta({ description: 'Only events with a bookable in this building.' }),
  location_id: queryId().meta({ description: 'Only events with a bookable in this location.' }),
  bookable_id: queryId().meta({ description: 'Only events with this bookable.' }),
}

export const eventsQuery = object({ ...range, ...place })

const PLACES = Object.keys(place)

// Required is each of them, but only when the others are missing too: all three say so at once.
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
})
