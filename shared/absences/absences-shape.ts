// SQL for absences: their JSON, who is away on a day, and which bookings a person has on days. For personal tokens, the
// gateway limits the table `absences` to people that the reader may see (gateway/reads/limits/personal-limits.ts).
import { claimsOfUsersSql } from '../affected-bookings/claims.ts'
import { instantsOfDaysSql } from '../schemas/days.ts'
import { rowJson } from '../schemas/json.ts'
import { absenceSchema } from './absences.ts'

/** SQL for the first day of an absence. */
export const FIRST_DAY_SQL = 'lower(absences.days)'
/** SQL for the last day of an absence. */
export const LAST_DAY_SQL = '(upper(absences.days) - 1)'

export const absenceJson = rowJson(absenceSchema, 'absences', { from: FIRST_DAY_SQL, to: LAST_DAY_SQL })

/** SQL for an absence as the audit log stores it. */
export const AUDITED_ABSENCE_SQL = `jsonb_build_object('id', absences.id, 'user_id', absences.user_id,
  'kind', absences.kind, 'from', ${FIRST_DAY_SQL}, 'to', ${LAST_DAY_SQL})`

/** SQL condition that the user is away on a local date. Both arguments are SQL. */
export const isAwaySql = (user: string, date: string): string =>
  `EXISTS (SELECT FROM absences WHERE absences.user_id = ${user} AND absences.days @> ${date}::date)`

/**
 * SQL for the last day of the absence that a user has on a local date, or null if the user is not away on that date.
 */
export const awayUntilSql = (user: string, date: string): string =>
  `(SELECT ${LAST_DAY_SQL} FROM absences WHERE absences.user_id = ${user} AND absences.days @> ${date}::date)`

/** SQL that selects the absences of these users (SQL for an array of ids) between two local dates, both included. */
export const listAbsencesSql = (users: string, from: string, to: string): string => `
  SELECT absences.id, absences.user_id, absences.kind, to_char(${FIRST_DAY_SQL}, 'YYYY-MM-DD') AS "from",
    to_char(${LAST_DAY_SQL}, 'YYYY-MM-DD') AS "to"
  FROM absences
  WHERE absences.user_id = ANY (${users}) AND absences.days && daterange(${from}::date, ${to}::date, '[]')
  ORDER BY ${FIRST_DAY_SQL}, absences.id`

/**
 * SQL after FROM that selects the bookings of a user on these local dates, in the time zone of each building. Leaves
 * out bookings whose time on these days is over at the moment `now`, and bookings for guests, because the guests still
 * come.
 */
export const bookingsInDaysSql = ({ user, days, now }: Record<'user' | 'days' | 'now', string>): string => `
  (${claimsOfUsersSql(
    `ARRAY[${user}]`,
    `(lower(${days})::timestamptz - interval '2 days')`,
    `(upper(${days})::timestamptz + interval '2 days')`,
  )}) AS bookings
  JOIN bookables ON bookables.id = bookings.bookable_id
  JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id
  WHERE bookings.during && (${instantsOfDaysSql(days, 'buildings.timezone')} * tstzrange(${now}::timestamptz, NULL))
    AND bookings.released_at IS NULL
    AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL`
