// What the API takes to create, change or delete one bookable.
import { message } from '../messages/message.ts'
import { choice, email, id, list, object, required } from '../schemas/fields.ts'
import { shareInput, sizeInput } from '../schemas/inputs.ts'
import { ASSIGNEES_MAX, furnished, kind, name, rotationInput } from './bookables.ts'

const size = (edge: string) =>
  sizeInput()
    .nullable()
    .meta({ description: `A share of the plan’s ${edge}. null uses the default size of the location.` })

/** Absent fields of a change stay unchanged. */
const pointSchema = object({
  x: required(shareInput()),
  y: required(shareInput()),
  width: size('width'),
  height: size('height'),
  rotation: rotationInput().meta({ description: 'Degrees clockwise, from 0 to 359.' }),
})

const ofAdministrators = {
  ...furnished,
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

const RESOLUTIONS = { refuse: 'ask', release: 'release', move: 'move' } as const
type ResolutionName = keyof typeof RESOLUTIONS
const names = Object.keys(RESOLUTIONS) as ResolutionName[]

/** What happens to bookings in the way, as the API words it. */
export const inTheWay = () =>
  choice(names, (field) => message`${field} must be one of the choices.`).meta({
    description:
      'What to do with affected upcoming bookings and event rooms: refuse the change (409 with a list), release them, ' +
      'or move them to free bookables of the same type nearby.',
  })
export const resolutionOf = (name: ResolutionName) => RESOLUTIONS[name]

export const newBookableSchema = object({
  ...ofAdministrators,
  location_id: required(id()),
  name: required(name),
  type: required(kind()),
})

/** Every field is optional; absent fields stay unchanged. */
export const bookableChangesSchema = object({
  name,
  ...ofAdministrators,
  type: kind().meta({
    description: 'Cannot change to or from a home office while there are upcoming bookings.',
  }),
  location_id: id().meta({ description: 'Moving the bookable to another location clears its position.' }),
  in_the_way: inTheWay(),
})

export const bookableDeletionQuery = object({ in_the_way: inTheWay() })
