// The entries of a calendar's file.
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { flag, json, number, objectJson, text, timestamp } from '../schemas/json.ts'

const nullable = (expression: string) => text<string | null>(expression)

/** A booking or an event: for rows of `entries` with the bookables, places, users and events that they name. */
export const calendarEntryJson = objectJson({
  kind: text<'booking' | 'event'>('entries.kind'),
  id: number('entries.id'),
  // Grows with each change: cancelling counts too, and so does reinstating.
  sequence: number('entries.revision * 2 + entries.cancelled::int'),
  cancelled: flag('entries.cancelled'),
  from: timestamp('lower(entries.during)'),
  to: timestamp<string | null>('upper(entries.during)'),
  created_at: timestamp('entries.created_at'),
  updated_at: timestamp('entries.updated_at'),
  /** Its bookable, or the rooms of an event that has any. */
  bookables: json<
    string[]
  >(`CASE WHEN events.id IS NULL THEN to_json(array_remove(ARRAY[bookables.name], NULL)) ELSE
    (SELECT coalesce(json_agg(rooms.name ORDER BY rooms.id), '[]') FROM bookings JOIN bookables AS rooms ON rooms.id = bookings.bookable_id
     WHERE bookings.event_id = events.id) END`),
  /** Bookings of anything but a room do not make their user busy. */
  is_room: flag(`coalesce(bookables.type = ${BOOKABLE_TYPES.meetingRoom}, false)`),
  /** Location, building and address; null if it has no bookable. */
  place: nullable(
    "nullif(concat_ws(', ', locations.name, buildings.name, nullif(buildings.address, '')), '')",
  ),
  /** The person who has booked, or the guest. */
  person: nullable('users.name'),
  guest: nullable('entries.guest'),
  // Of events only.
  name: nullable('events.name'),
  description: nullable('events.description'),
  organizer: nullable('organizers.name'),
  classification: number<number | null>('events.classification'),
})
export type CalendarEntry = typeof calendarEntryJson.built
