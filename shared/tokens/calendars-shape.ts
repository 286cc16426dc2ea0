// The entries of a calendar's file.
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { EVENT_CLASSIFICATIONS } from '../events/events.ts'
import { isShown, shownName } from '../people/shown-names.ts'
import { flag, json, number, objectJson, text, timestamp } from '../schemas/json.ts'

const { private: isPrivate, confidential } = EVENT_CLASSIFICATIONS
const nullable = (expression: string) => text<string | null>(expression)

/** The SQL for the people and texts of an entry. */
type People = Record<'person' | 'guest' | 'name' | 'description' | 'organizer', string>

// For people's own calendars.
const EVERYTHING: People = {
  person: 'users.name',
  guest: 'entries.guest',
  name: 'events.name',
  description: 'events.description',
  organizer: 'organizers.name',
}

/** For everybody who has the address of a place’s calendar; `names` is SQL. A guest is named only if the person who booked shows themselves to everybody. */
function peopleFor(names: string): People {
  const inFull = (people: string, value: string) =>
    `CASE WHEN ${names} = 'full' AND ${isShown(people)} THEN ${value} END`
  return {
    person: shownName('users', names, 'entries.guest IS NULL'),
    guest: inFull('users', 'entries.guest'),
    name: inFull('organizers', 'events.name'),
    description: inFull('organizers', 'events.description'),
    organizer: shownName('organizers', names, `events.classification NOT IN (${isPrivate}, ${confidential})`),
  }
}

/** A booking or an event: for rows of `entries` with the bookables, places, users and events that they name. */
const entryJson = (people: People) =>
  objectJson({
    kind: text<'booking' | 'event'>('entries.kind'),
    id: number('entries.id'),
    // Grows with each change, including cancelling and reinstating.
    sequence: number('entries.revision * 2 + entries.cancelled::int'),
    cancelled: flag('entries.cancelled'),
    from: timestamp('lower(entries.during)'),
    to: timestamp<string | null>('upper(entries.during)'),
    created_at: timestamp('entries.created_at'),
    updated_at: timestamp('entries.updated_at'),
    /** Its bookable, or the rooms of an event. */
    bookables: json<
      string[]
    >(`CASE WHEN events.id IS NULL THEN to_json(array_remove(ARRAY[bookables.name], NULL)) ELSE
    (SELECT coalesce(json_agg(rooms.name ORDER BY rooms.id), '[]') FROM bookings JOIN bookables AS rooms ON rooms.id = bookings.bookable_id
     WHERE bookings.event_id = events.id) END`),
    /** Bookings of anything but a room do not make their user busy. */
    is_room: flag(`coalesce(bookables.type = ${BOOKABLE_TYPES.meetingRoom}, false)`),
    /** Location, building and address; null if it has no bookable, and for a home office. */
    place: nullable(`CASE WHEN bookables.type <> ${BOOKABLE_TYPES.homeOffice}
      THEN nullif(concat_ws(', ', locations.name, buildings.name, nullif(buildings.address, '')), '') END`),
    /** The person who booked, or the guest. */
    person: nullable(people.person),
    guest: nullable(people.guest),
    // Only events have these fields.
    name: nullable(people.name),
    description: nullable(people.description),
    organizer: nullable(people.organizer),
    classification: number<number | null>('events.classification'),
  })
export const calendarEntryJson = entryJson(EVERYTHING)
export const placeEntryJson = (names: string) => entryJson(peopleFor(names))
export type CalendarEntry = typeof calendarEntryJson.built
