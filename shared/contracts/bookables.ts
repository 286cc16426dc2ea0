// Bookables: their types and states, and what the API says of them.
import * as yup from 'yup'
import {
  dataAnswer,
  flagAnswer,
  idAnswer,
  integerAnswer,
  listAnswer,
  textAnswer,
  timestampAnswer,
} from './answers.ts'
import { choice, id, list, object, queryFlag, required, text } from './fields.ts'
import { job } from './job.ts'
import { locationInBuildingSchema, locationSchema } from './locations.ts'

export const BOOKABLE_TYPES = { desk: 0, parkingSpot: 1, meetingRoom: 2, homeOffice: 3 } as const
export const BOOKABLE_STATUSES = { flexible: 0, blocked: 1, assigned: 2 } as const

const type = () =>
  integerAnswer(Object.values(BOOKABLE_TYPES)).meta({
    description: '0 = desk, 1 = parking spot, 2 = meeting room, 3 = home office',
  })

const summary = {
  id: idAnswer(),
  name: textAnswer(),
  type: type(),
  status: integerAnswer(Object.values(BOOKABLE_STATUSES)).meta({
    description: '0 = flexible, 1 = blocked, 2 = assigned',
  }),
}

const tags = listAnswer(textAnswer())

export const bookableSchema = yup.object(summary).meta({ component: 'Bookable' })
export const taggedBookableSchema = yup.object({ ...summary, tags }).meta({ component: 'TaggedBookable' })

export const locatedBookableSchema = yup
  .object({ ...summary, location: locationSchema })
  .meta({ component: 'LocatedBookable' })

export const bookableInBuildingSchema = yup
  .object({ ...summary, location: locationInBuildingSchema })
  .meta({ component: 'BookableInBuilding' })

/** A bookable inside an event. */
export const eventBookableSchema = yup
  .object({
    id: idAnswer(),
    name: textAnswer(),
    tags,
    capacity: integerAnswer(),
    integration_email: textAnswer(),
  })
  .meta({ component: 'EventBookable' })

export const occupancyQuery = object({
  details: queryFlag().meta({ description: 'Whether booking_current and booking_next are included.' }),
})

const spanSchema = yup
  .object({ from_time: timestampAnswer(), to_time: timestampAnswer().nullable() })
  .nullable()
  .meta({ description: 'Only with details=true. A to_time of null is open-ended.', sometimes: true })

export const occupancySchema = yup
  .object({
    id: textAnswer({ format: 'uuid' }),
    location_name: textAnswer(),
    type: type(),
    name: textAnswer(),
    occupied: flagAnswer(),
    booking_current: spanSchema,
    booking_next: spanSchema,
  })
  .meta({ component: 'Occupancy' })

const TAGS_MAX = 100

const SETTABLE = [BOOKABLE_STATUSES.flexible, BOOKABLE_STATUSES.blocked] as const

/** Every field is optional; what is absent stays. */
export const bookableChangesSchema = object({
  name: text({ max: 255, min: 1 }).meta({ description: 'What it is called.' }),
  description: text({ max: 255 }).nullable().meta({ description: 'null clears it.' }),
  status: choice(SETTABLE, (name) => `${name} must be 0 (flexible) or 1 (blocked).`).meta({
    description: '0 = flexible, 1 = blocked; 2 cannot be set.',
  }),
  tags: list(required(text({ max: 255, min: 1 })), { max: TAGS_MAX }).meta({
    description: 'Replaces the whole list; exact repeats are dropped, the order is kept.',
  }),
})

export const bookableJobs = {
  'bookables.update': job({
    queue: 'writes',
    input: bookableChangesSchema.shape({ id: required(id()) }),
    answer: dataAnswer(taggedBookableSchema),
  }),
}
