// A calendar at a secret address as the API shows it, and the entries of its file.

import { flag, json, number, objectJson, text, timestamp } from '../schemas/json.ts'
import type { Calendar, CalendarWithUrl } from './calendars.ts'

const members = {
  id: number('calendars.id'),
  user_id: number<number | null>('calendars.user_id'),
  bookable_id: number<number | null>('calendars.bookable_id'),
  location_id: number<number | null>('calendars.location_id'),
  created_at: timestamp('calendars.created_at'),
}

export const calendarJson = objectJson<Calendar>(members)

export const calendarWithUrlJson = (url: string) =>
  objectJson<CalendarWithUrl>({ ...members, url: text(`${url}::text`) })

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
