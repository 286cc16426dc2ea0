// SQL for booking requests as the API shows them, and for the people who may decide them.
import { bookableInBuildingJson } from '../bookables/bookables.ts'
import { JOIN_BUILDINGS_SQL } from '../locations/locations.ts'
import { isHiddenFromSql } from '../people/visibility.ts'
import { approverIdsSql, isApproverSql } from '../rules/approvers.ts'
import { ruleInForceSql, ruleRowsSql } from '../rules/rules-shape.ts'
import { dataBodyText, type JsonSql, json, listJson, rowJson, selectJson } from '../schemas/json.ts'
import { userJson } from '../users/users.ts'
import { type BookingRequest, bookingRequestSchema, requestedAttendeeSchema } from './booking-requests.ts'

const DECIDER_SQL = `CASE
  WHEN deciders.id IS NOT NULL THEN json_build_object('type', 'user', 'id', deciders.id, 'name', deciders.name)
  WHEN admins.id IS NOT NULL THEN json_build_object('type', 'admin', 'id', admins.id, 'name', admins.email) END`

export const BOOKING_REQUEST_ROWS_SQL = `holds AS booking_requests
  JOIN bookables ON bookables.id = booking_requests.bookable_id ${JOIN_BUILDINGS_SQL}
  JOIN users ON users.id = booking_requests.user_id
  LEFT JOIN users AS deciders ON deciders.id = booking_requests.decided_by_user_id
  LEFT JOIN admins ON admins.id = booking_requests.decided_by_admin_id`

export const IS_REQUEST_SQL = "booking_requests.kind = 'request'"

/**
 * SQL that selects the attendees of a requested meeting, joined with their users. `hold` is SQL for the id of the
 * request. Leaves out deactivated people, because approving the request does not invite them.
 */
export const requestedAttendees = (hold: string, rows = 'hold_attendees') => `
  ${rows} AS invited LEFT JOIN users AS invitees ON invitees.id = invited.user_id
  WHERE invited.hold_id = ${hold} AND (invited.user_id IS NULL OR invitees.deactivated_at IS NULL)`

/** SQL that selects the rows of hold_attendees that a person may see: none of people who hide from them. */
export const requestedAttendeesSeenBy = (viewer: string) =>
  `SELECT * FROM hold_attendees WHERE (user_id IS NULL OR NOT ${isHiddenFromSql('hold_attendees.user_id', viewer)})`

const attendeeJson = rowJson(requestedAttendeeSchema, 'invited', {
  type: "CASE WHEN invited.user_id IS NULL THEN 'visitor' ELSE 'user' END",
  name: 'coalesce(invitees.name, invited.name, invited.email)',
  email: 'coalesce(invitees.email, invited.email)',
})

const shapeOf = (attendees: string): JsonSql<BookingRequest> =>
  rowJson(bookingRequestSchema, 'booking_requests', {
    attendees: selectJson(
      listJson(attendeeJson, 'invited.id'),
      `FROM ${requestedAttendees('booking_requests.id', attendees)}`,
    ),
    invite: 'booking_requests.invites',
    from: 'lower(booking_requests.during)',
    to: 'upper(booking_requests.during)',
    bookable: bookableInBuildingJson,
    user: userJson,
    guest: 'coalesce(booking_requests.guest_name, booking_requests.guest_email)',
    decided_by: json<BookingRequest['decided_by']>(`coalesce(${DECIDER_SQL}, 'null')`),
  })

export const bookingRequestJson = shapeOf('hold_attendees')

/**
 * For workers' statements: a request as the gateway shows it to the person whose id the SQL `viewer` gives, or to all
 * other callers if the id is null.
 */
export const bookingRequestTextFor = (viewer: string) =>
  dataBodyText(shapeOf(`(${requestedAttendeesSeenBy(viewer)})`))

const bookingRequestText = dataBodyText(bookingRequestJson)

export const selectBookingRequestSql = (id: string) =>
  `SELECT ${bookingRequestText} AS body FROM ${BOOKING_REQUEST_ROWS_SQL} WHERE booking_requests.id = ${id} AND ${IS_REQUEST_SQL}`

const RULE_SQL = `${ruleRowsSql('bookables')}
  CROSS JOIN LATERAL (SELECT ${ruleInForceSql('bookables', 'approvers')} AS value) AS approvers`
const isRuleOfSql = (bookable: string) =>
  `bookables.id = ${bookable} AND approvers.value #>> '{}' IS NOT NULL`

/** SQL condition that the person may decide the requests for the bookable. Both arguments are SQL for ids. */
export const mayDecideSql = (bookable: string, user: string) => `EXISTS (
  SELECT FROM ${RULE_SQL} WHERE ${isRuleOfSql(bookable)} AND ${isApproverSql('approvers.value', user)})`

/**
 * SQL that selects the ids of the people who may decide the requests for a bookable, and the order in which they are
 * asked.
 */
export const decidersSql = (bookable: string) =>
  `SELECT deciders.* FROM ${RULE_SQL} CROSS JOIN LATERAL ${approverIdsSql('approvers.value')} AS deciders WHERE ${isRuleOfSql(bookable)}`
