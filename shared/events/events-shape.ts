// An event as the API shows one; each endpoint lists the members that it shows. The rows are those of events,
// with the organizer's row as organizers.
import { eventBookableJson } from '../bookables/bookables.ts'
import { dataText, listJson, objectJson, rowJson, selectJson, text } from '../schemas/json.ts'
import { attendeeSchema, eventSchema, listedEventSchema, todaysEventSchema } from './events.ts'

export const eventRows = 'events JOIN users AS organizers ON organizers.id = events.organizer_user_id'

// The id of a user is the user's own, so that clients can send it back. Visitors without an id yet get one
// from upkeep.
const attendee = rowJson(attendeeSchema, 'event_attendees', {
  id: 'coalesce(event_attendees.user_id, event_attendees.visitor_id, event_attendees.id)',
  name: 'coalesce(users.name, event_attendees.email)',
  email: 'coalesce(users.email, event_attendees.email)',
})

const attendees = selectJson(
  listJson(attendee, 'event_attendees.id'),
  `FROM event_attendees
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

export const listedEventJson = rowJson(listedEventSchema, 'events', listed)
export const eventJson = rowJson(eventSchema, 'events', { ...listed, attendees })
export const todaysEventJson = rowJson(todaysEventSchema, 'events', { ...listed, attendees })

/** The statement of one event's answer, cancelled ones included: only listings leave them out. */
export const selectEvent = (id: string) =>
  `SELECT ${dataText(eventJson)} AS body FROM ${eventRows} WHERE events.id = ${id}`
