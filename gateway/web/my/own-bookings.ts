// What a person has booked and which meetings they take part in, from now on, and what they can do about each.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { closedDuring } from '../../../shared/rules/rules-shape.ts'
import * as rows from '../../reads/rows/rows.ts'
import { flag, instant, number, orNull, text } from '../../reads/rows/rows.ts'
import type { Call } from '../pages/page/page.ts'
import { needsApproval } from './book/seats.ts'

const BOOKING = {
  id: number('bookings.id'),
  ...rows.CLAIMED,
  guest: orNull(text('coalesce(bookings.guest_name, bookings.guest_email)')),
  plate: orNull(text('bookings.license_plate')),
  checkInFrom: orNull(instant('bookings.check_in_from')),
  checkInUntil: orNull(instant('bookings.check_in_until')),
  checkedInAt: orNull(instant('bookings.checked_in_at')),
  isRunning: flag('lower(bookings.during) <= $2'),
  mayCheckIn: flag(
    'bookings.checked_in_at IS NULL AND $2 BETWEEN bookings.check_in_from AND bookings.check_in_until',
  ),
  needsApproval: needsApproval('$1'),
  ...rows.BOOKED,
}
export type OwnBooking = rows.RowOf<typeof BOOKING>

// Rooms that a meeting no longer has, unless it has another one.
const LOST = `(
    SELECT id, event_id, bookable_id, cancelled_at FROM cancelled_bookings
    UNION ALL SELECT id, event_id, bookable_id, released_at FROM bookings WHERE released_at IS NOT NULL
  ) AS cancelled_bookings
  JOIN bookables ON bookables.id = cancelled_bookings.bookable_id ${rows.JOIN_PLACES}
  WHERE cancelled_bookings.event_id = events.id
    AND NOT EXISTS (SELECT FROM bookings WHERE bookings.event_id = events.id AND released_at IS NULL)`

const CLOSED = `(${closedDuring('events.during')}) AS closing`

/** Why a room cannot be used at the time of the meeting, if that is known. */
const UNUSABLE = {
  isBlocked: flag(`bookables.status = ${BOOKABLE_STATUSES.blocked}`),
  closedReason: orNull(text(`(SELECT reason FROM ${CLOSED})`)),
}

const MEETING = {
  id: number('events.id'),
  name: text('events.name'),
  ...rows.spanOf('events'),
  rooms: rows.list(
    {
      room: text('bookables.name'),
      location: text('locations.name'),
      building: text('buildings.name'),
      zone: text('buildings.timezone'),
      ...UNUSABLE,
      closedUntil: orNull(instant(`(SELECT until FROM ${CLOSED})`)),
    },
    `bookings ${rows.JOIN_BOOKABLES} WHERE bookings.event_id = events.id AND released_at IS NULL`,
    'bookings.id',
  ),
  lost: rows.list(
    {
      bookableId: number('bookables.id'),
      buildingId: number('buildings.id'),
      room: text('bookables.name'),
      isDeleted: flag('bookables.deleted_at IS NOT NULL'),
      ...UNUSABLE,
    },
    LOST,
    'cancelled_bookings.cancelled_at DESC, cancelled_bookings.id',
  ),
  /** The time zone of its rooms, or of the rooms that it had; otherwise the one that its organizer named. */
  zone: text(`coalesce(
    (SELECT buildings.timezone FROM bookings ${rows.JOIN_BOOKABLES} WHERE bookings.event_id = events.id AND released_at IS NULL ORDER BY bookings.id LIMIT 1),
    (SELECT buildings.timezone FROM ${LOST} ORDER BY cancelled_bookings.cancelled_at DESC LIMIT 1),
    events.from_timezone)`),
  organizerId: number('events.organizer_user_id'),
  status: number('events.status'),
  /** Without the person. The id is the one that writes take. */
  people: rows.list(
    {
      id: number('coalesce(event_attendees.user_id, event_attendees.visitor_id, event_attendees.id)'),
      who: text('coalesce(users.name, event_attendees.email)'),
      isGuest: flag('event_attendees.user_id IS NULL'),
      isOrganizer: flag('event_attendees.user_id = events.organizer_user_id'),
    },
    `event_attendees LEFT JOIN users ON users.id = event_attendees.user_id
     WHERE event_attendees.event_id = events.id AND event_attendees.user_id IS DISTINCT FROM $1`,
    'event_attendees.role, event_attendees.id',
  ),
}
export type OwnMeeting = rows.RowOf<typeof MEETING>

const SHOWN_MAX = 30
const OWN_MAX = 500
const TAKES_PART =
  '(organizer_user_id = $1 OR id IN (SELECT event_id FROM event_attendees WHERE user_id = $1))'

/** Lists the person's bookings that are not over, the next one first. */
export function listOwnBookings({ reads, requirePerson, now }: Call): Promise<OwnBooking[]> {
  return rows.selectRows(
    reads,
    BOOKING,
    `bookings ${rows.JOIN_BOOKABLES}
     WHERE bookings.user_id = $1 AND bookings.during && tstzrange($2, NULL)
     ORDER BY lower(bookings.during), bookings.id LIMIT ${OWN_MAX}`,
    [requirePerson().id, now],
  )
}

export const findOwnBooking = (
  { reads, requirePerson, now }: Call,
  id: number,
): Promise<OwnBooking | undefined> =>
  rows.selectRow(
    reads,
    BOOKING,
    `bookings ${rows.JOIN_BOOKABLES} WHERE bookings.user_id = $1 AND bookings.id = $3`,
    [requirePerson().id, now, id],
  )

/** Lists meetings that are not over: all that the person organizes, and those of others within the next 36 hours. */
export function listOwnMeetings({ reads, requirePerson, now }: Call): Promise<OwnMeeting[]> {
  return rows.selectRows(
    reads,
    MEETING,
    `events WHERE ${TAKES_PART} AND status = ${EVENT_STATUSES.confirmed}
       AND events.during && tstzrange($2, CASE WHEN organizer_user_id <> $1 THEN $2::timestamptz + interval '36 hours' END)
     ORDER BY lower(events.during), events.id LIMIT ${SHOWN_MAX}`,
    [requirePerson().id, now],
  )
}

/** Also finds a cancelled meeting. */
export const findOwnMeeting = ({ reads, requirePerson }: Call, id: number): Promise<OwnMeeting | undefined> =>
  rows.selectRow(reads, MEETING, `events WHERE ${TAKES_PART} AND events.id = $2`, [requirePerson().id, id])
