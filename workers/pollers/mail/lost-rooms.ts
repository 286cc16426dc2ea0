// Reads the lost rooms for a mail to the organizer of meetings. It reads them when the mail leaves, and leaves out rooms that the
// meeting has again, and meetings that are over or cancelled.
import type { Knex } from 'knex'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { joinPlaces, PLACED, type PlaceReasons, placeReasons } from './booking-mails.ts'

export type LostRoom = PlaceReasons & {
  eventId: number
  event: string
  name: string
  place: string
  zone: string
  /** Whether the mail names the time zone, because buildings have different ones. */
  isZoneNamed: boolean
  isNoShow: boolean
  /** The rooms that the meeting has now, by name. */
  now: string[]
  from: string
  to: string | null
}

// A change is written within a moment of its release, in the same transaction.
const RELEASED_WITHIN = "interval '10 seconds'"

/**
 * SQL: rows of `page` about meetings that lost a room, once for each room. A room that is released because nobody checked in
 * stays with the meeting until then.
 */
export const lostRooms = ({ isOwn }: { isOwn: string }) => `
    SELECT page.*, people.id AS user_id, rooms.bookable_id
    FROM page JOIN events ON events.id = resource_id AND events.status = ${EVENT_STATUSES.confirmed}
    JOIN users AS people ON people.id = events.organizer_user_id
    LEFT JOIN person_settings ON person_settings.user_id = people.id
    CROSS JOIN LATERAL (
      (SELECT (room ->> 'id')::bigint AS bookable_id FROM json_array_elements(previous -> 'bookables') AS room
       EXCEPT SELECT (room ->> 'id')::bigint FROM json_array_elements(data -> 'bookables') AS room)
      UNION SELECT bookable_id FROM bookings WHERE event_id = events.id AND action = 'released' AND released_at BETWEEN page.at - ${RELEASED_WITHIN} AND page.at
    ) AS rooms
    WHERE type = 'event' AND upper(events.during) > now() AND NOT ${isOwn}
      AND people.deactivated_at IS NULL AND NOT people.is_anonymous
      AND NOT 'changed' = ANY (coalesce(muted_mails, '{}'))`

const HAS_ROOM = 'SELECT FROM bookings WHERE bookings.event_id = events.id AND released_at IS NULL'

const READ = `
  SELECT events.id AS "eventId", events.name AS event, ${PLACED},
    (SELECT count(DISTINCT timezone) > 1 FROM buildings) AS "isZoneNamed",
    EXISTS (SELECT FROM bookings AS released WHERE released.event_id = events.id AND released.bookable_id = bookables.id
      AND released.released_at IS NOT NULL) AS "isNoShow",
    ARRAY(SELECT rooms.name FROM bookings JOIN bookables AS rooms ON rooms.id = bookings.bookable_id
      WHERE bookings.event_id = events.id AND released_at IS NULL ORDER BY bookings.id) AS now,
    ${placeReasons('true', 'events.during')},
    ${timestampText('lower(events.during)')} AS "from", ${timestampText('upper(events.during)')} AS "to"
  FROM (SELECT DISTINCT event, bookable FROM jsonb_to_recordset(CAST(:rooms AS jsonb)) AS room (event bigint, bookable bigint)) AS lost
  JOIN events ON events.id = lost.event AND events.status = ${EVENT_STATUSES.confirmed}
  ${joinPlaces('lost.bookable')}
  WHERE events.organizer_user_id = :user AND upper(events.during) > now()
    AND NOT EXISTS (${HAS_ROOM} AND bookings.bookable_id = bookables.id)
  ORDER BY lower(events.during), events.id, bookables.id`

type Asked = { userId: number; attempt: string | null; rooms: unknown[] | null }

export async function readLostRooms(database: Knex, { userId, attempt, rooms }: Asked): Promise<LostRoom[]> {
  if (rooms === null) return []
  const values = { user: userId, attempt, rooms: JSON.stringify(rooms) }
  const { rows } = await database.raw<{ rows: LostRoom[] }>(READ, values).options({ name: 'read-lost-rooms' })
  return rows
}
