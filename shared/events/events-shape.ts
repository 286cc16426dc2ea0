// SQL for events as the API shows them. Each endpoint lists the fields that it shows. The SQL reads from `events`,
// joined with the organizer's row as `organizers`.
import { eventBookableJson } from '../bookables/bookables.ts'
import { attendeesSeenBySql } from '../people/visibility.ts'
import {
  dataBodyText,
  type JsonSql,
  listJson,
  objectJson,
  rowJson,
  selectJson,
  text,
} from '../schemas/json.ts'
import {
  attendeeSchema,
  detailedAttendeeSchema,
  detailedEventSchema,
  detailedOrganizerSchema,
  plainEventSchema,
  plainListedEventSchema,
  plainTodaysEventSchema,
} from './events.ts'

export const EVENT_ROWS_SQL = 'events JOIN users AS organizers ON organizers.id = events.organizer_user_id'

// The columns of an attendee. The id of an attendee who is a user is the user's id, so that clients can send it back.
// Upkeep gives an id to visitors who have none yet.
const attendeeMembers = {
  id: 'coalesce(event_attendees.user_id, event_attendees.visitor_id, event_attendees.id)',
  name: 'coalesce(users.name, event_attendees.email)',
  email: 'coalesce(users.email, event_attendees.email)',
}
const attendeeJson = rowJson(attendeeSchema, 'event_attendees', attendeeMembers)
const detailedAttendeeJson = rowJson(detailedAttendeeSchema, 'event_attendees', {
  ...attendeeMembers,
  name: 'coalesce(users.name, event_attendees.name, event_attendees.email)',
  type: "CASE WHEN event_attendees.user_id IS NULL THEN 'visitor' ELSE 'user' END",
})

const listAttendeesJson = <Attendee>(each: JsonSql<Attendee>, rows: string) =>
  selectJson(
    listJson(each, 'event_attendees.id'),
    `FROM ${rows} AS event_attendees
     LEFT JOIN users ON users.id = event_attendees.user_id
     WHERE event_attendees.event_id = events.id`,
  )

const listedMembers = {
  from: 'lower(events.during)',
  to: 'upper(events.during)',
  organizer: objectJson<{ name: string }>({ name: text('organizers.name') }),
  bookables: selectJson(
    listJson(eventBookableJson, 'bookables.id'),
    `FROM bookings
     JOIN bookables ON bookables.id = bookings.bookable_id
     WHERE bookings.event_id = events.id`,
  ),
}

const createEventShapes = (rows: string) => ({
  event: rowJson(plainEventSchema, 'events', {
    ...listedMembers,
    attendees: listAttendeesJson(attendeeJson, rows),
  }),
  detailed: rowJson(detailedEventSchema, 'events', {
    ...listedMembers,
    organizer: rowJson(detailedOrganizerSchema, 'organizers'),
    attendees: listAttendeesJson(detailedAttendeeJson, rows),
  }),
})

/** SQL for workers' statements: events as the gateway shows them to the person whose id is the SQL `viewer`.
 * If the id is null, the events are as other callers see them. */
export const createEventShapesFor = (viewer: string) => createEventShapes(`(${attendeesSeenBySql(viewer)})`)

export const { event: eventJson, detailed: detailedEventJson } = createEventShapes('event_attendees')
export const listedEventJson = rowJson(plainListedEventSchema, 'events', listedMembers)
export const todaysEventJson = rowJson(plainTodaysEventSchema, 'events', {
  ...listedMembers,
  attendees: listAttendeesJson(attendeeJson, 'event_attendees'),
})

/** SQL that selects the API's response for one event. Includes cancelled events, although listings leave them out. */
export const selectEventSql = (id: string, shape: JsonSql<object> = eventJson) =>
  `SELECT ${dataBodyText(shape)} AS body FROM ${EVENT_ROWS_SQL} WHERE events.id = ${id}`
