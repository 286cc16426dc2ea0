// Events: what the API takes and shows of them, and the jobs that write them.
import * as yup from 'yup'
import { eventBookableSchema } from '../bookables/bookables.ts'
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
  queryId,
  required,
  rule,
  text,
  verbatim,
} from '../schemas/fields.ts'
import { after, byId, ifMatch, version } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { range } from '../schemas/queries.ts'
import { dateTime, timezone } from '../schemas/times.ts'
import { parseDateTime } from '../utilities/date-times.ts'

export const EVENT_STATUSES = { confirmed: 1, cancelled: 2 } as const
export const EVENT_CLASSIFICATIONS = { public: 0, private: 1, confidential: 2, default: 3 } as const
export const ATTENDEE_ROLES = { organizer: 0, attendee: 1 } as const
export const ATTENDEE_STATUSES = { noAnswer: 0, accepted: 1, tentative: 2, declined: 3 } as const

export const attendeeSchema = yup
  .object({
    id: answer.id('Of a user the id of the user, of a visitor an id of their own, which is never a user’s.'),
    name: answer.text(),
    email: answer.text(),
    role: answer.integer('0 = organizer, 1 = attendee', Object.values(ATTENDEE_ROLES)),
    status: answer.integer(
      '0 = no answer, 1 = accepted, 2 = tentative, 3 = declined',
      Object.values(ATTENDEE_STATUSES),
    ),
  })
  .meta({ component: 'Attendee' })

const organizer = yup.object({ name: answer.text() })
const bookables = answer.list(eventBookableSchema)
const named = { id: answer.id(), name: answer.text() }
const span = { from: answer.timestamp(), to: answer.timestamp() }
const state = {
  classification: answer.integer(
    '0 = public, 1 = private, 2 = confidential, 3 = default',
    Object.values(EVENT_CLASSIFICATIONS),
  ),
  status: answer.integer('1 = confirmed, 2 = cancelled', Object.values(EVENT_STATUSES)),
}
const people = { organizer, attendees: answer.list(attendeeSchema) }

export const eventSchema = yup
  .object({ ...named, ...span, ...state, ...people, bookables })
  .meta({ component: 'Event' })

export const listedEventSchema = yup
  .object({ ...named, ...span, organizer, bookables })
  .meta({ component: 'ListedEvent' })

export const todaysEventSchema = yup
  .object({
    ...named,
    description: answer.text('Markdown.'),
    from: span.from,
    from_timezone: answer.text(),
    to: span.to,
    to_timezone: answer.text(),
    ...state,
    ...people,
    bookables,
  })
  .meta({ component: 'TodaysEvent' })

const place = {
  building_id: queryId().meta({ description: 'Only events with a bookable in this building.' }),
  location_id: queryId().meta({ description: 'Only events with a bookable in this location.' }),
  bookable_id: queryId().meta({ description: 'Only events with this bookable.' }),
}

export const eventsQuery = object({ ...range, ...place })

const PLACES = Object.keys(place)

// Each is required, but only if the others are missing too: then all three report it.
const oneOf = (schema: ReturnType<typeof queryId>) =>
  schema.test(
    'one-of',
    ({ path }) => `${path} is required when neither of the others is given.`,
    function test(value) {
      const query = this.parent as Record<string, unknown>
      return value !== undefined || PLACES.some((name) => query[name] !== undefined)
    },
  )

export const eventsTodayQuery = object({
  building_id: oneOf(place.building_id),
  location_id: oneOf(place.location_id),
  bookable_id: oneOf(place.bookable_id),
})

const ATTENDEES_MAX = 1_000
// Each room is a lock of the event's transaction, and Postgres has room for some 6,400 locks of all
// transactions together (max_locks_per_transaction times max_connections).
const ROOMS_MAX = 300
const ATTENDEE_TYPES = ['user', 'visitor', 'bookable'] as const

const IS_VISITORS = fieldMessage((name) => message`${name} is required for a visitor.`)
const IS_NEEDED = fieldMessage((name) => message`${name} is required when email is absent.`)

const attendeeInputSchema = object({
  type: required(choice(ATTENDEE_TYPES, (name) => message`${name} must be user, visitor or bookable.`)).meta({
    description: 'The kind of attendee.',
  }),
  id: nullIsAbsent(idText()).meta({
    description: 'Id of the user or bookable; required if email is absent.',
  }),
  email: nullIsAbsent(email()).meta({
    description: 'E-mail of the visitor or user, or the integration e-mail of the bookable.',
  }),
}).test(function hasNeeded(this: yup.TestContext, { type, id: ownId, email: address }) {
  if (type === 'visitor' && address == null)
    return this.createError({ path: `${this.path}.email`, message: IS_VISITORS })
  return ownId != null || address != null || this.createError({ path: `${this.path}.id`, message: IS_NEEDED })
})

const displayTimezone = () =>
  nullIsAbsent(timezone()).meta({ description: 'IANA time zone name, for display.', whenAbsent: 'UTC' })

const times = {
  from_time: zoned('from_timezone').nullable(),
  from_timezone: displayTimezone(),
  to_time: required(zoned('to_timezone'))
    .test(...after('from_time'))
    .meta({ description: 'Must be after from_time. With an offset if to_timezone is given.' }),
  to_timezone: displayTimezone(),
}

const content = {
  classification: nullIsAbsent(integer({ min: 0, max: 3 })).meta({
    description: '0 = public, 1 = private, 2 = confidential, 3 = default',
    whenAbsent: EVENT_CLASSIFICATIONS.default,
  }),
  name: required(text({ max: 255, min: 1 })).meta({ description: 'The title of the event.' }),
  description: nullIsAbsent(verbatim({ max: 65_535 })).meta({
    description: 'Markdown, stored unchanged.',
    whenAbsent: '',
  }),
  attendees: nullIsAbsent(
    list(required(attendeeInputSchema), { max: ATTENDEES_MAX }).test(
      ...rule<Array<{ type?: string }>>(
        'rooms',
        (name) => message`${name} must have at most ${ROOMS_MAX} bookables.`,
        (attendees) => attendees.filter((each) => each?.type === 'bookable').length <= ROOMS_MAX,
      ),
    ),
  ).meta({
    description: `Bookables among them, at most ${ROOMS_MAX}, are booked for the time of the event, all or none.`,
    whenAbsent: [],
  }),
}

export const newEventSchema = object({
  ...times,
  from_time: nullIsAbsent(times.from_time).meta({
    description: 'Now if absent or null. With an offset if from_timezone is given.',
  }),
  ...content,
  organizer_user_id: required(id()).meta({ description: 'The user who organizes and attends the event.' }),
})

/** Absent fields are reset to their defaults, except the organizer and the start, which stay. */
export const eventReplacementSchema = object({
  ...times,
  from_time: times.from_time.meta({
    description: 'Absent keeps the current start; null means now. With an offset if from_timezone is given.',
  }),
  ...content,
  organizer_user_id: id().meta({ description: 'Absent keeps the current organizer.' }),
})

const eventCheckInSchema = yup.object({ id: answer.id(), checked_in_at: answer.timestamp() })

// For administrators, in the dashboard.
const overriding = { overrides_rules: flag() }

export const eventJobs = {
  'events.create': write(newEventSchema.shape(overriding), answer.data(eventSchema)),
  'events.replace': write(
    eventReplacementSchema.shape({
      ...overriding,
      id: required(id()),
      version: version(),
      if_match: ifMatch(),
      /** Makes a cancelled event take place again: for administrators only. */
      reinstates: flag(),
    }),
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
