// Bookables: their types and states, what the API shows of them, and the jobs that write them.
import * as yup from 'yup'
import {
  locationInBuildingJson,
  locationInBuildingSchema,
  locationJson,
  locationSchema,
  WITH_BUILDINGS,
} from '../locations/locations.ts'
import { message } from '../messages/message.ts'
import { HOME_OFFICE, MEETING_ROOM } from '../rules/closed.ts'
import { placeTimes, placeTimesJson } from '../rules/rules-shape.ts'
import * as answer from '../schemas/answers.ts'
import { choice, flag, id, integer, list, object, queryFlag, required, text } from '../schemas/fields.ts'
import { shareInput, sizeInput, version } from '../schemas/inputs.ts'
import {
  jsonWhere,
  listJson,
  number,
  objectJson,
  rowJson,
  selectData,
  selectJson,
  text as textJson,
} from '../schemas/json.ts'

export const BOOKABLE_TYPES = {
  desk: 0,
  parkingSpot: 1,
  meetingRoom: MEETING_ROOM,
  homeOffice: HOME_OFFICE,
} as const
export const BOOKABLE_STATUSES = { flexible: 0, blocked: 1, assigned: 2 } as const

const type = () =>
  answer.oneNumberOf(BOOKABLE_TYPES, '0 = desk, 1 = parking spot, 2 = meeting room, 3 = home office')

const summary = {
  id: answer.id(),
  name: answer.text(),
  type: type(),
  status: answer.oneNumberOf(BOOKABLE_STATUSES, '0 = flexible, 1 = blocked, 2 = assigned'),
}

const tags = answer.list(answer.text())

export const bookableSchema = yup.object(summary).meta({ component: 'Bookable' })
export const bookableJson = rowJson(bookableSchema, 'bookables')

export const taggedBookableSchema = yup.object({ ...summary, tags }).meta({ component: 'TaggedBookable' })
export const taggedBookableJson = rowJson(taggedBookableSchema, 'bookables')

export const locatedBookableSchema = yup
  .object({ ...summary, location: locationSchema })
  .meta({ component: 'LocatedBookable' })
export const locatedBookableJson = rowJson(locatedBookableSchema, 'bookables', { location: locationJson })

export const bookableInBuildingSchema = yup
  .object({ ...summary, location: locationInBuildingSchema })
  .meta({ component: 'BookableInBuilding' })
export const bookableInBuildingJson = rowJson(bookableInBuildingSchema, 'bookables', {
  location: locationInBuildingJson,
})

/** A bookable of the change feed, and of the listing of what is free. */
export const bookableDetailsSchema = yup
  .object({
    ...summary,
    tags,
    description: answer.text().nullable(),
    capacity: answer.integer().nullable(),
    requires_vehicle: answer.flag('Whether a booking needs one of the user’s vehicles.'),
    location: locationInBuildingSchema,
  })
  .meta({ component: 'BookableDetails' })
export const bookableDetailsJson = rowJson(bookableDetailsSchema, 'bookables', {
  location: locationInBuildingJson,
})

const share = (edge: string) =>
  answer.decimal(`The center of the bookable, as a share of the plan’s ${edge}.`)

const NO_SIZE = 'null: as all others of its location, see cell_width of the plan.'

const positionAnswer = yup.object({
  x: share('width'),
  y: share('height'),
  width: answer.decimal(`A share of the plan’s width. ${NO_SIZE}`).nullable(),
  height: answer.decimal(`A share of the plan’s height. ${NO_SIZE}`).nullable(),
  rotation: answer.integer('Degrees clockwise, from 0 to 359.'),
})

/** A single bookable, with everything that the API knows about it. */
export const fullBookableSchema = bookableDetailsSchema
  .shape({
    features: tags.meta({ description: 'The same as tags.' }),
    integration_email: answer.text('The e-mail address under which calendars know this room.').nullable(),
    assigned_user_ids: answer
      .list(answer.id())
      .meta({ description: 'The users who may book it, if it is assigned.' }),
    position: positionAnswer
      .nullable()
      .meta({ description: 'The position on the floor plan; null if it has none.' }),
    ...placeTimes,
  })
  .meta({ component: 'FullBookable' })
