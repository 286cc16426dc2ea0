// Reads the calendar addresses of one thing, and the owner of one address.
import type pg from 'pg'

export type CalendarSubject = 'user_id' | 'bookable_id' | 'location_id'

export type CalendarRow = { id: number; createdAt: string }

export async function listCalendars(
  reads: pg.Pool,
  subject: CalendarSubject,
  id: number,
): Promise<CalendarRow[]> {
  const { rows } = await reads.query<CalendarRow>(
    `SELECT id, created_at AS "createdAt" FROM calendars WHERE ${subject} = $1 ORDER BY id`,
    [id],
  )
  return rows
}

type FoundCalendar = { name: string; path: string }

export async function findCalendar(reads: pg.Pool, id: number): Promise<FoundCalendar | undefined> {
  const { rows } = await reads.query<FoundCalendar>(
    `SELECT coalesce(users.name, bookables.name, locations.name) AS name,
       coalesce('/people/' || users.id, '/places/bookables/' || bookables.id, '/places/locations/' || locations.id) AS path
     FROM calendars
     LEFT JOIN users ON users.id = calendars.user_id
     LEFT JOIN bookables ON bookables.id = calendars.bookable_id
     LEFT JOIN locations ON locations.id = calendars.location_id
     WHERE calendars.id = $1`,
    [id],
  )
  return rows[0]
}
