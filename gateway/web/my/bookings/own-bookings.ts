// Queries for a person's current and future bookings and meetings, with the actions that the person can take
// on each.
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { EVENT_STATUSES } from '../../../../shared/events/events.ts'
import { MEETING_ZONE } from '../../../../shared/events/meeting-zone.ts'
import type { OpeningHours } from '../../../../shared/rules/opening-hours.ts'
import { closedDuringSql, ruleInForceSql } from '../../../../shared/rules/rules-shape.ts'
import * as rows from '../../../reads/rows/rows.ts'
import {
  column,
  flagColumn,
  instantColumn,
  nullableColumn,
  numberColumn,
  textColumn,
} from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { isMeetingRoomType } from '../book/wanted.ts'

const BOOKING_COLUMNS = {
  id: numberColumn('bookings.id'),
  ...rows.CLAIM_SPAN_COLUMNS,
  seriesId: nullableColumn(numberColumn('bookings.series_id')),
  guest: nullableColumn(textColumn('coalesce(bookings.guest_name, bookings.guest_email)')),
  plate: nullableColumn(textColumn('bookings.license_plate')),
  checkInFrom: nullableColumn(instantColumn('bookings.check_in_from')),
  checkInUntil: nullableColumn(instantColumn('bookings.check_in_until')),
  checkedInAt: nullableColumn(instantColumn('bookings.checked_in_at')),
  isRunning: flagColumn('lower(bookings.during) <= $2'),
  mayCheckIn: flagColumn(
    'bookings.checked_in_at IS NULL AND $2 BETWEEN bookings.check_in_from AND bookings.check_in_until',
  ),
  /** The name of a colleague who booked for the person. Null if there is none or if the colleague hides. */
  bookedBy: nullableColumn(
    textColumn(
      '(SELECT bookers.name FROM visible_people AS bookers WHERE bookers.id = bookings.booked_by_user_id)',
    ),
  ),
  ...rows.BOOKED_PLACE_COLUMNS,
}
export type OwnBooking = rows.RowOf<typeof BOOKING_COLUMNS>

const ROOMS = 'SELECT FROM bookings WHERE bookings.event_id = events.id AND bookings.released_at IS NULL'

// Selects the rooms that a meeting has lost without a replacement. If nobody checked in, it has lost all its rooms.
const LOST_ROOMS_SQL = `(
    SELECT event_id, bookable_id, cancelled_at AS lost_at FROM cancelled_bookings WHERE NOT acknowledged
    UNION ALL SELECT event_id, bookable_id, released_at FROM bookings
    WHERE bookings.event_id = events.id AND released_at IS NOT NULL AND NOT EXISTS (${ROOMS})
  ) AS lost
  JOIN bookables ON bookables.id = lost.bookable_id ${rows.JOIN_PLACES}
  WHERE lost.event_id = events.id AND NOT EXISTS (${ROOMS} AND bookings.bookable_id = lost.bookable_id)`

const CLOSED_TIMES_JOIN = `(${closedDuringSql('events.during')}) AS closing`

/**
 * Columns for the reason why a room cannot be used at the time of the meeting. All are null if the reason is unknown.
 */
const UNUSABLE_COLUMNS = {
  isBlocked: flagColumn(`bookables.status = ${BOOKABLE_STATUSES.blocked}`),
  closedReason: nullableColumn(textColumn(`(SELECT reason FROM ${CLOSED_TIMES_JOIN})`)),
}

const MEETING_COLUMNS = {
  id: numberColumn('events.id'),
  name: textColumn('events.name'),
  description: textColumn('events.description'),
  ...rows.createSpanColumns('events'),
  rooms: rows.listColumn(
    {
      bookableId: numberColumn('bookables.id'),
      room: textColumn('bookables.name'),
      ...rows.PLACE_COLUMNS,
      hours: column<OpeningHours | null>(ruleInForceSql('bookables', 'opening_hours')),
      ...UNUSABLE_COLUMNS,
      closedUntil: nullableColumn(instantColumn(`(SELECT until FROM ${CLOSED_TIMES_JOIN})`)),
    },
    `bookings ${rows.JOIN_BOOKABLES} WHERE bookings.event_id = events.id AND released_at IS NULL`,
    'bookings.id',
  ),
  lost: rows.listColumn(
    {
      bookableId: numberColumn('bookables.id'),
      buildingId: numberColumn('buildings.id'),
      room: textColumn('bookables.name'),
      isDeleted: flagColumn('bookables.deleted_at IS NOT NULL'),
      ...UNUSABLE_COLUMNS,
    },
    LOST_ROOMS_SQL,
    'lost.lost_at DESC, bookables.id',
  ),
  zone: textColumn(MEETING_ZONE),
  organizerId: numberColumn('events.organizer_user_id'),
  status: numberColumn('events.status'),
  seriesId: nullableColumn(numberColumn('events.series_id')),
  /** Whether Berth mails the attendees about the meeting. */
  invites: flagColumn('events.invites'),
  /** The person's own answer. Null if the person does not attend. */
  ownAnswer: nullableColumn(
    numberColumn('(SELECT status FROM event_attendees WHERE event_id = events.id AND user_id = $1)'),
  ),
  /** The people who take part, without the person. Writes accept the same ids. */
  people: rows.listColumn(
    {
      id: numberColumn('coalesce(event_attendees.user_id, event_attendees.visitor_id, event_attendees.id)'),
      /** Null for guests, and for people who hide from the person. */
      userId: nullableColumn(numberColumn('event_attendees.user_id')),
      who: textColumn('coalesce(users.name, event_attendees.name, event_attendees.email)'),
      answer: numberColumn('event_attendees.status'),
      isGuest: flagColumn('event_attendees.user_id IS NULL'),
      isOrganizer: flagColumn('event_attendees.user_id = events.organizer_user_id'),
    },
    `event_attendees LEFT JOIN users ON users.id = event_attendees.user_id
     WHERE event_attendees.event_id = events.id AND event_attendees.user_id IS DISTINCT FROM $1`,
    'event_attendees.role, event_attendees.id',
  ),
}
export type OwnMeeting = rows.RowOf<typeof MEETING_COLUMNS>

