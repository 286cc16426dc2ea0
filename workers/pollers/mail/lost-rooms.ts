// Reads the lost rooms for a mail to the organizer of meetings. Reads them when the mail is sent, and leaves out rooms
// that the meeting has again, and meetings that are over or cancelled.
import type { Knex } from 'knex'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { joinPlacesSql, PLACE_SQL, type PlaceReasons, placeReasonsSql } from './booking-mails.ts'

export type LostRoom = PlaceReasons & {
  eventId: number
  event: string
  name: string
  place: string
  zone: string
  /** Whether the mail names the time zone, because the buildings in it have different ones. */
  isZoneNamed: boolean
  isNoShow: boolean
  /** The names of the rooms that the meeting has now. */
  now: string[]
  from: string
  to: string | null
}

// The limit on the time between the release of a room and the recorded change. Both happen in one transaction, so they
// are only moments apart.
const RELEASE_AGE_MAX = "interval '10 seconds'"

/**
 * SQL for the rows of `page` about meetings that lost a room, one row for each room. If nobody checks in, the meeting
 * keeps its room until Berth releases the room. Leaves out rooms that need no replacement, for example because the room's
 * calendar at another provider no longer has the meeting.
 */
export const lostRoomsSql = ({ isOwn, refusedKindsSql }: { isOwn: string; refusedKindsSql: string }) => `
    SELECT page.*, people.id AS user_id, rooms.bookable_id,
      events.invites AND NOT 'meeting' = ANY (${refusedKindsSql}) AND NOT EXISTS (SELECT FROM organizer_entries
        WHERE event_id = events.id AND lower(people.email) = ANY (organizer_entries.people)) AS is_in_invitation
    FROM page JOIN events ON events.id = resource_id AND events.status = ${EVENT_STATUSES.confirmed}
    JOIN users AS people ON people.id = events.organizer_user_id
    LEFT JOIN person_settings ON person_settings.user_id = people.id
    CROSS JOIN LATERAL (
      (SELECT (room ->> 'id')::bigint AS bookable_id FROM json_array_elements(previous -> 'bookables') AS room
       EXCEPT SELECT (room ->> 'id')::bigint FROM json_array_elements(data -> 'bookables') AS room)
      UNION SELECT bookable_id FROM bookings WHERE event_id = events.id AND action = 'released' AND released_at BETWEEN page.at - ${RELEASE_AGE_MAX} AND page.at
    ) AS rooms
    WHERE type = 'event' AND action <> 'answered' AND upper(events.during) > now() AND NOT ${isOwn}
      AND people.deactivated_at IS NULL AND NOT people.is_anonymous
      AND NOT EXISTS (SELECT FROM cancelled_bookings AS lost
        WHERE lost.event_id = events.id AND lost.bookable_id = rooms.bookable_id AND lost.acknowledged)
      AND NOT 'changed' = ANY (${refusedKindsSql})`

const HAS_ROOM_SQL = 'SELECT FROM bookings WHERE bookings.event_id = events.id AND released_at IS NULL'

const READ_SQL = `
  SELECT events.id AS "eventId", events.name AS event, ${PLACE_SQL},
    (SELECT count(DISTINCT timezone) > 1 FROM buildings) AS "isZoneNamed",
    EXISTS (SELECT FROM bookings AS released WHERE released.event_id = events.id AND released.bookable_id = bookables.id
      AND released.released_at IS NOT NULL) AS "isNoShow",
    ARRAY(SELECT rooms.name FROM bookings JOIN bookables AS rooms ON rooms.id = bookings.bookable_id
      WHERE bookings.event_id = events.id AND released_at IS NULL ORDER BY bookings.id) AS now,
    ${placeReasonsSql('true', 'events.during')},
    ${timestampText('lower(events.during)')} AS "from", ${timestampText('upper(events.during)')} AS "to"
  FROM (SELECT DISTINCT event, bookable FROM jsonb_to_recordset(CAST(:rooms AS jsonb)) AS room (event bigint, bookable bigint)) AS lost
  JOIN events ON events.id = lost.event AND events.status = ${EVENT_STATUSES.confirmed}
  ${joinPlacesSql('lost.bookable')}
  WHERE events.organizer_user_id = :user AND upper(events.during) > now()
    AND NOT EXISTS (${HAS_ROOM_SQL} AND bookings.bookable_id = bookables.id)
  ORDER BY lower(events.during), events.id, bookables.id`

type LostRoomQuery = { userId: number; attempt: string | null; rooms: unknown[] | null }

export async function readLostRooms(
  database: Knex,
  { userId, attempt, rooms }: LostRoomQuery,
): Promise<LostRoom[]> {
  if (rooms === null) return []
  const values = { user: userId, attempt, rooms: JSON.stringify(rooms) }
  const { rows } = await database
    .raw<{ rows: LostRoom[] }>(READ_SQL, values)
    .options({ name: 'read-lost-rooms' })
  return rows
}
