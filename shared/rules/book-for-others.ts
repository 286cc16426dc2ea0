// Defines the rule that lets people book for each other at a place: either everybody, or the members of groups.
import * as yup from 'yup'
import { message } from '../messages/message.ts'
import { createFieldMessage } from '../messages/strict.ts'
import * as answer from '../schemas/answers.ts'
import { flag, id, isEmptyList, list, object, required } from '../schemas/fields.ts'
import { defineBookingRule } from './rule-checks.ts'

const LISTED_MAX = 100

export const bookForOthers = defineBookingRule({
  schema: object({
    everybody: flag().meta({ description: 'Whether everybody may book for everybody.', whenAbsent: false }),
    group_ids: list(required(id()), { max: LISTED_MAX }).meta({
      description: 'The groups whose members may book for each other.',
    }),
  })
    .test(
      'some',
      createFieldMessage((name) => message`${name} must include everybody or at least one group.`),
      (value) => value == null || value.everybody === true || !isEmptyList(value.group_ids),
    )
    .nullable()
    .optional()
    .default(undefined)
    .meta({
      description:
        'Who may book for whom here, with personal tokens and on people’s pages. Without this rule, people can book only for themselves.',
    }),
  answer: yup
    .object({
      everybody: answer.flag().meta({ sometimes: true }),
      group_ids: answer.list(answer.id()).meta({ sometimes: true }),
    })
    .meta({ component: 'BookForOthers' }),
})

const isForEverybodySql = (rule: string) => `coalesce((${rule} ->> 'everybody')::boolean, false)`
const groupsOfMemberSql = (rule: string, member: string) => `
  json_array_elements_text(${rule} -> 'group_ids') AS allowed (id)
  JOIN group_members ON group_members.group_id = allowed.id::bigint AND group_members.user_id = ${member}`

/**
 * SQL condition that the rule lets the person book for somebody else. `rule` is SQL for the JSON of the rule, or null.
 */
export const mayBookForSomebodySql = (rule: string, person: string) =>
  `(${isForEverybodySql(rule)} OR EXISTS (SELECT FROM ${groupsOfMemberSql(rule, person)}))`

/** SQL condition that the rule lets the person book for the other person. */
export const mayBookForSql = (rule: string, person: string, other: string) =>
  `(${isForEverybodySql(rule)} OR EXISTS (
    SELECT FROM ${groupsOfMemberSql(rule, person)}
    JOIN group_members AS others ON others.group_id = group_members.group_id AND others.user_id = ${other}))`
