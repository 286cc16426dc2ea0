// Defines bookables: their types and statuses, their API schemas, and the jobs that write them.
import * as yup from 'yup'
import {
  JOIN_BUILDINGS_SQL,
  locationInBuildingJson,
  locationInBuildingSchema,
  locationJson,
  locationSchema,
} from '../locations/locations.ts'
import { message } from '../messages/message.ts'
import { linkedCalendarJson, linkedCalendarSchema } from '../room-calendars/room-calendars-shape.ts'
import { HOME_OFFICE_TYPE, MEETING_ROOM_TYPE } from '../rules/closed-times.ts'
import { placeTimeFields, placeTimesJson } from '../rules/rules-shape.ts'
import * as answer from '../schemas/answers.ts'
import { choice, flag, id, integer, list, object, queryFlag, required, text } from '../schemas/fields.ts'
import { formVersion, positionShareInput, sizeShareInput } from '../schemas/inputs.ts'
import {
  jsonOrNull,
  listJson,
  number,
  objectJson,
  rowJson,
  selectDataBodySql,
  selectJson,
  text as textJson,
} from '../schemas/json.ts'

export const BOOKABLE_TYPES = {
  desk: 0,
  parkingSpot: 1,
  meetingRoom: MEETING_ROOM_TYPE,
  homeOffice: HOME_OFFICE_TYPE,
} as const
export const BOOKABLE_STATUSES = { flexible: 0, blocked: 1, assigned: 2 } as const

const typeAnswer = () =>
  answer.oneNumberOf(BOOKABLE_TYPES, '0 = desk, 1 = parking spot, 2 = meeting room, 3 = home office')

const summaryFields = {
  id: answer.id(),
  name: answer.text(),
  type: typeAnswer(),
  status: answer.oneNumberOf(BOOKABLE_STATUSES, '0 = flexible, 1 = blocked, 2 = assigned'),
}

const tags = answer.list(answer.text())

export const bookableSchema = yup.object(summaryFields).meta({ component: 'Bookable' })
export const bookableJson = rowJson(bookableSchema, 'bookables')

export const taggedBookableSchema = yup
  .object({ ...summaryFields, tags })
  .meta({ component: 'TaggedBookable' })
export const taggedBookableJson = rowJson(taggedBookableSchema, 'bookables')

export const locatedBookableSchema = yup
  .object({ ...summaryFields, location: locationSchema })
  .meta({ component: 'LocatedBookable' })
export const locatedBookableJson = rowJson(locatedBookableSchema, 'bookables', { location: locationJson })

export const bookableInBuildingSchema = yup
  .object({ ...summaryFields, location: locationInBuildingSchema })
  .meta({ component: 'BookableInBuilding' })
export const bookableInBuildingJson = rowJson(bookableInBuildingSchema, 'bookables', {
  location: locationInBuildingJson,
})

/** A bookable as shown in the change feed and in lists of available bookables. */
export const bookableDetailsSchema = yup
  .object({
    ...summaryFields,
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

const shareAnswer = (edge: string) =>
  answer.decimal(`The center of the bookable, as a share of the plan’s ${edge}.`)

const NO_SIZE_DESCRIPTION =
  'null means the same size as all others of its location; see cell_width of the plan.'

const positionAnswer = yup.object({
  x: shareAnswer('width'),
  y: shareAnswer('height'),
  width: answer.decimal(`A share of the plan’s width. ${NO_SIZE_DESCRIPTION}`).nullable(),
  height: answer.decimal(`A share of the plan’s height. ${NO_SIZE_DESCRIPTION}`).nullable(),
  rotation: answer.integer('Degrees clockwise, from 0 to 359.'),
})

/** A single bookable with all of its fields. */
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
    ...placeTimeFields,
    calendar: linkedCalendarSchema
      .nullable()
      .meta({ description: 'The room’s calendar at another provider; null if it has none.' }),
  })
  .meta({ component: 'FullBookable' })
