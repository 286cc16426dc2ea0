// Defines the input schemas for writes of groups, and the jobs that write groups.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, list, object, required } from '../schemas/fields.ts'
import { ifMatch } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { selectDataBodySql } from '../schemas/json.ts'
import { nameWithoutSemicolon } from '../users/user-fields.ts'
import { groupJson, groupSchema } from '../users/users.ts'

const MEMBERS_MAX = 20_000

/** SQL that selects the API's response for one group. */
export const selectGroupSql = (id: string) => selectDataBodySql(groupJson, `groups WHERE groups.id = ${id}`)

export const newGroupSchema = object({ name: required(nameWithoutSemicolon()) })
export const groupChangesSchema = object({ name: nameWithoutSemicolon() })
export const membersSchema = object({
  user_ids: required(list(required(id()), { max: MEMBERS_MAX })).meta({
    description:
      'The ids of all active members. Active members who are not listed leave the group; deactivated members stay.',
  }),
})

const idFields = { id: required(id()), if_match: ifMatch() }

export const groupJobs = {
  'groups.create': writeJob(newGroupSchema, answer.data(groupSchema)),
  'groups.update': writeJob(groupChangesSchema.shape(idFields), answer.data(groupSchema)),
  'groups.delete': writeJob(object(idFields), null),
  'groups.set-members': writeJob(
    membersSchema.shape({ id: required(id()) }),
    answer.data(
      yup.object({
        added: answer.integer('The number of users who joined the group.'),
        removed: answer.integer('The number of users who left the group.'),
      }),
    ),
  ),
}
