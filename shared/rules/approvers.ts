// The rule for places where bookings need approval. The rule names the approvers.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { id, isEmptyList, list, object, required } from '../schemas/fields.ts'
import { defineBookingRule } from './rule-checks.ts'

const APPROVERS_LISTED_MAX = 100

type Approvers = { user_ids?: number[] | undefined; group_ids?: number[] | undefined }

export const isApprover = (
  { user_ids = [], group_ids = [] }: Approvers,
  { user, groups }: PersonWithGroups,
) => user_ids.includes(user) || group_ids.some((group) => groups.includes(group))
type PersonWithGroups = { user: number; groups: number[] }

/** SQL condition that the user is an approver. `approvers` is SQL for the JSON of the rule, which must not be null. */
export const isApproverSql = (approvers: string, user: string) => `(EXISTS (
      SELECT FROM json_array_elements_text(${approvers} -> 'user_ids') AS approving (id) WHERE approving.id::bigint = ${user})
    OR EXISTS (
      SELECT FROM json_array_elements_text(${approvers} -> 'group_ids') AS approving (id)
      JOIN group_members ON group_members.group_id = approving.id::bigint AND group_members.user_id = ${user}))`

/** SQL for the ids of all approvers. People whom the rule names come before members of groups. */
export const approverIdsSql = (approvers: string) => `(
    SELECT approving.id::bigint AS id, 1 AS turn FROM json_array_elements_text(${approvers} -> 'user_ids') AS approving (id)
    UNION ALL SELECT group_members.user_id, 2 FROM json_array_elements_text(${approvers} -> 'group_ids') AS approving (id)
    JOIN group_members ON group_members.group_id = approving.id::bigint)`

export const approvers = defineBookingRule({
  schema: object({
    user_ids: list(required(id()), { max: APPROVERS_LISTED_MAX }).meta({
      description: 'The people who approve requests.',
    }),
    group_ids: list(required(id()), { max: APPROVERS_LISTED_MAX }).meta({
      description: 'The groups whose members approve requests.',
    }),
  })
    .test(
      'some',
      createFieldMessage((name) => message`${name} must include at least one person or group.`),
      (value) => value == null || !isEmptyList(value.user_ids) || !isEmptyList(value.group_ids),
    )
    .nullable()
    .optional()
    .default(undefined)
    .meta({
      description:
        'The approvers. All other people request a booking here (POST booking-requests), and one of the approvers decides.',
    }),
  answer: yup
    .object({
      user_ids: answer.list(answer.id()).meta({ sometimes: true }),
      group_ids: answer.list(answer.id()).meta({ sometimes: true }),
    })
    .meta({ component: 'Approvers' }),
  refusal: 'needs_approval',
  check: (approvers, booking) =>
    isApprover(approvers, booking)
      ? undefined
      : message`Bookings of ${booking.bookable.name} need approval. Send a request instead.`,
  allows: (approvers, { user }) => `(${user} IS NULL OR ${isApproverSql(approvers, user)})`,
})
