// Queries for events in the dashboard, including cancelled ones, and for attendees' responses.
import type pg from 'pg'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { column, flag, instant, list, number, orNull, text } from '../../../reads/rows/rows.ts'
import type { Listed, Slice } from '../../../reads/rows/slices.ts'
import { selectBounded } from '../../pages/search/bounded-list.ts'
import type { Order } from '../../pages/ui/sorting.ts'

const ROOMS_NAMED = 5

const JOIN_ORGANIZERS = 'JOIN users AS organizers ON organizers.id = events.organizer_user_id'

const roomNames = (limit?: number) =>
  column<
    string[]
  >(`ARRAY(SELECT bookables.name FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
    WHERE bookings.event_id = events.id ORDER BY ${naturalSql('bookables.name')}, bookables.id LIMIT ${limit ?? 'ALL'})`)

const EVENT = {
  id: number('events.id'),
  name: text('events.name'),
  ...rows.spanOf('events'),
  fromZone: text('events.from_timezone'),
  toZone: text('events.to_timezone'),
  status: number('events.status'),
  organizerId: number('organizers.id'),
  organizer: text('organizers.name'),
}
export type EventFacts = rows.RowOf<typeof EVENT>

const LISTED = {
  ...EVENT,
  people: number('(SELECT count(*)::integer FROM event_attendees WHERE event_id = events.id)'),
  rooms: roomNames(ROOMS_NAMED),
}
export type EventRow = rows.RowOf<typeof LISTED>

const ATTENDEE = {
  userId: orNull(number('users.id')),
  name: text('coalesce(users.name, event_attendees.email)'),
  email: text('coalesce(users.email, event_attendees.email)'),
  role: number('event_attendees.role'),
  status: number('event_attendees.status'),
  isActive: flag('users.deactivated_at IS NULL'),
}
export type Attendee = rows.RowOf<typeof ATTENDEE>

const DETAILS = {
  ...EVENT,
  description: text('events.description'),
  classification: number('events.classification'),
  organizerEmail: text('organizers.email'),
  isOrganizerActive: flag('organizers.deactivated_at IS NULL'),
  createdAt: instant('events.created_at'),
  attendees: list(
    ATTENDEE,
    `event_attendees LEFT JOIN users ON users.id = event_attendees.user_id
     WHERE event_attendees.event_id = events.id`,
    'event_attendees.role, event_attendees.id',
  ),
  roomIds: column<number[]>(
    `coalesce((SELECT json_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id), '[]')`,
  ),
  rooms: roomNames(),
  version: text(versionSql('events')),
}
export type EventDetails = rows.RowOf<typeof DETAILS>

/** `rest` follows the tables: conditions, order and limit. */
export const listEvents = (reads: pg.Pool, rest: string, values: unknown[]): Promise<EventFacts[]> =>
  rows.selectRows(reads, EVENT, `events ${JOIN_ORGANIZERS} ${rest}`, values)

export const findEvent = (reads: pg.Pool, id: number): Promise<EventDetails | undefined> =>
  rows.selectRow(reads, DETAILS, `events ${JOIN_ORGANIZERS} WHERE events.id = $1`, [id])

type EventSearch = {
  search?: string | undefined
  place?: string | undefined
  building?: number | undefined
  status?: number | undefined
  from: string
  to: string
}

export const EVENT_ORDERS = {
  from: 'lower(events.during)',
  until: 'upper(events.during)',
  name: naturalSql('events.name'),
  organizer: 'lower(organizers.name)',
}

export function searchEvents(
  reads: pg.Pool,
  search: EventSearch,
  slice: Slice,
  order: Order<keyof typeof EVENT_ORDERS> = { key: 'from', isDescending: false },
): Promise<Listed<EventRow>> {
  const conditions = new rows.SqlConditions()
  conditions.add(`events.during && tstzrange(${conditions.bind(search.from)}, ${conditions.bind(search.to)})`)
  conditions.addSearch(search.search, ['events.name', 'organizers.name', 'organizers.email'])
  conditions.addEqual({ 'events.status': search.status })
  const room = conditions.search(search.place, ['bookables.name', 'locations.name', 'buildings.name'])
  if (search.building !== undefined) room.push(`buildings.id = ${conditions.bind(search.building)}`)
  if (room.length > 0) {
    conditions.add(`EXISTS (
      SELECT FROM bookings ${rows.JOIN_BOOKABLES} WHERE bookings.event_id = events.id AND ${room.join(' AND ')})`)
  }
  const from = `events ${JOIN_ORGANIZERS}`
  const list = { table: 'events', joins: JOIN_ORGANIZERS, from, conditions, keys: EVENT_ORDERS, order, slice }
  return selectBounded(reads, LISTED, list)
}
