// The input schemas of event writes, and the jobs that write events.
import * as yup from 'yup'
import { fieldName, type MessageValue, message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import {
  choice,
  email,
  flag,
  id,
  idText,
  integer,
  list,
  object,
  required,
  rule,
  text,
  treatNullAsAbsent,
  verbatimText,
} from '../schemas/fields.ts'
import { formVersion, idInput, ifMatch, isAfterField, objectOrOther } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { dateTime, timezone } from '../schemas/times.ts'
import { parseDateTime } from '../utilities/date-times.ts'
import {
  ATTENDEE_STATUSES,
  ATTENDEE_TYPES,
  EVENT_CLASSIFICATIONS,
  eventSchema,
  eventWriteQuery,
} from './events.ts'

export const ATTENDEES_MAX = 1_000
// The limit on the rooms of an event. An event's transaction locks each of its rooms, and Postgres has space for about
// 6,400 locks in all transactions together (max_locks_per_transaction times max_connections).
export const ROOMS_MAX = 300

const EMAIL_REQUIRED = createFieldMessage((name) => message`${name} is required for a visitor.`)
const ID_REQUIRED = createFieldMessage((name) => message`${name} is required when email is absent.`)

const attendeeTypeInput = () =>
  required(choice(ATTENDEE_TYPES, (name) => message`${name} must be “user”, “visitor” or “bookable”.`)).meta({
    description: 'The kind of attendee.',
  })

export const attendeeInputSchema = object({
  type: attendeeTypeInput(),
  id: treatNullAsAbsent(idText()).meta({
    description: 'The id of the user or bookable. Required if email is omitted.',
  }),
  email: treatNullAsAbsent(email()).meta({
    description: 'The e-mail address of the visitor or user, or the integration e-mail of the bookable.',
  }),
  name: treatNullAsAbsent(text({ max: 255, min: 1 })).meta({ description: 'The name of the visitor.' }),
}).test(function hasNeeded(this: yup.TestContext, { type, id: ownId, email: address }) {
  if (type === 'visitor' && address == null)
    return this.createError({ path: `${this.path}.email`, message: EMAIL_REQUIRED })
  return (
    ownId != null || address != null || this.createError({ path: `${this.path}.id`, message: ID_REQUIRED })
  )
})

const attendeesInput = () =>
  list(required(attendeeInputSchema), { max: ATTENDEES_MAX }).test(
    ...rule<Array<{ type?: string }>>(
      'rooms',
      (name) => message`${name} must have at most ${ROOMS_MAX} rooms.`,
      (attendees) => attendees.filter((each) => each?.type === 'bookable').length <= ROOMS_MAX,
    ),
  )

const displayTimezoneInput = () =>
  treatNullAsAbsent(timezone()).meta({
    description: 'The IANA time zone name, for display.',
    whenAbsent: 'UTC',
  })

const timeFields = {
  from_time: createZonedDateTime('from_timezone').nullable(),
  from_timezone: displayTimezoneInput(),
  to_time: required(createZonedDateTime('to_timezone'))
    .test(...isAfterField('from_time'))
    .meta({ description: 'The end. Must be after from_time. Must have an offset if to_timezone is given.' }),
  to_timezone: displayTimezoneInput(),
}

const classificationInput = () =>
  integer({ min: 0, max: 3 }).meta({ openapi: answer.oneNumberSchema(EVENT_CLASSIFICATIONS) })

const contentFields = {
  classification: treatNullAsAbsent(classificationInput()).meta({
    description: '0 = public, 1 = private, 2 = confidential, 3 = default',
    whenAbsent: EVENT_CLASSIFICATIONS.default,
  }),
  name: required(text({ max: 255, min: 1 })).meta({ description: 'The title of the event.' }),
  description: treatNullAsAbsent(verbatimText({ max: 65_535 })).meta({
    description: 'Markdown, stored unchanged.',
    whenAbsent: '',
  }),
  attendees: treatNullAsAbsent(attendeesInput()).meta({
    description: `The attendees. Bookables among them, at most ${ROOMS_MAX}, are booked for the time of the event, either all or none.`,
    whenAbsent: [],
  }),
}

export const newEventSchema = object({
  ...timeFields,
  from_time: treatNullAsAbsent(timeFields.from_time).meta({
    description: 'The start. Defaults to now. Must have an offset if from_timezone is given.',
  }),
  ...contentFields,
  organizer_user_id: required(id()).meta({ description: 'The user who organizes and attends the event.' }),
})

/**
 * A replacement resets absent fields to their defaults, except for the organizer and the start, which stay unchanged.
 */
export const eventReplacementSchema = object({
  ...timeFields,
  from_time: timeFields.from_time.meta({
    description:
      'The start. Omit it to keep the current start; null means now. Must have an offset if from_timezone is given.',
  }),
  ...contentFields,
  organizer_user_id: id().meta({ description: 'The organizer. Omit it to keep the current one.' }),
})

// An attendee to remove: a person's id as responses show it, or the attendee's type and id.
const removedAttendeeSchema = objectOrOther(
  object({ type: attendeeTypeInput(), id: required(idText()) }),
  required(idText()).meta({ description: 'The id of a user or visitor.' }),
)

const attendeeChangesSchema = object({
  add: attendeesInput(),
  remove: list(removedAttendeeSchema, { max: ATTENDEES_MAX }).meta({
    description: 'Ids of users and visitors as in attendees; bookables with their type.',
  }),
})

const describeDisplayTimezone = (schema: ReturnType<typeof timezone>) =>
  schema
    .nullable()
    .meta({ description: 'The IANA time zone name. Omit it to keep the current one; null means UTC.' })

/** Fields that are absent from a change stay unchanged. */
export const eventChangesSchema = object({
  from_time: createZonedDateTime('from_timezone').nullable().meta({
    description:
      'The start. Omit it to keep the current start; null means now. Must have an offset if from_timezone is given.',
  }),
  from_timezone: describeDisplayTimezone(timezone()),
  to_time: createZonedDateTime('to_timezone')
    .test(...isAfterField('from_time'))
    .meta({ description: 'The end. Must be after the start. Must have an offset if to_timezone is given.' }),
  to_timezone: describeDisplayTimezone(timezone()),
  classification: classificationInput().nullable().meta({
    description: '0 = public, 1 = private, 2 = confidential, 3 = default; null means 3.',
  }),
  name: text({ max: 255, min: 1 }).meta({ description: 'The title of the event.' }),
  description: verbatimText({ max: 65_535 }).nullable().meta({
    description: 'Markdown, stored unchanged; null clears it.',
  }),
  organizer_user_id: id().meta({ description: 'The user who organizes and attends the event.' }),
  attendees: objectOrOther(attendeeChangesSchema, attendeesInput())
    .meta({
      description:
        'A list replaces the users and visitors, and the bookables if it contains any. An object adds and removes attendees.',
    })
    .optional(),
})

const { accepted, tentative, declined } = ATTENDEE_STATUSES
const answerStatusInput = () =>
  required(
    choice([accepted, tentative, declined], (name) => message`${name} must be 1 (yes), 2 (maybe) or 3 (no).`),
  ).meta({
    description: '1 = accepted, 2 = tentative, 3 = declined',
    openapi: answer.oneNumberSchema({ accepted, tentative, declined }),
  })

/** The time that the person saw. An answer is refused if the event takes place at another time by now. */
export const seenTimes = {
  from_time: treatNullAsAbsent(dateTime()).meta({
    description:
      'The start that the person saw. The answer is refused if the event has another start by now.',
  }),
  to_time: treatNullAsAbsent(dateTime()).meta({
    description: 'The end that the person saw. The answer is refused if the event has another end by now.',
  }),
}
export const answerSchema = object({ status: answerStatusInput(), ...seenTimes })
export const ownAnswerSchema = answerSchema.shape({
  user_id: required(id()).meta({ description: 'The user who answers.' }),
})
const answerReplySchema = yup.object({
  id: answer.id('The id of the event.'),
  status: answer.oneNumberOf(ATTENDEE_STATUSES, '1 = accepted, 2 = tentative, 3 = declined'),
})

const eventCheckInSchema = yup.object({ id: answer.id(), checked_in_at: answer.timestamp() })

// Only for administrators in the dashboard: ignores the rules of the place.
const overridingFields = { overrides_rules: flag() }
const { include, invite } = eventWriteQuery.fields
const answerOptions = { include, invite }

export const eventJobs = {
  'events.create': writeJob(
    newEventSchema.shape({ ...overridingFields, ...answerOptions }),
    answer.data(eventSchema),
  ),
  /**
   * Replaces a booking with an event in the same room at the same time. The user of the booking becomes the organizer
   * of the event.
   */
  'events.create-from-booking': writeJob(
    object({
      booking_id: required(id()),
      name: contentFields.name,
      attendees: contentFields.attendees,
      invite,
    }),
    answer.data(eventSchema),
  ),
  'events.replace': writeJob(
    eventReplacementSchema.shape({
      ...overridingFields,
      ...answerOptions,
      id: required(id()),
      version: formVersion(),
      if_match: ifMatch(),
      /** Reinstates an event that was cancelled. Only administrators may do this. */
      reinstates: flag(),
    }),
    answer.data(eventSchema),
  ),
  'events.update': writeJob(
    eventChangesSchema.shape({
      ...answerOptions,
      id: required(id()),
      if_match: ifMatch(),
      /** The ids of the rooms that the page showed. The change is refused if the event has other rooms by now. */
      seen_rooms: list(required(id()), { max: ROOMS_MAX }),
    }),
    answer.data(eventSchema),
  ),
  /** `attendee_id` is the id of a user or visitor as responses show it to this caller. */
  'events.answer': writeJob(
    answerSchema.shape({
      id: required(id()),
      attendee_id: required(id()),
      /** When the attendee answered. The job is refused if the attendee has answered again since then. Defaults to now. */
      answered_at: dateTime(),
    }),
    answer.data(answerReplySchema),
  ),
  'events.cancel': writeJob(
    idInput,
    answer.data(yup.object({ id: answer.integer(), freed: answer.integer() })),
  ),
  'events.check-in': writeJob(idInput, answer.data(eventCheckInSchema)),
  /** Cancels an event, as events.cancel does, for requests to delete an event in the API. */
  'events.delete': writeJob(object({ id: required(id()), if_match: ifMatch() }), null),
}

// Returns the schema of a time that needs an offset if the request also names a time zone: without an offset, the time
// would be ambiguous.
function createZonedDateTime(zoneName: string) {
  const message = createFieldMessage((name) => createNeedsOffsetMessage(name, zoneName))
  return dateTime().test('zoned', function isUnambiguous(value) {
    const { originalValue } = this
    const zone = (this.parent as Record<string, unknown>)[zoneName]
    if (!value || zone == null || typeof originalValue !== 'string') return true
    return parseDateTime(originalValue.trim())?.hasOffset || this.createError({ message })
  })
}

const createNeedsOffsetMessage = (name: MessageValue, zoneName: string) =>
  message`${name} needs an offset such as Z or +01:00 when ${fieldName(zoneName)} is set: without one it is ambiguous.`
