// Input schemas for creating, changing and deleting one bookable.
import { message } from '../messages/message.ts'
import { choice, email, id, list, object, required } from '../schemas/fields.ts'
import { positionShareInput, sizeShareInput } from '../schemas/inputs.ts'
import {
  ASSIGNEES_MAX,
  bookableNameInput,
  bookableTypeInput,
  furnishingFields,
  rotationInput,
} from './bookables.ts'

const sizeInput = (edge: string) =>
  sizeShareInput()
    .nullable()
    .meta({ description: `A share of the plan’s ${edge}. null uses the default size of the location.` })

/** Fields that are absent from a change stay unchanged. */
export const pointSchema = object({
  x: required(positionShareInput()),
  y: required(positionShareInput()),
  width: sizeInput('width'),
  height: sizeInput('height'),
  rotation: rotationInput().meta({ description: 'Degrees clockwise, from 0 to 359.' }),
})

const administratorFields = {
  ...furnishingFields,
  integration_email: email()
    .nullable()
    .meta({ description: 'The e-mail address under which calendars know this room.' }),
  position: pointSchema.nullable().default(undefined).meta({
    description:
      'The center on the floor plan, as shares of the plan’s width and height. null removes the bookable from the plan.',
  }),
  assigned_user_ids: list(required(id()), { max: ASSIGNEES_MAX }).meta({
    description:
      'The only users who may book it. Replaces the whole list; an empty list ends the assignment.',
  }),
}

const RESOLUTIONS_BY_NAME = { refuse: 'ask', release: 'release', move: 'move' } as const
type ResolutionName = keyof typeof RESOLUTIONS_BY_NAME
const resolutionNames = Object.keys(RESOLUTIONS_BY_NAME) as ResolutionName[]

/** The choice of what happens to conflicting bookings, in the words that callers of the API use. */
export const conflictResolutionInput = () =>
  choice(resolutionNames, (field) => message`${field} must be one of the choices.`).meta({
    description:
      'What to do with affected upcoming bookings and event rooms: refuse the change (409 with a list), release them, ' +
      'or move them to free bookables of the same type nearby.',
  })
export const getResolution = (name: ResolutionName) => RESOLUTIONS_BY_NAME[name]

export const newBookableSchema = object({
  ...administratorFields,
  location_id: required(id()),
  name: required(bookableNameInput),
  type: required(bookableTypeInput()),
})

/** Every field is optional. Fields that are absent from a change stay unchanged. */
export const bookableChangesSchema = object({
  name: bookableNameInput,
  ...administratorFields,
  type: bookableTypeInput().meta({
    description: 'Cannot change to or from a home office while there are upcoming bookings.',
  }),
  location_id: id().meta({ description: 'Moving the bookable to another location clears its position.' }),
  in_the_way: conflictResolutionInput(),
})

export const bookableDeletionQuery = object({ in_the_way: conflictResolutionInput() })