const SHOWN_BOOKINGS_MAX = 30
// My day counts the dates of a series.
const OWN_DATES_MAX = 500
export const TAKES_PART_SQL =
  '(organizer_user_id = $1 OR id IN (SELECT event_id FROM event_attendees WHERE user_id = $1))'

/** Lists the person's bookings that are not over, with the next one first. */
export function listOwnBookings({ reads, requirePerson, now }: Call): Promise<OwnBooking[]> {
  return rows.selectRows(
    reads,
    BOOKING_COLUMNS,
    `bookings ${rows.JOIN_BOOKABLES}
     WHERE bookings.user_id = $1 AND bookings.during && tstzrange($2, NULL)
     ORDER BY lower(bookings.during), bookings.id LIMIT ${OWN_DATES_MAX}`,
    [requirePerson().id, now],
  )
}

const BOOKED_FOR_OTHER = {
  id: numberColumn('bookings.id'),
  who: textColumn('users.name'),
  ...rows.CLAIM_SPAN_COLUMNS,
  ...rows.BOOKED_PLACE_COLUMNS,
}
export type BookedForOther = rows.RowOf<typeof BOOKED_FOR_OTHER>

/** Lists the bookings that the person made for others and that are not over, with the next one first. */
export const listBookedForOthers = ({ reads, now }: Call): Promise<BookedForOther[]> =>
  rows.selectRows(
    reads,
    BOOKED_FOR_OTHER,
    `booked_for_others AS bookings JOIN users ON users.id = bookings.user_id ${rows.JOIN_BOOKABLES}
     WHERE bookings.during && tstzrange($1, NULL) ORDER BY lower(bookings.during), bookings.id LIMIT ${SHOWN_BOOKINGS_MAX}`,
    [now],
  )

export const findOwnBooking = (
  { reads, requirePerson, now }: Call,
  id: number,
): Promise<OwnBooking | undefined> =>
  rows.selectRow(
    reads,
    BOOKING_COLUMNS,
    `bookings ${rows.JOIN_BOOKABLES} WHERE bookings.user_id = $1 AND bookings.id = $3`,
    [requirePerson().id, now, id],
  )

/** Returns whether the person may invite others, which makes the booking a meeting. The booking must be of a room. */
export const canInvite = ({ type, guest, to, checkedInAt }: OwnBooking): boolean =>
  isMeetingRoomType(type) && guest === null && to !== null && checkedInAt === null

/** Lists meetings that are not over: all meetings that the person organizes, and meetings of other organizers
 * within the next 36 hours. */
export function listOwnMeetings({ reads, requirePerson, now }: Call): Promise<OwnMeeting[]> {
  return rows.selectRows(
    reads,
    MEETING_COLUMNS,
    `events WHERE ${TAKES_PART_SQL} AND status = ${EVENT_STATUSES.confirmed}
       AND events.during && tstzrange($2, CASE WHEN organizer_user_id <> $1 THEN $2::timestamptz + interval '36 hours' END)
     ORDER BY lower(events.during), events.id LIMIT ${OWN_DATES_MAX}`,
    [requirePerson().id, now],
  )
}

/** Finds one of the person's meetings. Also finds a cancelled meeting. */
export const findOwnMeeting = ({ reads, requirePerson }: Call, id: number): Promise<OwnMeeting | undefined> =>
  rows.selectRow(reads, MEETING_COLUMNS, `events WHERE ${TAKES_PART_SQL} AND events.id = $2`, [
    requirePerson().id,
    id,
  ])
