// Defines the API schemas for finding free bookables.
import * as yup from 'yup'
import { BOOKABLE_TYPES } from '../bookables/bookables.ts'
import * as answer from '../schemas/answers.ts'
import { id, integer, list, object, queryId, queryNumber, required } from '../schemas/fields.ts'
import { notEmpty } from '../schemas/inputs.ts'
import { timeRangeFields, timeRangeFieldsUpTo } from '../schemas/queries.ts'
import { dateTime } from '../schemas/times.ts'
import { bookableFilters } from './booking-filters.ts'

const CAPACITY_MAX = 2 ** 31 - 1
const RANGE_DAYS_MAX = 31

type PlaceFilter = { building_id?: number; location_id?: number }

/** Either a building or a location is required. If the query has both, both conditions apply. */
const placeInput = (other: keyof PlaceFilter, description: string) =>
  queryId()
    .test(
      'one-of',
      ({ path }) => `${path} is required when ${other} is not given.`,
      function hasPlace(value) {
        return value !== undefined || (this.parent as PlaceFilter)[other] !== undefined
      },
    )
    .meta({ description })

export const availabilityQuery = object({
  ...timeRangeFields,
  building_id: placeInput('location_id', 'Only bookables in this building. Required without location_id.'),
  location_id: placeInput('building_id', 'Only bookables in this location. Required without building_id.'),
  ...bookableFilters,
  capacity_min: queryNumber(integer({ min: 0, max: CAPACITY_MAX })).meta({
    description: 'Only bookables with a capacity of at least this.',
  }),
  user_id: queryId().meta({
    description:
      'Only bookables that this user may book. Excludes those assigned to others or reserved for other groups, and those that require a vehicle if the user has none.',
  }),
})

/** The range for a single bookable may be longer than the range for several. */
export const bookableAvailabilityQuery = object(timeRangeFieldsUpTo(RANGE_DAYS_MAX))

const spanSchema = yup
  .object({ from: answer.timestamp(), to: answer.timestamp() })
  .meta({ component: 'TimeSpan' })

export const bookableAvailabilitySchema = yup
  .object({
    free: answer.list(spanSchema).meta({ description: 'The times when it can be booked, in order.' }),
    taken: answer
      .list(spanSchema)
      .meta({ description: 'The times when it is booked or used by an event, in order.' }),
  })
  .meta({ component: 'BookableAvailability' })
export type BookableAvailability = yup.InferType<typeof bookableAvailabilitySchema>

const USERS_MAX = 100
const TYPES_MAX = 4
const bookableTypeField = () =>
  integer({ min: 0, max: 3 }).meta({ openapi: answer.oneNumberSchema(BOOKABLE_TYPES) })

export const freeBusySchema = object({
  user_ids: required(notEmpty(list(required(id()), { max: USERS_MAX }))).meta({
    description: 'The ids of the users. The answer keeps their order.',
  }),
  ...timeRangeFieldsUpTo(RANGE_DAYS_MAX, dateTime),
  booking_types: list(required(bookableTypeField()), { max: TYPES_MAX }).meta({
    description:
      'Only bookings of these types of bookables: 0 = desk, 1 = parking spot, 2 = meeting room, 3 = home office. ' +
      'Defaults to all types. Use [2] for times when users cannot meet, and [] for events only.',
  }),
})

export const userTimesSchema = yup
  .object({
    user_id: answer.id(),
    hidden: answer.sometimes(
      answer.flag(
        'True if the user hides from the owner of a personal token, in which case “taken” is empty. Absent otherwise.',
      ),
    ),
    taken: answer.list(spanSchema).meta({
      description: 'The times within the range when the user has a booking or an event, in order.',
    }),
  })
  .meta({ component: 'UserTimes' })
export type UserTimes = yup.InferType<typeof userTimesSchema>
