// Calendars at secret addresses: what their endpoints take and answer, and their jobs.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { SHOWN_NAMES, shownNames } from '../people/shown-names.ts'
import * as answer from '../schemas/answers.ts'
import { id, nullIsAbsent, object, queryId } from '../schemas/fields.ts'
import { byId, sha256 } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { rowJson } from '../schemas/json.ts'

export const CALENDAR_SUBJECTS = ['user_id', 'bookable_id', 'location_id'] as const

/** How many addresses a user, bookable or location has at most. */
export const CALENDARS_MAX = 10

// If none or several are given, all three fields report it.
const oneOf = (schema: ReturnType<typeof id>) =>
  nullIsAbsent(schema).test(
    'one-of',
    () => message`Exactly one of user_id, bookable_id and location_id must be given.`,
    function test() {
      const body = this.parent as Record<string, unknown>
      return CALENDAR_SUBJECTS.filter((name) => body[name] !== undefined).length === 1
    },
  )

export const newCalendarSchema = object({
  user_id: oneOf(id()),
  bookable_id: oneOf(id()),
  location_id: oneOf(id()),
  names: nullIsAbsent(shownNames())
    .test(
      'of-place',
      () => message`names is only for the calendar of a bookable or a location.`,
      function test(value) {
        return value === undefined || (this.parent as Record<string, unknown>).user_id === undefined
      },
    )
    .meta({
      description:
        'How much the calendar of a place shows about people. People who hide always appear as “Taken”.',
      whenAbsent: 'full',
    }),
})

export const calendarQuery = object({
  user_id: queryId().meta({ description: 'Only addresses of this user.' }),
  bookable_id: queryId().meta({ description: 'Only addresses of this bookable.' }),
  location_id: queryId().meta({ description: 'Only addresses of this location.' }),
})

const members = {
  id: answer.id(),
  user_id: answer.id().nullable(),
  bookable_id: answer.id().nullable(),
  location_id: answer.id().nullable(),
  names: answer.oneOf(SHOWN_NAMES, 'null for a user.').nullable(),
  created_at: answer.timestamp(),
}
export const calendarSchema = yup.object(members).meta({ component: 'Calendar' })
// Calendars that were created before this choice existed store none.
const names = "CASE WHEN calendars.user_id IS NULL THEN coalesce(calendars.names, 'full') END"
export const calendarJson = rowJson(calendarSchema, 'calendars', { names })

export const calendarWithUrlSchema = yup
  .object({
    ...members,
    url: answer.url('Shown only once: anyone with this URL can read the calendar.'),
  })
  .meta({ component: 'CalendarWithUrl' })
export const calendarWithUrlJson = (url: string) =>
  rowJson(calendarWithUrlSchema, 'calendars', { names, url: `${url}::text` })

/**
 * The hash of a secret that a gateway of the previous release has created itself; then that gateway's own
 * answer contains the address.
 */
const hash = sha256()

export const calendarJobs = {
  'calendars.create': write(newCalendarSchema.concat(object({ hash })), answer.data(calendarWithUrlSchema)),
  'calendars.delete': write(byId, null),
}
