// The pages that send a booking or a meeting as a calendar file, for the button “Add to calendar”.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import { jsonAsText } from '../../../../shared/schemas/json.ts'
import { beginCalendar, END_CALENDAR, formatEntry } from '../../../../shared/tokens/calendar-file.ts'
import { type CalendarEntry, calendarEntryJson } from '../../../../shared/tokens/calendars-shape.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { sentence } from '../../locales/translate.ts'
import { type Call, definePage, type PageFile } from '../../pages/page/page.ts'
import { TAKES_PART_SQL } from './own-bookings.ts'

const NOT_FOUND = message`You do not have this booking or meeting, or it is over.`

const FILE_COLUMNS = {
  entry: rows.textColumn(jsonAsText(calendarEntryJson)),
  database: rows.textColumn('(SELECT id FROM identity)'),
}

// $1 is the person, and $2 the booking or the meeting.
const BOOKING_SQL = `SELECT 'booking' AS kind, id, bookable_id, user_id, coalesce(guest_name, guest_email) AS guest, during,
    revision, created_at, updated_at, false AS cancelled
  FROM bookings WHERE id = $2 AND user_id = $1`
const MEETING_SQL = `SELECT 'event' AS kind, events.id,
    (SELECT min(bookable_id) FROM bookings WHERE event_id = events.id AND released_at IS NULL) AS bookable_id,
    NULL::bigint AS user_id, NULL AS guest, during, revision, created_at, updated_at, false AS cancelled
  FROM events WHERE id = $2 AND status = 1 AND ${TAKES_PART_SQL}`

const createFrom = (selected: string) => `(${selected}) AS entries
  LEFT JOIN bookables ON bookables.id = entries.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = locations.building_id
  LEFT JOIN users ON users.id = entries.user_id
  LEFT JOIN events ON entries.kind = 'event' AND events.id = entries.id
  LEFT JOIN users AS organizers ON organizers.id = events.organizer_user_id`

const createPage = (path: string, selected: string) =>
  definePage({
    path,
    title: sentence`Add to calendar`,
    section: 'My day',
    params: object({ id: pathId() }),
    missing: NOT_FOUND,
    show: (call) => createFile(call, createFrom(selected)),
  })

async function createFile(
  { reads, requirePerson, params }: Call<{ id: number }>,
  from: string,
): Promise<PageFile> {
  const found = await rows.selectRow(reads, FILE_COLUMNS, from, [requirePerson().id, params.id])
  if (!found) throw new Refusal('not_found', NOT_FOUND)
  const entry: CalendarEntry = JSON.parse(found.entry)
  const text =
    beginCalendar('Berth') + formatEntry(entry, { isOfUser: true, database: found.database }) + END_CALENDAR
  return { file: { name: 'booking.ics', contentType: 'text/calendar; charset=utf-8', text } }
}

export const bookingCalendarPage = createPage('/bookings/{id}/calendar', BOOKING_SQL)
export const meetingCalendarPage = createPage('/meetings/{id}/calendar', MEETING_SQL)
