// Queries for events in the dashboard, including cancelled ones, and for attendees' responses.

import type pg from 'pg'
import { timestampText } from '../../../shared/schemas/json.ts'
import { naturalSql } from '../../../shared/schemas/natural-order.ts'
import { versionSql } from '../../../shared/schemas/versions.ts'
import { boundedList, shownRows } from '../search/bounded-list.ts'
import { SqlConditions } from '../search/sql-conditions.ts'
import { type Listed, type Slice, toListed } from '../ui/paging.ts'
import type { Order } from '../ui/sorting.ts'

type EventFacts = {
  id: number
  name: string
  from: string
  to: string
  fromZone: string
  toZone: string
  status: number
  organizerId: number
  organizer: string
}

export type EventRow = EventFacts & { people: number; rooms: string[] }

export type Attendee = {
  userId: number | null
  name: string
  email: string
  role: number
  status: number
  isActive: boolean
}

export type EventDetails = EventFacts & {
  description: string
  classification: number
  organizerEmail: string
  isOrganizerActive: boolean
  createdAt: string
  attendees: Attendee[]
  roomIds: number[]
  rooms: string[]
  version: string
}

type EventSearch = {
  search?: string | undefined
  place?: string | undefined
  building?: number | undefined
  status?: number | undefined
  from: string
  to: string
}

type EventOrder = 'from' | 'until' | 'name' | 'organizer'

const ORDERS: Record<EventOrder, string> = {
  from: 'lower(events.during)',
  until: 'upper(events.during)',
  name: naturalSql('events.name'),
  organizer: 'lower(organizers.name)',
}
export const EVENT_ORDERS = Object.keys(ORDERS) as EventOrder[]

const FACTS = `
  events.id, events.name, ${timestampText('lower(events.during)')} AS "from",
  ${timestampText('upper(events.during)')} AS "to", events.from_timezone AS "fromZone",
  events.to_timezone AS "toZone", events.status, organizers.id AS "organizerId", organizers.name AS organizer`

const EVENTS = 'events JOIN users AS organizers ON organizers.id = events.organizer_user_id'
const ROOMS_NAMED = 5

export async function searchEvents(
  reads: pg.Pool,
  search: EventSearch,
  slice: Slice,
  order: Order<EventOrder> = { key: 'from', isDescending: false },
): Promise<Listed<EventRow>> {
  const conditions = new SqlConditions()
  conditions.add(`events.during && tstzrange(${conditions.bind(search.from)}, ${conditions.bind(search.to)})`)
  conditions.addSearch(search.search, ['events.name', 'organizers.name', 'organizers.email'])
  if (search.status !== undefined) conditions.add(`events.status = ${conditions.bind(search.status)}`)
  const room = conditions.search(search.place, ['bookables.name', 'locations.name', 'buildings.name'])
  if (search.building !== undefined) room.push(`buildings.id = ${conditions.bind(search.building)}`)
  if (room.length > 0) {
    conditions.add(`EXISTS (
      SELECT FROM bookings
      JOIN bookables ON bookables.id = bookings.bookable_id
      JOIN locations ON locations.id = bookables.location_id
      JOIN buildings ON buildings.id = locations.building_id
      WHERE bookings.event_id = events.id AND ${room.join(' AND ')})`)
  }
  const list = boundedList({
    table: 'events',
    from: `${EVENTS} WHERE ${conditions.sql}`,
    start: 'from',
    keys: ORDERS,
    order,
    slice,
  })
  const { rows } = await reads.query<EventRow & { total: number }>(
    `WITH ${list}
     SELECT ${FACTS}, shown.total,
       (SELECT count(*)::integer FROM event_attendees WHERE event_id = events.id) AS people,
       ARRAY(SELECT bookables.name FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
         WHERE bookings.event_id = events.id ORDER BY ${naturalSql('bookables.name')}, bookables.id LIMIT ${ROOMS_NAMED}) AS rooms
     FROM ${shownRows('events')} JOIN users AS organizers ON organizers.id = events.organizer_user_id
     ORDER BY shown.ordinal`,
    conditions.values,
  )
  return toListed(rows)
}

export async function findEvent(reads: pg.Pool, id: number): Promise<EventDetails | undefined> {
  const { rows } = await reads.query<EventDetails>(
    `SELECT ${FACTS}, events.description, events.classification, organizers.email AS "organizerEmail",
       organizers.deactivated_at IS NULL AS "isOrganizerActive",
       ${timestampText('events.created_at')} AS "createdAt",
       coalesce((
         SELECT json_agg(json_build_object(
           'userId', users.id, 'name', coalesce(users.name, event_attendees.email),
           'email', coalesce(users.email, event_attendees.email), 'role', event_attendees.role,
           'status', event_attendees.status, 'isActive', users.deactivated_at IS NULL
         ) ORDER BY event_attendees.role, event_attendees.id)
         FROM event_attendees LEFT JOIN users ON users.id = event_attendees.user_id
         WHERE event_attendees.event_id = events.id
       ), '[]') AS attendees,
       coalesce((
         SELECT json_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id
       ), '[]') AS "roomIds",
       ARRAY(SELECT bookables.name FROM bookings JOIN bookables ON bookables.id = bookings.bookable_id
         WHERE bookings.event_id = events.id ORDER BY ${naturalSql('bookables.name')}, bookables.id) AS rooms,
       ${versionSql('events')} AS version
     FROM ${EVENTS} WHERE events.id = $1`,
    [id],
  )
  return rows[0]
}
