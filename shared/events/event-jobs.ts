// What writes of events take, and their jobs.
import * as yup from 'yup'
import { field, message, type Value } from '../messages/message.ts'
import { fieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import {
  choice,
  email,
  flag,
  id,
  idText,
  integer,
  list,
  nullIsAbsent,
  object,
  required,
  rule,
  text,
  verbatim,
} from '../schemas/fields.ts'
import { after, byId, ifMatch, objectOr, version } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { dateTime, timezone } from '../schemas/times.ts'
import { parseDateTime } from '../utilities/date-times.ts'
import { ATTENDEE_TYPES, EVENT_CLASSIFICATIONS, eventSchema, include } from './events.ts'

export const ATTENDEES_MAX = 1_000
// Each room is a lock of the event's transaction, and Postgres has room for some 6,400 locks of all
// transactions together (max_locks_per_transaction times max_connections).
export const ROOMS_MAX = 300

const IS_VISITORS = fieldMessage((name) => message`${name} is required for a visitor.`)
const IS_NEEDED = fieldMessage((name) => message`${name} is required when email is absent.`)

const attendeeType = () =>
  required(choice(ATTENDEE_TYPES, (name) => message`${name} must be user, visitor or bookable.`)).meta({
    description: 'The kind of attendee.',
  })

export const attendeeInputSchema = object({
  type: attendeeType(),
  id: nullIsAbsent(idText()).meta({
    description: 'The id of the user or bookable. Required if email is omitted.',
  }),
  email: nullIsAbsent(email()).meta({
    description: 'The e-mail address of the visitor or user, or the integration e-mail of the bookable.',
  }),
}).test(function hasNeeded(this: yup.TestContext, { type, id: ownId, email: address }) {
  if (type === 'visitor' && address == null)
    return this.createError({ path: `${this.path}.email`, message: IS_VISITORS })
  return ownId != null || address != null || this.createError({ path: `${this.path}.id`, message: IS_NEEDED })
})

const attendeeList = () =>
  list(required(attendeeInputSchema), { max: ATTENDEES_MAX }).test(
    ...rule<Array<{ type?: string }>>(
      'rooms',
      (name) => message`${name} must have at most ${ROOMS_MAX} rooms.`,
      (attendees) => attendees.filter((each) => each?.type === 'bookable').length <= ROOMS_MAX,
    ),
  )

const displayTimezone = () =>
  nullIsAbsent(timezone()).meta({ description: 'The IANA time zone name, for display.', whenAbsent: 'UTC' })

const times = {
  from_time: zoned('from_timezone').nullable(),
  from_timezone: displayTimezone(),
  to_time: required(zoned('to_timezone'))
    .test(...after('from_time'))
    .meta({ description: 'The end. Must be after from_time. Must have an offset if to_timezone is given.' }),
  to_timezone: displayTimezone(),
}

const classification = () =>
  integer({ min: 0, max: 3 }).meta({ openapi: answer.numbersOf(EVENT_CLASSIFICATIONS) })

const content = {
  classification: nullIsAbsent(classification()).meta({
    description: '0 = public, 1 = private, 2 = confidential, 3 = default',
    whenAbsent: EVENT_CLASSIFICATIONS.default,
  }),
  name: required(text({ max: 255, min: 1 })).meta({ description: 'The title of the event.' }),
  description: nullIsAbsent(verbatim({ max: 65_535 })).meta({
    description: 'Markdown, stored unchanged.',
    whenAbsent: '',
  }),
  attendees: nullIsAbsent(attendeeList()).meta({
    description: `The attendees. Bookables among them, at most ${ROOMS_MAX}, are booked for the time of the event, either all or none.`,
    whenAbsent: [],
  }),
}

export const newEventSchema = object({
  ...times,
  from_time: nullIsAbsent(times.from_time).meta({
    description: 'The start. Defaults to now. Must have an offset if from_timezone is given.',
  }),
  ...content,
  organizer_user_id: required(id()).meta({ description: 'The user who organizes and attends the event.' }),
})

/** Absent fields are reset to their defaults, except the organizer and the start, which stay. */
export const eventReplacementSchema = object({
  ...times,
  from_time: times.from_time.meta({
    description:
      'The start. Omit it to keep the current start; null means now. Must have an offset if from_timezone is given.',
  }),
  ...content,
  organizer_user_id: id().meta({ description: 'The organizer. Omit it to keep the current one.' }),
})

// An id of a person as answers show it, or an attendee by type and id.
const removedAttendeeSchema = objectOr(
  object({ type: attendeeType(), id: required(idText()) }),
  required(idText()).meta({ description: 'The id of a user or visitor.' }),
)

const attendeeChangesSchema = object({
  add: attendeeList(),
  remove: list(removedAttendeeSchema, { max: ATTENDEES_MAX }).meta({
    description: 'Ids of users and visitors as in attendees; bookables with their type.',
  }),
})

const displayed = (schema: ReturnType<typeof timezone>) =>
  schema
    .nullable()
    .meta({ description: 'The IANA time zone name. Omit it to keep the current one; null means UTC.' })

/** Absent fields stay as they are. */
export const eventChangesSchema = object({
  from_time: zoned('from_timezone').nullable().meta({
    description:
      'The start. Omit it to keep the current start; null means now. Must have an offset if from_timezone is given.',
  }),
  from_timezone: displayed(timezone()),
  to_time: zoned('to_timezone')
    .test(...after('from_time'))
    .meta({ description: 'The end. Must be after the start. Must have an offset if to_timezone is given.' }),
  to_timezone: displayed(timezone()),
  classification: classification().nullable().meta({
    description: '0 = public, 1 = private, 2 = confidential, 3 = default; null means 3.',
  }),
  name: text({ max: 255, min: 1 }).meta({ description: 'The title of the event.' }),
  description: verbatim({ max: 65_535 }).nullable().meta({
    description: 'Markdown, stored unchanged; null clears it.',
  }),
  organizer_user_id: id().meta({ description: 'The user who organizes and attends the event.' }),
  attendees: objectOr(attendeeChangesSchema, attendeeList())
    .meta({
      description:
        'A list replaces the users and visitors, and the bookables if it contains any. An object adds and removes attendees.',
    })
    .optional(),
})

const eventCheckInSchema = yup.object({ id: answer.id(), checked_in_at: answer.timestamp() })

// For administrators, in the dashboard.
const overriding = { overrides_rules: flag() }
const answering = { include: include() }

export const eventJobs = {
  'events.create': write(newEventSchema.shape({ ...overriding, ...answering }), answer.data(eventSchema)),
  /** The event takes the room and the time of this booking, which ends with it; its person is the organizer. */
  'events.create-from-booking': write(
    object({ booking_id: required(id()), name: content.name, attendees: content.attendees }),
    answer.data(eventSchema),
  ),
  'events.replace': write(
    eventReplacementSchema.shape({
      ...overriding,
      ...answering,
      id: required(id()),
      version: version(),
      if_match: ifMatch(),
      /** Makes a cancelled event take place again: for administrators only. */
      reinstates: flag(),
    }),
    answer.data(eventSchema),
  ),
  'events.update': write(
    eventChangesSchema.shape({ ...answering, id: required(id()), if_match: ifMatch() }),
    answer.data(eventSchema),
  ),
  'events.cancel': write(byId, answer.data(yup.object({ id: answer.integer(), freed: answer.integer() }))),
  'events.check-in': write(byId, answer.data(eventCheckInSchema)),
  /** The same under the API's name. */
  'events.delete': write(object({ id: required(id()), if_match: ifMatch() }), null),
}

// A time without an offset next to a time zone could mean either.
function zoned(zoneName: string) {
  const message = fieldMessage((name) => needsOffset(name, zoneName))
  return dateTime().test('zoned', function isUnambiguous(value) {
    const { originalValue } = this
    const zone = (this.parent as Record<string, unknown>)[zoneName]
    if (!value || zone == null || typeof originalValue !== 'string') return true
    return parseDateTime(originalValue.trim())?.hasOffset || this.createError({ message })
  })
}

const needsOffset = (name: Value, zoneName: string) =>
  message`${name} needs an offset such as Z or +01:00 beside ${field(zoneName)}: without one it could mean either.`
