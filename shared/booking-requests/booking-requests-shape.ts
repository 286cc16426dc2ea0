// SQL: booking requests as the API shows them, and who may decide them.
import { bookableInBuildingJson } from '../bookables/bookables.ts'
import { WITH_BUILDINGS } from '../locations/locations.ts'
import { approverIdsSql, isApproverSql } from '../rules/approvers.ts'
import { ruleInForce, ruleRows } from '../rules/rules-shape.ts'
import { dataText, json, rowJson } from '../schemas/json.ts'
import { userJson } from '../users/users.ts'
import { type BookingRequest, bookingRequestSchema } from './booking-requests.ts'

const DECIDER = `CASE
  WHEN deciders.id IS NOT NULL THEN json_build_object('type', 'user', 'id', deciders.id, 'name', deciders.name)
  WHEN admins.id IS NOT NULL THEN json_build_object('type', 'admin', 'id', admins.id, 'name', admins.email) END`

export const bookingRequestRows = `holds AS booking_requests
  JOIN bookables ON bookables.id = booking_requests.bookable_id ${WITH_BUILDINGS}
  JOIN users ON users.id = booking_requests.user_id
  LEFT JOIN users AS deciders ON deciders.id = booking_requests.decided_by_user_id
  LEFT JOIN admins ON admins.id = booking_requests.decided_by_admin_id`

export const IS_REQUEST = "booking_requests.kind = 'request'"

export const bookingRequestJson = rowJson(bookingRequestSchema, 'booking_requests', {
  from: 'lower(booking_requests.during)',
  to: 'upper(booking_requests.during)',
  bookable: bookableInBuildingJson,
  user: userJson,
  guest: 'coalesce(booking_requests.guest_name, booking_requests.guest_email)',
  decided_by: json<BookingRequest['decided_by']>(`coalesce(${DECIDER}, 'null')`),
})

export const bookingRequestText = dataText(bookingRequestJson)

export const selectBookingRequest = (id: string) =>
  `SELECT ${bookingRequestText} AS body FROM ${bookingRequestRows} WHERE booking_requests.id = ${id} AND ${IS_REQUEST}`

const RULE = `${ruleRows('bookables')}
  CROSS JOIN LATERAL (SELECT ${ruleInForce('bookables', 'approvers')} AS value) AS approvers`
const isRuleOf = (bookable: string) => `bookables.id = ${bookable} AND approvers.value #>> '{}' IS NOT NULL`

/** SQL: whether a person may decide the requests for a bookable; both are SQL of ids. */
export const mayDecide = (bookable: string, user: string) => `EXISTS (
  SELECT FROM ${RULE} WHERE ${isRuleOf(bookable)} AND ${isApproverSql('approvers.value', user)})`

/** SQL: the ids of those who may decide the requests for a bookable, with how soon it is their turn to be asked. */
export const decidersOf = (bookable: string) =>
  `SELECT deciders.* FROM ${RULE} CROSS JOIN LATERAL ${approverIdsSql('approvers.value')} AS deciders WHERE ${isRuleOf(bookable)}`
