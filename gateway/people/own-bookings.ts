// What a person has booked and which meetings they take part in, from now on, and what they can do about each.
import type { Call } from '../pages/kit/page.ts'
import * as rows from '../pages/search/rows.ts'
import { flag, instant, number, orNull, text } from '../pages/search/rows.ts'

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
  ...rows.BOOKED,
}
export type OwnBooking = rows.RowOf<typeof BOOKING>

const MEETING = {
  id: number('events.id'),
  name: text('events.name'),
  ...rows.spanOf('events'),
  rooms: rows.list(
    { room: text('bookables.name'), location: text('locations.name'), zone: text('buildings.timezone') },
    `bookings ${rows.JOIN_BOOKABLES} WHERE bookings.event_id = events.id`,
    'bookings.id',
  ),
}
export type OwnMeeting = rows.RowOf<typeof MEETING>

const SHOWN_MAX = 30

/** Those that are not over, the next first. */
export function listOwnBookings({ reads, requirePerson, now }: Call): Promise<OwnBooking[]> {
  return rows.selectRows(
    reads,
    BOOKING,
    `bookings ${rows.JOIN_BOOKABLES}
     WHERE bookings.user_id = $1 AND bookings.during && tstzrange($2, NULL)
     ORDER BY lower(bookings.during), bookings.id LIMIT ${SHOWN_MAX}`,
    [requirePerson().id, now],
  )
}

/** Those of today and tomorrow, at most, that are not over. */
export function listOwnMeetings({ reads, requirePerson, now }: Call): Promise<OwnMeeting[]> {
  return rows.selectRows(
    reads,
    MEETING,
    `events WHERE (organizer_user_id = $1 OR id IN (SELECT event_id FROM event_attendees WHERE user_id = $1))
       AND status = 1 AND events.during && tstzrange($2, $2::timestamptz + interval '36 hours')
     ORDER BY lower(events.during), events.id LIMIT ${SHOWN_MAX}`,
    [requirePerson().id, now],
  )
}
