// The search for bookings of users that the dashboard lists and exports: gateway and workers find the same ones.
import { claimsOf } from '../affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import { message } from '../messages/message.ts'
import { choice, id, list, object, required, text } from '../schemas/fields.ts'
import { job } from '../schemas/job.ts'
import { dateTime } from '../schemas/times.ts'
import { exportQuerySchema, fileReply } from '../users/users.ts'

const PATTERNS_MAX = 8
// More than can exist.
const ZONES_MAX = 1_000

/** Patterns of LIKE, each of which must match. */
const patterns = () => list(required(text({ max: 1_000 })), { max: PATTERNS_MAX })

const filters = {
  person: patterns(),
  place: patterns(),
  building: id(),
  type: choice(Object.values(BOOKABLE_TYPES), (name) => message`${name} must be one of the choices.`),
  group: id(),
  /** When the days begin and end in each of several zones: those of a booking are of its building's zone. */
  days: list(
    required(
      object({ zone: required(text({ max: 255 })), from: required(dateTime()), to: required(dateTime()) }),
    ),
    { max: ZONES_MAX },
  ),
}
const filterSchema = object(filters)
export type BookingFilters = typeof filterSchema.__outputType

export const bookingExportJobs = {
  /** Exports the bookings that the filters select within a time, or all bookings of a user. */
  'bookings.export': job({
    queue: 'exports',
    input: exportQuerySchema.shape({ ...filters, user: id(), from: dateTime(), to: dateTime() }),
    reply: fileReply,
  }),
  /** Exports the people whose bookings a write affects, by its entry in the audit log. */
  'bookings.export-affected': job({
    queue: 'exports',
    input: exportQuerySchema.shape({ entry_id: required(id()) }),
    reply: fileReply,
  }),
}

/** Makes SQL of a value: a placeholder, or a literal where there are none. */
type Bind = (value: string | number) => string

/** For bookings joined with users, bookables, locations and buildings. */
export function bookingConditions(
  { person = [], place = [], building, type, group, days = [] }: BookingFilters,
  bind: Bind,
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
    ...(type === undefined ? [] : [`bookables.type = ${bind(type)}`]),
    ...(group === undefined ? [] : [membersOf(bind(group))]),
  ]
}

export const membersOf = (group: string): string =>
  `users.id IN (SELECT user_id FROM group_members WHERE group_id = ${group})`

/**
 * Bookings that run when the period begins, and bookings that begin in it: each part has an index. `first` may limit
 * the second part.
 */
export function bookingsBetween({ from, to }: { from: string; to: string }, first = ''): string {
  const running = claimsOf(`bookings.during @> ${from}::timestamptz AND lower(bookings.during) < ${from}`)
  return `SELECT * FROM (${running}) AS running WHERE user_id IS NOT NULL UNION ALL (
    SELECT * FROM bookings
    WHERE user_id IS NOT NULL AND lower(during) >= ${from} AND lower(during) < ${to}
    ${first})`
}
