// The change feed: what it takes and answers.
import * as yup from 'yup'
import { idAnswer, integerAnswer, listAnswer, recordAnswer, textAnswer, timestampAnswer } from '../answers.ts'
import { integer, object, pathText, queryNumber } from '../fields.ts'

export const CHANGE_TYPES = ['booking', 'event', 'bookable', 'location', 'building', 'user', 'group'] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

export const CHANGE_ACTIONS = [
  'created',
  'updated',
  'deleted',
  'released',
  'checked_in',
  'deactivated',
  'restored',
] as const
export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

const LIMIT_MAX = 1_000
export const CHANGES_LIMIT = 100
const WAIT_SECONDS_MAX = 30

const typesRule = `types must name some of ${CHANGE_TYPES.join(', ')}, separated by commas.`

export const changesQuery = object({
  after: pathText().optional().meta({
    description:
      '“next” of the answer before. Without it the feed starts now, and “next” says where that is.',
  }),
  types: pathText()
    .optional()
    .test('types', typesRule, (value) => value === undefined || parseChangeTypes(value) !== undefined)
    .meta({ description: `Only changes of these, separated by commas: ${CHANGE_TYPES.join(', ')}.` }),
  limit: queryNumber(integer({ min: 1, max: LIMIT_MAX })).meta({
    description: 'Changes in one answer at most.',
    whenAbsent: CHANGES_LIMIT,
  }),
  wait: queryNumber(integer({ min: 0, max: WAIT_SECONDS_MAX })).meta({
    description: 'How many seconds to wait for a change where there is none yet.',
    whenAbsent: 0,
  }),
})
export type ChangesQuery = yup.InferType<typeof changesQuery>

/** Undefined where one is unknown. */
export function parseChangeTypes(value: string): ChangeType[] | undefined {
  const names = value.split(',').map((name) => name.trim())
  const known = CHANGE_TYPES.filter((type) => names.includes(type))
  return names.every((name) => CHANGE_TYPES.some((type) => type === name)) ? known : undefined
}

export const changeSchema = yup
  .object({
    sequence: integerAnswer(),
    at: timestampAnswer(),
    type: textAnswer({ enum: CHANGE_TYPES }),
    action: textAnswer({ enum: CHANGE_ACTIONS }),
    id: idAnswer(),
    data: recordAnswer<unknown>({}).nullable(),
    actor: yup.object({
      type: textAnswer({ enum: ['token', 'admin', 'system'] }),
      id: idAnswer().nullable(),
      name: textAnswer(),
    }),
    request_id: textAnswer(),
  })
  .meta({ component: 'Change' })
export type Change = yup.InferType<typeof changeSchema>

export const changesSchema = yup.object({ data: listAnswer(changeSchema), next: textAnswer() })
