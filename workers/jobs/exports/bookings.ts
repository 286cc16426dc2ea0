// Exports bookings, ordered by start: those that a search finds within a time range, or all bookings of one person.

import pg from 'pg'
import { actorNameSql } from '../../../shared/audit/actors.ts'
import { bookingConditionsSql, bookingsBetweenSql } from '../../../shared/bookings/booking-search.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import type { Handler } from '../../runtime/write.ts'
import { type ExportedTable, exportTable } from './copied-tables.ts'
import { BOOKABLE_TYPE_SQL } from './reports.ts'
import { GROUP_NAMES_SQL } from './users.ts'

export const exportBookings: Handler<'bookings.export'> = async (write, { format, ...search }) => {
  // With this much memory, Postgres can sort and join several hundred thousand bookings without using the disk.
  await write.run("SET LOCAL work_mem = '64MB'")
  return exportTable(write, createBookingsTable(search, write.now), { name: 'bookings', format })
}

type BookingSearch = Omit<InputOf<'bookings.export'>, 'format'>

// Returns a value as an SQL literal, because COPY takes no parameters.
const toSqlLiteral = (value: string | number) =>
  typeof value === 'number' ? `${value}` : pg.escapeLiteral(value)

const localTimeSql = (moment: string) =>
  `to_char(${moment} AT TIME ZONE buildings.timezone, 'YYYY-MM-DD HH24:MI')`

const createBookingsTable = (search: BookingSearch, now: string): ExportedTable => ({
  sheet: 'Bookings',
  columns: [
    { name: 'id', sql: 'bookings.id', isNumber: true },
    { name: 'person', sql: 'users.name' },
    { name: 'email', sql: 'users.email' },
    { name: 'groups', sql: 'memberships.names' },
    { name: 'building', sql: 'buildings.name' },
    { name: 'location', sql: 'locations.name' },
    { name: 'bookable', sql: 'bookables.name' },
    { name: 'type', sql: BOOKABLE_TYPE_SQL },
    { name: 'from', sql: localTimeSql('lower(bookings.during)') },
    { name: 'to', sql: localTimeSql('upper(bookings.during)') },
    { name: 'timezone', sql: 'buildings.timezone' },
    { name: 'status', sql: statusSql(toSqlLiteral(now)) },
    { name: 'checked_in_at', sql: localTimeSql('bookings.checked_in_at') },
    { name: 'guest', sql: 'bookings.guest_name' },
    { name: 'guest_email', sql: 'bookings.guest_email' },
    { name: 'license_plate', sql: 'bookings.license_plate' },
    { name: 'booking_info', sql: 'bookings.booking_info' },
    { name: 'created_at', sql: localTimeSql('bookings.created_at') },
    { name: 'created_by', sql: 'creation.name' },
  ],
  from: `
    FROM (${sourceSql(search)}) AS bookings
    JOIN users ON users.id = bookings.user_id
    JOIN bookables ON bookables.id = bookings.bookable_id
    JOIN locations ON locations.id = bookables.location_id
    JOIN buildings ON buildings.id = locations.building_id
    LEFT JOIN ${GROUP_NAMES_SQL} ON memberships.user_id = users.id
    LEFT JOIN LATERAL (
      SELECT ${actorNameSql('audit_log')} AS name FROM audit_log
      WHERE resource = 'bookings' AND resource_id = bookings.id AND action = 'bookings.create' LIMIT 1
    ) AS creation ON true
    WHERE ${bookingConditionsSql(search, toSqlLiteral).join(' AND ') || 'true'}
    ORDER BY lower(bookings.during), bookings.id`,
})

function sourceSql({ user, from = '-infinity', to = 'infinity' }: BookingSearch): string {
  const times = { from: toSqlLiteral(from), to: toSqlLiteral(to) }
  return user === undefined ? bookingsBetweenSql(times) : `SELECT * FROM bookings WHERE user_id = ${user}`
}

const statusSql = (now: string) => `(CASE WHEN bookings.released_at IS NOT NULL THEN 'no-show'
  WHEN upper(bookings.during) <= ${now}::timestamptz THEN 'over'
  WHEN lower(bookings.during) <= ${now}::timestamptz THEN 'running' ELSE 'upcoming' END)`
