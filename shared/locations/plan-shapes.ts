// Areas and walls that administrators draw on a floor plan, below its desks and rooms.
import type * as yup from 'yup'
import { message } from '../messages/message.ts'
import { choice, object, required, text } from '../schemas/fields.ts'
import { positionShareInput } from '../schemas/inputs.ts'

export const SHAPE_KINDS = ['area', 'wall'] as const
/** The fill of an area on a floor plan. An area with the tone `room` has walls around it and no colour. */
export const TONES = ['room', 'grey', 'blue', 'green', 'yellow', 'red'] as const
export type Tone = (typeof TONES)[number]

export const SHAPES_MAX = 200
export const SHAPE_NAME_LENGTH_MAX = 60

const choiceInput = <Value extends string>(values: readonly Value[]) =>
  choice(values, (name) => message`${name} must be one of the choices.`)

export const shapeLookFields = {
  kind: required(choiceInput(SHAPE_KINDS)),
  tone: required(choiceInput(TONES)),
}

/**
 * An area or a wall on a floor plan. The coordinates are two corners of the area or both ends of the wall, as shares of
 * the plan's width and height.
 */
export const shapeSchema = object({
  ...shapeLookFields,
  x1: required(positionShareInput()),
  y1: required(positionShareInput()),
  x2: required(positionShareInput()),
  y2: required(positionShareInput()),
  name: required(text({ max: SHAPE_NAME_LENGTH_MAX })),
})
export type PlanShape = yup.InferType<typeof shapeSchema>

const POSITION_STEPS = 100_000
const SHAPE_PATTERN = new RegExp(
  `^(${SHAPE_KINDS.join('|')}) (${TONES.join('|')})((?: \\d{1,6}){4}) (.{0,${SHAPE_NAME_LENGTH_MAX}})$`,
  'u',
)

/** Formats an area or a wall as a line of text, as scripts and forms send it. */
export function formatShape({ kind, tone, x1, y1, x2, y2, name }: PlanShape): string {
  const corners = [x1, y1, x2, y2].map((share) => Math.round(share * POSITION_STEPS))
  return `${kind} ${tone} ${corners.join(' ')} ${name}`
}

/** Parses a line that formatShape has written. Returns undefined if the line is not valid. */
export function parseShape(line: string): PlanShape | undefined {
  const [, kind, tone, numbers = '', name = ''] = SHAPE_PATTERN.exec(line) ?? []
  if (kind === undefined) return undefined
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = numbers
    .trim()
    .split(' ')
    .map((step) => Number(step) / POSITION_STEPS)
  return { kind: kind as PlanShape['kind'], tone: tone as Tone, x1, y1, x2, y2, name }
}
