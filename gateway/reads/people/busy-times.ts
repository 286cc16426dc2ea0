// SQL for the times at which people are busy, without any details.
import { claimsBetweenSql } from '../../../shared/affected-bookings/claims.ts'
import { ATTENDEE_STATUSES, EVENT_STATUSES } from '../../../shared/events/events.ts'
import { instantsOfDaysSql } from '../../../shared/schemas/days.ts'

/**
 * SQL that selects `user_id`, `event_id` and `during` of people's meetings, except meetings that they have declined.
 */
export const MEETING_TIMES_SQL = `
  SELECT organizer_user_id AS user_id, id AS event_id, during FROM events
  WHERE status = ${EVENT_STATUSES.confirmed}
  UNION ALL
  SELECT event_attendees.user_id, event_attendees.event_id, events.during
  FROM event_attendees JOIN events ON events.id = event_attendees.event_id
  WHERE events.status = ${EVENT_STATUSES.confirmed} AND event_attendees.status <> ${ATTENDEE_STATUSES.declined}`

// SQL for the time zone of most buildings. Used for absences, because a person has no time zone.
export const COMMON_ZONE_SQL =
  "coalesce((SELECT mode() WITHIN GROUP (ORDER BY timezone) FROM buildings), 'UTC')"

type BusyTimesQuery = {
  /** SQL for the id of the person. */
  user: string
  from: string
  to: string
  /** SQL condition on the type of the bookable, such as `type = 2`. Only bookings of these types make a person busy. */
  ofType: string
  /** A table or subquery with the columns of MEETING_TIMES_SQL. */
  meetings: string
}

/**
 * SQL that selects the times (`during`) of a person's bookings, meetings and absences. Leaves out bookings for guests.
 */
export const busyTimesSql = ({ user, from, to, ofType, meetings }: BusyTimesQuery): string => {
  const isOwn = `bookings.user_id = ${user} AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL`
  return `
  SELECT during FROM (${claimsBetweenSql(from, to, isOwn).join(' UNION ALL ')}) AS claims
  WHERE (SELECT ${ofType} FROM bookables WHERE bookables.id = claims.bookable_id)
  UNION ALL
  SELECT during FROM ${meetings} AS meetings
  WHERE meetings.user_id = ${user} AND during && tstzrange(${from}, ${to})
  UNION ALL
  SELECT during FROM (
    SELECT ${instantsOfDaysSql('absences.days', 'common.zone')} AS during
    FROM absences CROSS JOIN (SELECT ${COMMON_ZONE_SQL} AS zone OFFSET 0) AS common WHERE absences.user_id = ${user}
  ) AS away WHERE during && tstzrange(${from}, ${to})`
}
