// SQL for the entries in a calendar file.
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { EVENT_CLASSIFICATIONS, EVENT_STATUSES } from '../events/events.ts'
import { isPersonShownSql, shownNameSql } from '../people/shown-names.ts'
import { flag, json, number, objectJson, text, timestamp } from '../schemas/json.ts'
import type { Repetition } from '../series/repetition.ts'

const { private: isPrivate, confidential } = EVENT_CLASSIFICATIONS
const nullableText = (expression: string) => text<string | null>(expression)

/** SQL for each name and text in a calendar entry. */
type PeopleSql = Record<'person' | 'guest' | 'name' | 'description' | 'organizer', string>

// In their own calendars, people see all names and texts.
const ALL_PEOPLE_SQL: PeopleSql = {
  person: 'users.name',
  guest: 'entries.guest',
  name: 'events.name',
  description: 'events.description',
  organizer: 'organizers.name',
}

/**
 * SQL for what everybody who has the URL of a place's calendar may see. `names` is SQL for the choice of how people are
 * named. A guest is named only if the person who booked is visible to everybody.
 */
function createPeopleSql(names: string): PeopleSql {
  const inFull = (people: string, value: string) =>
    `CASE WHEN ${names} = 'full' AND ${isPersonShownSql(people)} THEN ${value} END`
  return {
    person: shownNameSql('users', names, 'entries.guest IS NULL'),
    guest: inFull('users', 'entries.guest'),
    name: inFull('organizers', 'events.name'),
    description: inFull('organizers', 'events.description'),
    organizer: shownNameSql(
      'organizers',
      names,
      `events.classification NOT IN (${isPrivate}, ${confidential})`,
    ),
  }
}

type EntrySeries = {
  id: number
  repeat: Repetition
  timezone: string
  /** Increases with each change of an event of the series. Events are never deleted. */
  sequence: number
}
const SERIES_SQL = `(SELECT json_build_object('id', series.id, 'repeat', series.repeat, 'timezone', series.timezone,
    'sequence', (SELECT sum(also.revision * 2 + (also.status = ${EVENT_STATUSES.cancelled})::int) FROM events AS also WHERE also.series_id = series.id))
  FROM series WHERE series.id = events.series_id)`

/**
 * The JSON of a booking or an event in a calendar. Reads rows of `entries`, joined with their bookables, places, users
 * and events.
 */
const createEntryJson = (people: PeopleSql) =>
  objectJson({
    kind: text<'booking' | 'event'>('entries.kind'),
    id: number('entries.id'),
    // The sequence number increases with each change, including cancelling and reinstating.
    sequence: number('entries.revision * 2 + entries.cancelled::int'),
    cancelled: flag('entries.cancelled'),
    from: timestamp('lower(entries.during)'),
    to: timestamp<string | null>('upper(entries.during)'),
    created_at: timestamp('entries.created_at'),
    updated_at: timestamp('entries.updated_at'),
    /** The name of the booking's bookable, or of the event's rooms. */
    bookables: json<
      string[]
    >(`CASE WHEN events.id IS NULL THEN to_json(array_remove(ARRAY[bookables.name], NULL)) ELSE
    (SELECT coalesce(json_agg(rooms.name ORDER BY rooms.id), '[]') FROM bookings JOIN bookables AS rooms ON rooms.id = bookings.bookable_id
     WHERE bookings.event_id = events.id AND bookings.released_at IS NULL) END`),
    /** Whether the entry is for a room, because only room bookings make a person busy. */
    is_room: flag(`coalesce(bookables.type = ${BOOKABLE_TYPES.meetingRoom}, false)`),
    /** The location, building and address. Null for home offices, and if there is no bookable. */
    place: nullableText(`CASE WHEN bookables.type <> ${BOOKABLE_TYPES.homeOffice}
      THEN nullif(concat_ws(', ', locations.name, buildings.name, nullif(buildings.address, '')), '') END`),
    /** The person who booked, or the guest of the booking. */
    person: nullableText(people.person),
    guest: nullableText(people.guest),
    // This field and the fields after it are set only for events.
    name: nullableText(people.name),
    description: nullableText(people.description),
    organizer: nullableText(people.organizer),
    classification: number<number | null>('events.classification'),
    /** The start that the repetition of the series gives the event. */
    occurs_at: timestamp<string | null>('events.occurs_at'),
    series: json<EntrySeries | null>(SERIES_SQL),
  })
export const calendarEntryJson = createEntryJson(ALL_PEOPLE_SQL)
export const placeEntryJson = (names: string) => createEntryJson(createPeopleSql(names))
export type CalendarEntry = typeof calendarEntryJson.built
