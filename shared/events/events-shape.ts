// An event as the API shows one; each endpoint lists the members that it shows. The rows are those of events,
// with the organizer's row as organizers.

import { eventBookableJson } from '../bookables/bookables-shape.ts'
import { dataText, listJson, number, objectJson, selectJson, text, timestamp } from '../schemas/json.ts'
import type { Attendee, Event, ListedEvent, TodaysEvent } from './events.ts'

export const eventRows = 'events JOIN users AS organizers ON organizers.id = events.organizer_user_id'

const from = timestamp('lower(events.during)')
const to = timestamp('upper(events.during)')
const organizer = objectJson<{ name: string }>({ name: text('organizers.name') })

// The id of a user is the user's own, so that clients can send it back. Visitors without an id yet get one
// from upkeep.
const attendee = objectJson<Attendee>({
  id: number('coalesce(event_attendees.user_id, event_attendees.visitor_id, event_attendees.id)'),
  name: text('coalesce(users.name, event_attendees.email)'),
  email: text('coalesce(users.email, event_attendees.email)'),
  role: number('event_attendees.role'),
  status: number('event_attendees.status'),
})

const attendees = selectJson(
  listJson(attendee, 'event_attendees.id'),
  `FROM event_attendees
   LEFT JOIN users ON users.id = event_attendees.user_id
   WHERE event_attendees.event_id = events.id`,
)

const bookables = selectJson(
  listJson(eventBookableJson('bookables'), 'bookables.id'),
  `FROM bookings
   JOIN bookables ON bookables.id = bookings.bookable_id
   WHERE bookings.event_id = events.id`,
)

const state = { classification: number('events.classification'), status: number('events.status') }

export const eventJson = objectJson<Event>({
  id: number('events.id'),
  name: text('events.name'),
  from,
  to,
  ...state,
  organizer,
  attendees,
  bookables,
})

/** The statement of one event's answer, cancelled ones included: only listings leave them out. */
export const selectEvent = (id: string) =>
  `SELECT ${dataText(eventJson)} AS body FROM ${eventRows} WHERE events.id = ${id}`

export const listedEventJson = objectJson<ListedEvent>({
  id: number('events.id'),
  name: text('events.name'),
  from,
  to,
  organizer,
  bookables,
})

export const todaysEventJson = objectJson<TodaysEvent>({
  id: number('events.id'),
  name: text('events.name'),
  description: text('events.description'),
  from,
  from_timezone: text('events.from_timezone'),
  to,
  to_timezone: text('events.to_timezone'),
  ...state,
  organizer,
  attendees,
  bookables,
})
