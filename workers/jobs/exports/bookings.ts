// Exports bookings of users: those of a search within a time, or all of one person, in the order of their starts.

import pg from 'pg'
import { actorName } from '../../../shared/audit/actors.ts'
import { bookingConditions, bookingsBetween } from '../../../shared/bookings/booking-search.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { Handler } from '../../runtime/write.ts'
import { type CopiedTable, exportTable } from './copied-tables.ts'
import { TYPE } from './reports.ts'
import { MEMBERSHIPS } from './users.ts'

export const exportBookings: Handler<'bookings.export'> = async (write, { format, ...search }) => {
  // Enough memory to sort and join some hundred thousand bookings without the disk.
  await write.run("SET LOCAL work_mem = '64MB'")
  return exportTable(write, bookings(search, write.now), { name: 'bookings', format })
}

type Search = Omit<InputOf<'bookings.export'>, 'format'>

// COPY takes no parameters.
const literal = (value: string | number) => (typeof value === 'number' ? `${value}` : pg.escapeLiteral(value))

const onClocks = (moment: string) =>
  `to_char(${moment} AT TIME ZONE buildings.timezone, 'YYYY-MM-DD HH24:MI')`

const bookings = (search: Search, now: string): CopiedTable => ({
  sheet: 'Bookings',
  columns: [
    { name: 'id', sql: 'bookings.id', isNumber: true },
    { name: 'person', sql: 'users.name' },
    { name: 'email', sql: 'users.email' },
    { name: 'groups', sql: 'memberships.names' },
    { name: 'building', sql: 'buildings.name' },
    { name: 'location', sql: 'locations.name' },
    { name: 'bookable', sql: 'bookables.name' },
    { name: 'type', sql: TYPE },
    { name: 'from', sql: onClocks('lower(bookings.during)') },
    { name: 'to', sql: onClocks('upper(bookings.during)') },
    { name: 'timezone', sql: 'buildings.timezone' },
    { name: 'status', sql: statusSql(literal(now)) },
    { name: 'checked_in_at', sql: onClocks('bookings.checked_in_at') },
    { name: 'guest', sql: 'bookings.guest_name' },
    { name: 'guest_email', sql: 'bookings.guest_email' },
    { name: 'license_plate', sql: 'bookings.license_plate' },
    { name: 'booking_info', sql: 'bookings.booking_info' },
    { name: 'created_at', sql: onClocks('bookings.created_at') },
    { name: 'created_by', sql: 'creation.name' },
  ],
  from: `
    FROM (${sourceSql(search)}) AS bookings
    JOIN users ON users.id = bookings.user_id
    JOIN bookables ON bookables.id = bookings.bookable_id
    JOIN locations ON locations.id = bookables.location_id
    JOIN buildings ON buildings.id = locations.building_id
    LEFT JOIN ${MEMBERSHIPS} ON memberships.user_id = users.id
    LEFT JOIN LATERAL (
      SELECT ${actorName('audit_log')} AS name FROM audit_log
      WHERE resource = 'bookings' AND resource_id = bookings.id AND action = 'bookings.create' LIMIT 1
    ) AS creation ON true
    WHERE ${bookingConditions(search, literal).join(' AND ') || 'true'}
    ORDER BY lower(bookings.during), bookings.id`,
})

function sourceSql({ user, from = '-infinity', to = 'infinity' }: Search): string {
  const times = { from: literal(from), to: literal(to) }
  return user === undefined ? bookingsBetween(times) : `SELECT * FROM bookings WHERE user_id = ${user}`
}

const statusSql = (now: string) => `(CASE WHEN bookings.released_at IS NOT NULL THEN 'no-show'
  WHEN upper(bookings.during) <= ${now}::timestamptz THEN 'over'
  WHEN lower(bookings.during) <= ${now}::timestamptz THEN 'running' ELSE 'upcoming' END)`
