// The booking search for the dashboard's list and its exports. Gateways and workers share it, so that they find the
// same bookings.
import { claimsSql } from '../affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { message } from '../messages/message.ts'
import { choice, id, list, object, required, text } from '../schemas/fields.ts'
import { job } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'
import { exportQuerySchema, fileReply } from '../users/users.ts'

const PATTERNS_MAX = 8
// The limit on the time zones in one search. It is higher than the number of time zones in the world.
const ZONES_MAX = 1_000

/** LIKE patterns. A booking must match all of them. */
const patternsInput = () => list(required(text({ max: 1_000 })), { max: PATTERNS_MAX })

/**
 * SQL conditions for whether the person of a booking came: they have checked in, did not check in in time, or still can, or
 * check-in is not used.
 */
export const CAME_CONDITIONS = {
  came: 'bookings.checked_in_at IS NOT NULL',
  missed: `bookings.checked_in_at IS NULL AND bookings.check_in_from IS NOT NULL
    AND (bookings.released_at IS NOT NULL OR least(upper(bookings.during), bookings.check_in_until) <= now())`,
  open: `bookings.checked_in_at IS NULL AND bookings.check_in_from IS NOT NULL AND bookings.released_at IS NULL
    AND coalesce(least(upper(bookings.during), bookings.check_in_until) > now(), true)`,
  unused: 'bookings.checked_in_at IS NULL AND bookings.check_in_from IS NULL',
}
export type Came = keyof typeof CAME_CONDITIONS
export const CAME_VALUES = Object.keys(CAME_CONDITIONS) as Came[]

const filterFields = {
  person: patternsInput(),
  place: patternsInput(),
  building: id(),
  location: id(),
  type: choice(Object.values(BOOKABLE_TYPES), (name) => message`${name} must be one of the choices.`),
  group: id(),
  came: choice(CAME_VALUES, (name) => message`${name} must be one of the choices.`),
  /**
   * The start and end of the days in each of several time zones. A booking belongs to the days of its building's zone.
   */
  days: list(
    required(
      object({ zone: required(text({ max: 255 })), from: required(dateTime()), to: required(dateTime()) }),
    ),
    { max: ZONES_MAX },
  ),
}
const filterSchema = object(filterFields)
export type BookingFilters = typeof filterSchema.__outputType

export const bookingExportJobs = {
  /** Exports the bookings in a period that match the filters, or all bookings of one user. */
  'bookings.export': job({
    queue: 'exports',
    input: exportQuerySchema.shape({ ...filterFields, user: id(), from: dateTime(), to: dateTime() }),
    reply: fileReply,
  }),
  /** Exports the people whose bookings a write affects. The audit log entry of the write identifies it. */
  'bookings.export-affected': job({
    queue: 'exports',
    input: exportQuerySchema.shape({ entry_id: required(id()) }),
    reply: fileReply,
  }),
}

/** Turns a value into SQL: a placeholder, or a literal where SQL cannot contain placeholders. */
type BindValue = (value: string | number) => string

/** SQL conditions for bookings joined with users, bookables, locations and buildings. */
export function bookingConditionsSql(
  { person = [], place = [], building, location, type, group, came, days = [] }: BookingFilters,
  bind: BindValue,
): string[] {
  const matchOne = (pattern: string, columns: string[]) => {
    const bound = bind(pattern)
    return `(${columns.map((column) => `${column} ILIKE ${bound}`).join(' OR ')})`
  }
  const daysOf = ({ zone, from, to }: (typeof days)[number]) =>
    `WHEN ${bind(zone)} THEN tstzrange(${bind(from)}::timestamptz, ${bind(to)}::timestamptz)`
  return [
    ...(days.length === 0
      ? []
      : [`bookings.during && CASE buildings.timezone ${days.map(daysOf).join(' ')} END`]),
    ...person.map((pattern) => matchOne(pattern, ['users.name', 'users.email'])),
    ...place.map((pattern) => matchOne(pattern, ['bookables.name', 'locations.name', 'buildings.name'])),
    ...(building === undefined ? [] : [`buildings.id = ${bind(building)}`]),
    ...(location === undefined ? [] : [`locations.id = ${bind(location)}`]),
    ...(type === undefined ? [] : [`bookables.type = ${bind(type)}`]),
    ...(group === undefined ? [] : [isGroupMemberSql(bind(group))]),
    ...(came === undefined ? [] : [CAME_CONDITIONS[came]]),
  ]
}

export const isGroupMemberSql = (group: string): string =>
  `users.id IN (SELECT user_id FROM group_members WHERE group_id = ${group})`

/**
 * SQL that selects the bookings that are running when the period begins, and the bookings that begin in the period.
 * Each of the two parts has its own index. `first` may limit the second part.
 */
export function bookingsBetweenSql({ from, to }: { from: string; to: string }, first = ''): string {
  const running = claimsSql(`bookings.during @> ${from}::timestamptz AND lower(bookings.during) < ${from}`)
  return `SELECT * FROM (${running}) AS running WHERE user_id IS NOT NULL UNION ALL (
    SELECT * FROM bookings
    WHERE user_id IS NOT NULL AND lower(during) >= ${from} AND lower(during) < ${to}
    ${first})`
}