export const fullBookableJson = rowJson(fullBookableSchema, 'bookables', {
  location: locationInBuildingJson,
  features: 'bookables.tags',
  assigned_user_ids: selectJson(
    listJson(number('bookable_assignees.user_id'), 'bookable_assignees.user_id'),
    'FROM bookable_assignees WHERE bookable_assignees.bookable_id = bookables.id',
  ),
  position: jsonWhere(
    'bookables.position_x IS NOT NULL',
    objectJson<yup.InferType<typeof positionAnswer>>({
      x: textJson('bookables.position_x'),
      y: textJson('bookables.position_y'),
      width: textJson<number | null>('bookables.position_width'),
      height: textJson<number | null>('bookables.position_height'),
      rotation: number('coalesce(bookables.position_rotation, 0)'),
    }),
  ),
  ...placeTimesJson('bookables'),
})

/** The statement of one bookable's answer. */
export const selectBookable = (id: string) =>
  selectData(
    fullBookableJson,
    `bookables ${WITH_BUILDINGS} WHERE bookables.id = ${id} AND bookables.deleted_at IS NULL`,
  )

/** A bookable inside an event. */
export const eventBookableSchema = yup
  .object({
    id: answer.id(),
    name: answer.text(),
    tags,
    capacity: answer.integer(),
    integration_email: answer.text(),
  })
  .meta({ component: 'EventBookable' })
export const eventBookableJson = rowJson(eventBookableSchema, 'bookables', {
  capacity: 'coalesce(bookables.capacity, 0)',
  integration_email: "coalesce(bookables.integration_email, '')",
})

export const occupancyQuery = object({
  details: queryFlag().meta({ description: 'Whether to include booking_current and booking_next.' }),
})

const spanSchema = yup
  .object({ from_time: answer.timestamp(), to_time: answer.timestamp().nullable() })
  .nullable()
  .meta({
    description: 'Included only with details=true. A to_time of null means open-ended.',
    sometimes: true,
  })

export const occupancySchema = yup
  .object({
    id: answer.uuid(),
    location_name: answer.text(),
    type: type(),
    name: answer.text(),
    occupied: answer.flag(),
    booking_current: spanSchema,
    booking_next: spanSchema,
  })
  .meta({ component: 'Occupancy' })

export const TAGS_MAX = 100

const SETTABLE = { flexible: BOOKABLE_STATUSES.flexible, blocked: BOOKABLE_STATUSES.blocked } as const

export const name = text({ max: 255, min: 1 }).meta({ description: 'The name of the bookable.' })

export const settableStatus = () =>
  choice(Object.values(SETTABLE), (name) => message`${name} must be 0 (flexible) or 1 (blocked).`).meta({
    openapi: answer.numbersOf(SETTABLE),
  })
export const tagList = () => list(required(text({ max: 255, min: 1 })), { max: TAGS_MAX, isDistinct: true })

const described = {
  description: text({ max: 255 }).nullable().meta({ description: 'null clears the description.' }),
  status: settableStatus().meta({
    description: '0 = flexible, 1 = blocked; 2 cannot be set.',
  }),
  tags: tagList().meta({
    description: 'Replaces the whole list. Exact duplicates are dropped; the order is kept.',
  }),
}

const CAPACITY_MAX = 2 ** 31 - 1
/** How many bookables one write may create or change. */
export const MANY_MAX = 1_000
/** How many people one bookable may be assigned to. */
export const ASSIGNEES_MAX = 100

export const kind = () =>
  choice(
    Object.values(BOOKABLE_TYPES),
    (field) => message`${field} must be 0 (desk), 1 (parking spot), 2 (meeting room) or 3 (home office).`,
  ).meta({ openapi: answer.numbersOf(BOOKABLE_TYPES) })
export const furnished = {
  ...described,
  capacity: integer({ min: 0, max: CAPACITY_MAX })
    .nullable()
    .meta({ description: 'The number of people that it fits; null if unknown.' }),
  requires_vehicle: flag().meta({ description: 'Whether a booking needs one of the user’s vehicles.' }),
}

export const rotationInput = () => integer({ min: 0, max: 359 })

export const positionSchema = object({
  id: required(id()),
  version: version(),
  x: required(shareInput()).nullable(),
  y: required(shareInput())
    .nullable()
    .test(
      'both',
      () => message`x and y must be given together, or both be null.`,
      function bothOrNone(y) {
        return (y === null) === ((this.parent as { x?: unknown }).x === null)
      },
    ),
  /** Absent: stays as it is. */
  rotation: rotationInput(),
  /** Absent: both stay unchanged. null: the same size as all others. */
  width: sizeInput().nullable(),
  height: sizeInput().nullable(),
})
