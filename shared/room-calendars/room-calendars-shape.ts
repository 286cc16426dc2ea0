// The calendar of a room as the API shows it, and the SQL that says whether it is in step.
import * as yup from 'yup'
import type { Message } from '../messages/message.ts'
import { writeEnglish } from '../messages/write-message.ts'
import { SHOWN_NAMES } from '../people/shown-names.ts'
import * as answer from '../schemas/answers.ts'
import { rowJson, timestampText } from '../schemas/json.ts'
import { CALENDAR_PROVIDERS } from './room-calendars.ts'

/** A calendar is behind when something has been left undone for this long. */
const BEHIND_AFTER_SQL = "interval '10 minutes'"
/** A process with settings for a provider notes this more often. */
const SEEN_WITHIN_SQL = "interval '5 minutes'"

/** SQL condition that a running process has settings for the provider in a row of `calendar_providers`. */
export const IS_PROVIDER_SET_SQL = `calendar_providers.seen_at > now() - ${SEEN_WITHIN_SQL}`

/** SQL condition that an entry has a fault that Berth may still end. Faults with a reason, such as `declined`, do not count. */
export const IS_ENTRY_FAULTY_SQL =
  "(calendar_entries.fault IS NOT NULL AND calendar_entries.fault ->> 'reason' IS NULL)"

/** SQL condition that both sides have the same meetings, or will within seconds. */
export const IS_IN_STEP_SQL = `(room_calendars.in_step_at IS NOT NULL AND room_calendars.fault_kind IS NULL
  AND room_calendars.next_read_at > now() - ${BEHIND_AFTER_SQL}
  AND coalesce(room_calendars.next_write_at, now()) > now() - ${BEHIND_AFTER_SQL}
  AND NOT EXISTS (SELECT FROM calendar_entries WHERE calendar_entries.bookable_id = room_calendars.bookable_id
    AND (calendar_entries.pending_since < now() - ${BEHIND_AFTER_SQL} OR ${IS_ENTRY_FAULTY_SQL})))`

const FAULT_CODE_DESCRIPTION =
  'Why the calendar is not in step, such as credentials_refused, forbidden, not_found, throttled or unavailable.'

const linkFields = {
  provider: answer.oneOf(CALENDAR_PROVIDERS),
  calendar: answer.text('The address of the room’s mailbox, or the path of a CalDAV calendar.'),
  names: answer.oneOf(SHOWN_NAMES, 'How entries that Berth writes name people.'),
}

/** The calendar as a part of a bookable. */
export const linkedCalendarSchema = yup
  .object({
    ...linkFields,
    in_step: answer.flag('Whether the calendar and Berth have the same meetings.'),
    fault_code: answer.text(FAULT_CODE_DESCRIPTION).nullable(),
  })
  .meta({ component: 'LinkedCalendar' })

export const linkedCalendarJson = rowJson(linkedCalendarSchema, 'room_calendars', {
  in_step: IS_IN_STEP_SQL,
  fault_code: 'room_calendars.fault_kind',
})

export const roomCalendarSchema = yup
  .object({
    bookable_id: answer.id(),
    ...linkFields,
    linked_at: answer.timestamp(),
    in_step: answer.flag('Whether the calendar and Berth have the same meetings.'),
    in_step_at: answer.timestamp('When both were last in step; null if they never were.').nullable(),
    fault: yup
      .object({
        code: answer.text(FAULT_CODE_DESCRIPTION),
        message: answer.text('A sentence for an administrator.'),
        since: answer.timestamp(),
      })
      .nullable()
      .meta({ component: 'RoomCalendarFault' }),
    conflicts: answer.integer('The number of entries that have no room in Berth.'),
    faulty_entries: answer.integer(
      'The number of bookings and events that could not be written to the calendar.',
    ),
    watched_until: answer
      .timestamp(
        'Until when the provider notifies Berth of changes; null if Berth looks for changes by itself.',
      )
      .nullable(),
  })
  .meta({ component: 'RoomCalendar' })

export type RoomCalendarRow = {
  fault_code: string | null
  fault: Message | null
  fault_since: string | null
} & Omit<yup.InferType<typeof roomCalendarSchema>, 'fault'>

/** SQL for the columns of a RoomCalendarRow. */
export const ROOM_CALENDAR_COLUMNS = `room_calendars.bookable_id, room_calendars.provider, room_calendars.calendar,
  room_calendars.names, ${timestampText('room_calendars.linked_at')} AS linked_at, ${IS_IN_STEP_SQL} AS in_step,
  ${timestampText('room_calendars.in_step_at')} AS in_step_at, room_calendars.fault_kind AS fault_code, room_calendars.fault,
  ${timestampText('room_calendars.fault_since')} AS fault_since,
  (SELECT count(*)::int FROM calendar_entries WHERE calendar_entries.bookable_id = room_calendars.bookable_id
    AND calendar_entries.conflict IS NOT NULL AND upper(calendar_entries.during) > now() AND NOT room_calendars.is_clearing) AS conflicts,
  (SELECT count(*)::int FROM calendar_entries WHERE calendar_entries.bookable_id = room_calendars.bookable_id
    AND calendar_entries.fault IS NOT NULL AND NOT room_calendars.is_clearing) AS faulty_entries,
  CASE WHEN room_calendars.watch_ends_at > now() THEN ${timestampText('room_calendars.watch_ends_at')} END AS watched_until`

/** The rows that the API shows, without unlinked calendars whose notifications the engine has yet to end. */
export const ROOM_CALENDAR_ROWS_SQL = `room_calendars JOIN bookables ON bookables.id = room_calendars.bookable_id
  AND bookables.deleted_at IS NULL AND NOT room_calendars.is_ending`

/** Returns the calendar for the API, with the fault as an English sentence. */
export function showRoomCalendar(row: RoomCalendarRow): yup.InferType<typeof roomCalendarSchema> {
  const { fault_code, fault, fault_since, conflicts, faulty_entries, watched_until, ...rest } = row
  const shown =
    fault_code === null || fault_since === null
      ? null
      : { code: fault_code, message: fault ? writeEnglish(fault) : fault_code, since: fault_since }
  return { ...rest, fault: shown, conflicts, faulty_entries, watched_until }
}
