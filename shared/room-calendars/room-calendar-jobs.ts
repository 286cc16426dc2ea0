// The jobs of room calendars: linking them, and writing what they say.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { shownNamesInput } from '../people/shown-names.ts'
import * as answer from '../schemas/answers.ts'
import { choice, flag, id, list, object, required, text, treatNullAsAbsent } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { CALENDAR_PROVIDERS } from './room-calendars.ts'
import { roomCalendarSchema } from './room-calendars-shape.ts'

/** The limit on rooms that one write links. */
export const LINKS_PER_WRITE_MAX = 1_000

export const WATCH_EVENTS = ['changed', 'missed', 'ending', 'ended'] as const
/** The limit on notices in one job. Microsoft 365 sends up to some hundred in one request. */
export const NOTICES_MAX = 1_000

const providerInput = () =>
  choice(CALENDAR_PROVIDERS, (name) => message`${name} must be one of ${CALENDAR_PROVIDERS.join(', ')}.`)
const calendarInput = () =>
  text({ max: 1_000, min: 1 }).meta({
    description:
      'The address of the room’s mailbox at Microsoft 365 or Google Workspace, or the path of a calendar on the CalDAV server.',
  })
const namesInput = () =>
  treatNullAsAbsent(shownNamesInput()).meta({
    description: 'How entries that Berth writes name people. People who hide always appear as “Taken”.',
    whenAbsent: 'full for a new link; otherwise unchanged',
  })

export const newRoomCalendarSchema = object({
  provider: required(providerInput()),
  calendar: required(calendarInput()),
  names: namesInput(),
})

const bookableFields = { bookable_id: required(id()) }
const linkedReply = answer.data(yup.object({ linked: answer.integer() }))

export const roomCalendarJobs = {
  /**
   * Applies what an entry of a calendar now says. `revision` is the revision for which the job was queued; a job that comes
   * late applies the entry as it is by then. `applies_rules` says whether the rules of the room also hold for meetings that
   * come from a calendar.
   */
  'room-calendars.apply': writeJob(
    object({ entry_id: required(id()), revision: required(id()), applies_rules: flag() }),
    null,
  ),
  /** Links a bookable to a calendar. If `is_unlinked` is set, refuses a bookable that has another calendar by then. */
  'room-calendars.link': writeJob(
    newRoomCalendarSchema.shape({ ...bookableFields, is_unlinked: flag() }),
    answer.data(roomCalendarSchema),
  ),
  /** Links either all of the bookables or none. Refuses bookables that have another calendar by then. */
  'room-calendars.link-many': writeJob(
    object({
      provider: required(providerInput()),
      names: namesInput(),
      links: required(
        notEmpty(
          list(required(object({ ...bookableFields, calendar: required(calendarInput()) })), {
            max: LINKS_PER_WRITE_MAX,
          }),
        ),
      ),
    }),
    linkedReply,
  ),
  /** Creates a meeting room for each of the calendars that the provider lists, and links it. */
  'room-calendars.create-rooms': writeJob(
    object({
      provider: required(providerInput()),
      location_id: required(id()),
      names: namesInput(),
      calendars: required(notEmpty(list(required(calendarInput()), { max: LINKS_PER_WRITE_MAX }))),
    }),
    linkedReply,
  ),
  'room-calendars.unlink': writeJob(object(bookableFields), null),
  /** Makes calendars due for reading that a provider reports as changed. */
  'room-calendars.notice': writeJob(
    object({
      notices: required(
        list(
          required(
            object({
              watch: required(text({ max: 1_000, min: 1 })),
              event: required(
                choice(WATCH_EVENTS, (name) => message`${name} must be one of ${WATCH_EVENTS.join(', ')}.`),
              ),
            }),
          ),
          { max: NOTICES_MAX },
        ),
      ),
    }),
    null,
  ),
  /** Makes the lists of rooms of all providers due, so that they are fetched again at once. */
  'room-calendars.list-rooms': writeJob(object({}), null),
}
