// Defines the API schemas of calendars at secret URLs, and the jobs that write calendars.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { SHOWN_NAMES, shownNamesInput } from '../people/shown-names.ts'
import * as answer from '../schemas/answers.ts'
import { id, object, queryId, treatNullAsAbsent } from '../schemas/fields.ts'
import { idInput, sha256 } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { rowJson } from '../schemas/json.ts'

export const CALENDAR_SUBJECTS = ['user_id', 'bookable_id', 'location_id'] as const

/** The limit on calendar URLs for one user, bookable or location. */
export const CALENDARS_MAX = 10

// Exactly one of the three fields is required. If none or several are given, all three report it.
const requireOneSubject = (schema: ReturnType<typeof id>) =>
  treatNullAsAbsent(schema).test(
    'one-of',
    () => message`Exactly one of user_id, bookable_id and location_id must be given.`,
    function test() {
      const body = this.parent as Record<string, unknown>
      return CALENDAR_SUBJECTS.filter((name) => body[name] !== undefined).length === 1
    },
  )

export const newCalendarSchema = object({
  user_id: requireOneSubject(id()),
  bookable_id: requireOneSubject(id()),
  location_id: requireOneSubject(id()),
  names: treatNullAsAbsent(shownNamesInput())
    .test(
      'of-place',
      () => message`names is allowed only for the calendar of a bookable or a location.`,
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

const calendarMembers = {
  id: answer.id(),
  user_id: answer.id().nullable(),
  bookable_id: answer.id().nullable(),
  location_id: answer.id().nullable(),
  names: answer.oneOf(SHOWN_NAMES, 'null for a user.').nullable(),
  created_at: answer.timestamp(),
}
export const calendarSchema = yup.object(calendarMembers).meta({ component: 'Calendar' })
// SQL for how a place's calendar names people. Calendars that were created before this setting existed have
// null, which means full names.
const names = "CASE WHEN calendars.user_id IS NULL THEN coalesce(calendars.names, 'full') END"
export const calendarJson = rowJson(calendarSchema, 'calendars', { names })

export const calendarWithUrlSchema = yup
  .object({
    ...calendarMembers,
    url: answer.url('Shown only once: anyone with this URL can read the calendar.'),
  })
  .meta({ component: 'CalendarWithUrl' })
export const calendarWithUrlJson = (url: string) =>
  rowJson(calendarWithUrlSchema, 'calendars', { names, url: `${url}::text` })

/**
 * The hash of a calendar's secret. Only a gateway of the previous release sends a hash: it created the secret itself,
 * and its own response contains the URL.
 */
const hash = sha256()

export const calendarJobs = {
  'calendars.create': writeJob(
    newCalendarSchema.concat(object({ hash })),
    answer.data(calendarWithUrlSchema),
  ),
  'calendars.delete': writeJob(idInput, null),
}
