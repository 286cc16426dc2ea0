// Areas and walls that administrators draw on a floor plan, below its desks and rooms.
import type * as yup from 'yup'
import { message } from '../messages/message.ts'
import { choice, object, required, text } from '../schemas/fields.ts'
import { shareInput } from '../schemas/inputs.ts'

export const SHAPE_KINDS = ['area', 'wall'] as const
/** `room`: walls around, no colour. */
export const TONES = ['room', 'grey', 'blue', 'green', 'yellow', 'red'] as const
export type Tone = (typeof TONES)[number]

export const SHAPES_MAX = 200
export const SHAPE_NAME_MAX = 60

const oneOf = <Value extends string>(values: readonly Value[]) =>
  choice(values, (name) => message`${name} must be one of the choices.`)

export const shapeLook = { kind: required(oneOf(SHAPE_KINDS)), tone: required(oneOf(TONES)) }

/** Two corners of an area, or both ends of a wall, as shares of the floor plan's width and height. */
export const shapeSchema = object({
  ...shapeLook,
  x1: required(shareInput()),
  y1: required(shareInput()),
  x2: required(shareInput()),
  y2: required(shareInput()),
  name: required(text({ max: SHAPE_NAME_MAX })),
})
export type PlanShape = yup.InferType<typeof shapeSchema>

const STEPS = 100_000
const SHAPE = new RegExp(
  `^(${SHAPE_KINDS.join('|')}) (${TONES.join('|')})((?: \\d{1,6}){4}) (.{0,${SHAPE_NAME_MAX}})$`,
  'u',
)

/** A line of text, which scripts and forms send. */
export function formatShape({ kind, tone, x1, y1, x2, y2, name }: PlanShape): string {
  const corners = [x1, y1, x2, y2].map((share) => Math.round(share * STEPS))
  return `${kind} ${tone} ${corners.join(' ')} ${name}`
}

/** Undefined if the line is not valid. */
export function parseShape(line: string): PlanShape | undefined {
  const [, kind, tone, numbers = '', name = ''] = SHAPE.exec(line) ?? []
  if (kind === undefined) return undefined
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbers
    .trim()
    .split(' ')
    .map((step) => Number(step) / STEPS)
  return { kind: kind as PlanShape['kind'], tone: tone as Tone, x1, y1, x2, y2, name }
}
