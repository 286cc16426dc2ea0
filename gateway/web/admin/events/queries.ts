// Queries for events in the dashboard, including cancelled ones, and for attendees' responses.
import type pg from 'pg'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  column,
  flagColumn,
  instantColumn,
  listColumn,
  nullableColumn,
  numberColumn,
  textColumn,
} from '../../../reads/rows/rows.ts'
import type { RowsWithTotal, Slice } from '../../../reads/rows/slices.ts'
import { selectBoundedRows } from '../../pages/search/bounded-list.ts'
import type { Order } from '../../pages/ui/sorting.ts'

const NAMED_ROOMS_MAX = 5

const JOIN_ORGANIZERS = 'JOIN users AS organizers ON organizers.id = events.organizer_user_id'

const roomNamesSql = (limit?: number) =>
  column<
    string[]
  >(`ARRAY(SELECT bookables.name FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
    WHERE bookings.event_id = events.id ORDER BY ${naturalSql('bookables.name')}, bookables.id LIMIT ${limit ?? 'ALL'})`)

const EVENT_COLUMNS = {
  id: numberColumn('events.id'),
  name: textColumn('events.name'),
  ...rows.createSpanColumns('events'),
  fromZone: textColumn('events.from_timezone'),
  toZone: textColumn('events.to_timezone'),
  status: numberColumn('events.status'),
  organizerId: numberColumn('organizers.id'),
  organizer: textColumn('organizers.name'),
}
export type EventFacts = rows.RowOf<typeof EVENT_COLUMNS>

const LISTED_EVENT_COLUMNS = {
  ...EVENT_COLUMNS,
  people: numberColumn('(SELECT count(*)::integer FROM event_attendees WHERE event_id = events.id)'),
  rooms: roomNamesSql(NAMED_ROOMS_MAX),
}
export type EventRow = rows.RowOf<typeof LISTED_EVENT_COLUMNS>

const ATTENDEE_COLUMNS = {
  userId: nullableColumn(numberColumn('users.id')),
  name: textColumn('coalesce(users.name, event_attendees.name, event_attendees.email)'),
  email: textColumn('coalesce(users.email, event_attendees.email)'),
  role: numberColumn('event_attendees.role'),
  status: numberColumn('event_attendees.status'),
  isActive: flagColumn('users.deactivated_at IS NULL'),
}
export type Attendee = rows.RowOf<typeof ATTENDEE_COLUMNS>

const EVENT_DETAIL_COLUMNS = {
  ...EVENT_COLUMNS,
  description: textColumn('events.description'),
  classification: numberColumn('events.classification'),
  invites: flagColumn('events.invites'),
  seriesId: nullableColumn(numberColumn('events.series_id')),
  organizerEmail: textColumn('organizers.email'),
  isOrganizerActive: flagColumn('organizers.deactivated_at IS NULL'),
  createdAt: instantColumn('events.created_at'),
  attendees: listColumn(
    ATTENDEE_COLUMNS,
    `event_attendees LEFT JOIN users ON users.id = event_attendees.user_id
     WHERE event_attendees.event_id = events.id`,
    'event_attendees.role, event_attendees.id',
  ),
  roomIds: column<number[]>(
    `coalesce((SELECT json_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id), '[]')`,
  ),
  rooms: roomNamesSql(),
  version: textColumn(versionSql('events')),
}
export type EventDetails = rows.RowOf<typeof EVENT_DETAIL_COLUMNS>

/** Lists events. `rest` is the SQL after the tables: conditions, order and limit. */
export const listEvents = (reads: pg.Pool, rest: string, values: unknown[]): Promise<EventFacts[]> =>
  rows.selectRows(reads, EVENT_COLUMNS, `events ${JOIN_ORGANIZERS} ${rest}`, values)

export const findEvent = (reads: pg.Pool, id: number): Promise<EventDetails | undefined> =>
  rows.selectRow(reads, EVENT_DETAIL_COLUMNS, `events ${JOIN_ORGANIZERS} WHERE events.id = $1`, [id])

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
): Promise<RowsWithTotal<EventRow>> {
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
  return selectBoundedRows(reads, LISTED_EVENT_COLUMNS, list)
}
