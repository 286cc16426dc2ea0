// The entries of a calendar's file.
import { flag, json, number, objectJson, text, timestamp } from '../schemas/json.ts'

/** A booking or an event of a calendar, with what its component in the file contains. */
export type CalendarEntry = {
  kind: 'booking' | 'event'
  id: number
  /** Grows with each change. */
  sequence: number
  cancelled: boolean
  from: string
  to: string | null
  created_at: string
  updated_at: string
  /** Its bookable, or the rooms of an event that has any. */
  bookables: string[]
  /** Whether the bookable is a room: bookings of anything else do not make their user busy. */
  is_room: boolean
  /** Location, building and address; null if it has no bookable. */
  place: string | null
  /** The person who has booked, or the guest. */
  person: string | null
  guest: string | null
  /** Of events only. */
  name: string | null
  description: string | null
  organizer: string | null
  classification: number | null
}

const MEETING_ROOM = 2

const nullable = (expression: string) => text<string | null>(expression)

/** For rows of `entries` with the bookables, places, users and events that they name. */
export const calendarEntryJson = objectJson<CalendarEntry>({
  kind: text<CalendarEntry['kind']>('entries.kind'),
  id: number('entries.id'),
  // Cancelling counts as a change too, and so does reinstating.
  sequence: number('entries.revision * 2 + entries.cancelled::int'),
  cancelled: flag('entries.cancelled'),
  from: timestamp('lower(entries.during)'),
  to: timestamp<string | null>('upper(entries.during)'),
  created_at: timestamp('entries.created_at'),
  updated_at: timestamp('entries.updated_at'),
  bookables: json<
    string[]
  >(`CASE WHEN events.id IS NULL THEN to_json(array_remove(ARRAY[bookables.name], NULL)) ELSE
    (SELECT coalesce(json_agg(rooms.name ORDER BY rooms.id), '[]') FROM bookings JOIN bookables AS rooms ON rooms.id = bookings.bookable_id
     WHERE bookings.event_id = events.id) END`),
  is_room: flag(`coalesce(bookables.type = ${MEETING_ROOM}, false)`),
  place: nullable(
    "nullif(concat_ws(', ', locations.name, buildings.name, nullif(buildings.address, '')), '')",
  ),
  person: nullable('users.name'),
  guest: nullable('entries.guest'),
  name: nullable('events.name'),
  description: nullable('events.description'),
  organizer: nullable('organizers.name'),
  classification: number<number | null>('events.classification'),
})
