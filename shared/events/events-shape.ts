// An event as the API shows one; each endpoint lists the members that it shows. The rows are those of events,
// with the organizer's row as organizers.
import { eventBookableJson } from '../bookables/bookables.ts'
import { attendeesSeenBy } from '../people/visibility.ts'
import { dataText, type JsonSql, listJson, objectJson, rowJson, selectJson, text } from '../schemas/json.ts'
import {
  attendeeSchema,
  detailedAttendeeSchema,
  detailedEventSchema,
  detailedOrganizerSchema,
  plainEventSchema,
  plainListedEventSchema,
  plainTodaysEventSchema,
} from './events.ts'

export const eventRows = 'events JOIN users AS organizers ON organizers.id = events.organizer_user_id'

// The id of a user is the user's own, so that clients can send it back. Visitors without an id yet get one
// from upkeep.
const shown = {
  id: 'coalesce(event_attendees.user_id, event_attendees.visitor_id, event_attendees.id)',
  name: 'coalesce(users.name, event_attendees.email)',
  email: 'coalesce(users.email, event_attendees.email)',
}
const attendee = rowJson(attendeeSchema, 'event_attendees', shown)
const detailedAttendee = rowJson(detailedAttendeeSchema, 'event_attendees', {
  ...shown,
  type: "CASE WHEN event_attendees.user_id IS NULL THEN 'visitor' ELSE 'user' END",
})

const listOf = <Attendee>(each: JsonSql<Attendee>, rows: string) =>
  selectJson(
    listJson(each, 'event_attendees.id'),
    `FROM ${rows} AS event_attendees
     LEFT JOIN users ON users.id = event_attendees.user_id
     WHERE event_attendees.event_id = events.id`,
  )

const listed = {
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

const shapesOf = (rows: string) => ({
  event: rowJson(plainEventSchema, 'events', { ...listed, attendees: listOf(attendee, rows) }),
  detailed: rowJson(detailedEventSchema, 'events', {
    ...listed,
    organizer: rowJson(detailedOrganizerSchema, 'organizers'),
    attendees: listOf(detailedAttendee, rows),
    series_id: 'NULL::bigint',
  }),
})

/** For statements of workers: the answer of the gateway to the person whose id is this SQL, or to other callers if it is null. */
export const eventShapesFor = (viewer: string) => shapesOf(`(${attendeesSeenBy(viewer)})`)

export const { event: eventJson, detailed: detailedEventJson } = shapesOf('event_attendees')
export const listedEventJson = rowJson(plainListedEventSchema, 'events', listed)
export const todaysEventJson = rowJson(plainTodaysEventSchema, 'events', {
  ...listed,
  attendees: listOf(attendee, 'event_attendees'),
})

/** The statement of one event's answer, cancelled ones included: only listings leave them out. */
export const selectEvent = (id: string, shape: JsonSql<object> = eventJson) =>
  `SELECT ${dataText(shape)} AS body FROM ${eventRows} WHERE events.id = ${id}`
