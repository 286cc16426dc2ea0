// Defines the API schemas for queries and responses of the change feed.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { integer, object, pathText, queryNumber } from '../schemas/fields.ts'

export const CHANGE_TYPES = [
  'booking',
  'booking_request',
  'event',
  'bookable',
  'location',
  'building',
  'user',
  'group',
  'absence',
  'loan',
] as const
export type ChangeType = (typeof CHANGE_TYPES)[number]

export const CHANGE_ACTIONS = [
  'created',
  'updated',
  'deleted',
  'released',
  'checked_in',
  'answered',
  'deactivated',
  'restored',
  'approved',
  'declined',
  'withdrawn',
  'lapsed',
] as const
export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

const REQUEST_ACTIONS: readonly ChangeAction[] = ['approved', 'declined', 'withdrawn', 'lapsed']
const EVENT_ACTIONS: readonly ChangeAction[] = ['answered']

/** Returns the actions on this type of resource that a webhook may subscribe to. */
export const listChangeActions = (type: ChangeType) =>
  CHANGE_ACTIONS.filter(
    (action) =>
      (type === 'booking_request' || !REQUEST_ACTIONS.includes(action)) &&
      (type === 'event' || !EVENT_ACTIONS.includes(action)),
  )

const CHANGES_LIMIT_MAX = 1_000
export const CHANGES_LIMIT_DEFAULT = 100
const WAIT_SECONDS_MAX = 30

const TYPES_RULE_TEXT = `types must name some of ${CHANGE_TYPES.join(', ')}, separated by commas.`

export const changesQuery = object({
  after: pathText().optional().meta({
    description:
      'The “next” of the previous answer. If omitted, the feed starts now, and “next” marks that position.',
  }),
  types: pathText()
    .optional()
    .test('types', TYPES_RULE_TEXT, (value) => value === undefined || parseChangeTypes(value) !== undefined)
    .meta({
      description: `Only changes of these resources, separated by commas: ${CHANGE_TYPES.join(', ')}.`,
    }),
  limit: queryNumber(integer({ min: 1, max: CHANGES_LIMIT_MAX })).meta({
    description: 'The maximum number of changes in one answer.',
    whenAbsent: CHANGES_LIMIT_DEFAULT,
  }),
  wait: queryNumber(integer({ min: 0, max: WAIT_SECONDS_MAX })).meta({
    description: 'The number of seconds to wait for a change if there is none yet.',
    whenAbsent: 0,
  }),
})
export type ChangesQuery = yup.InferType<typeof changesQuery>

/** Parses a list of types. Returns undefined if one of the types is unknown. */
export function parseChangeTypes(value: string): ChangeType[] | undefined {
  const names = value.split(',').map((name) => name.trim())
  const known = CHANGE_TYPES.filter((type) => names.includes(type))
  return names.every((name) => CHANGE_TYPES.some((type) => type === name)) ? known : undefined
}

export const actorSchema = yup
  .object({
    type: answer.oneOf(['token', 'admin', 'user', 'system']),
    id: answer.id().nullable(),
    name: answer.text(),
  })
  .meta({ component: 'Actor' })

const resourceAnswer = (description: string) => answer.record<unknown>({}).nullable().meta({ description })

const changeIdentityFields = {
  id: answer.id('The id of the resource that changed.'),
  action: answer.oneOf(CHANGE_ACTIONS),
  sequence: answer.integer(),
  timestamp: answer.timestamp(),
}
const changeContentFields = {
  actor: actorSchema.meta({ description: 'Who made the change.' }),
  request_id: answer.text('The X-Request-Id of the request that made the change.'),
  data: resourceAnswer(
    'The resource after the change, as the API returns it. null if it was deleted, or left the buildings of a limited token.',
  ),
  previous: resourceAnswer(
    'The resource before the change, as the API returned it. null if it was created, if it was outside the buildings of ' +
      'a limited token, or if a person was erased.',
  ),
}

export const changeSchema = yup
  .object({
    sequence: changeIdentityFields.sequence,
    at: answer.timestamp('The same as timestamp.'),
    timestamp: changeIdentityFields.timestamp,
    type: answer.oneOf(CHANGE_TYPES),
    action: changeIdentityFields.action,
    id: changeIdentityFields.id,
    ...changeContentFields,
  })
  .meta({ component: 'Change' })

/** The body of a webhook delivery. */
export const webhookMessageSchema = yup
  .object({
    type: answer.text('The type of change, such as booking.created or user.deactivated.'),
    timestamp: changeIdentityFields.timestamp,
    sequence: changeIdentityFields.sequence,
    action: changeIdentityFields.action,
    id: changeIdentityFields.id,
    ...changeContentFields,
  })
  .meta({ component: 'WebhookMessage' })

export const changesSchema = yup.object({ data: answer.list(changeSchema), next: answer.text() })