export const fullBookableJson = rowJson(fullBookableSchema, 'bookables', {
  location: locationInBuildingJson,
  features: 'bookables.tags',
  assigned_user_ids: selectJson(
    listJson(number('bookable_assignees.user_id'), 'bookable_assignees.user_id'),
    'FROM bookable_assignees WHERE bookable_assignees.bookable_id = bookables.id',
  ),
  position: jsonOrNull(
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
  calendar: selectJson(
    linkedCalendarJson,
    'FROM room_calendars WHERE room_calendars.bookable_id = bookables.id AND NOT room_calendars.is_ending',
  ),
})

/** SQL that selects the API's response for one bookable. */
export const selectBookableSql = (id: string) =>
  selectDataBodySql(
    fullBookableJson,
    `bookables ${JOIN_BUILDINGS_SQL} WHERE bookables.id = ${id} AND bookables.deleted_at IS NULL`,
  )

/** A bookable as shown inside an event. */
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
    component: 'OccupiedSpan',
    description: 'Included only with details=true. A to_time of null means open-ended.',
    sometimes: true,
  })

export const occupancySchema = yup
  .object({
    id: answer.uuid(),
    location_name: answer.text(),
    type: typeAnswer(),
    name: answer.text(),
    occupied: answer.flag(),
    booking_current: spanSchema,
    booking_next: spanSchema,
  })
  .meta({ component: 'Occupancy' })

export const TAGS_MAX = 100

const SETTABLE_STATUSES = {
  flexible: BOOKABLE_STATUSES.flexible,
  blocked: BOOKABLE_STATUSES.blocked,
} as const

export const bookableNameInput = text({ max: 255, min: 1 }).meta({ description: 'The name of the bookable.' })

export const settableStatusInput = () =>
  choice(
    Object.values(SETTABLE_STATUSES),
    (name) => message`${name} must be 0 (flexible) or 1 (blocked).`,
  ).meta({
    openapi: answer.oneNumberSchema(SETTABLE_STATUSES),
  })
export const tagsInput = () => list(required(text({ max: 255, min: 1 })), { max: TAGS_MAX, isDistinct: true })

const describedFields = {
  description: text({ max: 255 }).nullable().meta({ description: 'null clears the description.' }),
  status: settableStatusInput().meta({
    description: '0 = flexible, 1 = blocked; 2 cannot be set.',
  }),
  tags: tagsInput().meta({
    description: 'Replaces the whole list. Exact duplicates are dropped; the order is kept.',
  }),
}

const CAPACITY_MAX = 2 ** 31 - 1
/** The limit on bookables that one write may create or change. */
export const BOOKABLES_PER_WRITE_MAX = 1_000
/** The limit on people that one bookable may be assigned to. */
export const ASSIGNEES_MAX = 100

export const bookableTypeInput = () =>
  choice(
    Object.values(BOOKABLE_TYPES),
    (field) => message`${field} must be 0 (desk), 1 (parking spot), 2 (meeting room) or 3 (home office).`,
  ).meta({ openapi: answer.oneNumberSchema(BOOKABLE_TYPES) })
export const furnishingFields = {
  ...describedFields,
  capacity: integer({ min: 0, max: CAPACITY_MAX })
    .nullable()
    .meta({ description: 'The number of people that it fits; null if unknown.' }),
  requires_vehicle: flag().meta({ description: 'Whether a booking needs one of the user’s vehicles.' }),
}

export const rotationInput = () => integer({ min: 0, max: 359 })

export const positionSchema = object({
  id: required(id()),
  version: formVersion(),
  x: required(positionShareInput()).nullable(),
  y: required(positionShareInput())
    .nullable()
    .test(
      'both',
      () => message`x and y must be given together, or both be null.`,
      function bothOrNone(y) {
        return (y === null) === ((this.parent as { x?: unknown }).x === null)
      },
    ),
  /** The rotation on the floor plan. If absent, it stays unchanged. */
  rotation: rotationInput(),
  /**
   * The width and height on the floor plan. If both are absent, they stay unchanged. If null, the bookable has the
   * default size.
   */
  width: sizeShareInput().nullable(),
  height: sizeShareInput().nullable(),
})
