// Groups: what their writes take, and the jobs that do them.
import * as yup from 'yup'
import * as answer from '../schemas/answers.ts'
import { id, list, object, required } from '../schemas/fields.ts'
import { ifMatch } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { selectData } from '../schemas/json.ts'
import { listedName } from '../users/user-fields.ts'
import { groupJson, groupSchema } from '../users/users.ts'

const MEMBERS_MAX = 20_000

/** The statement of one group's answer. */
export const selectGroup = (id: string) => selectData(groupJson, `groups WHERE groups.id = ${id}`)

export const newGroupSchema = object({ name: required(listedName()) })
export const groupChangesSchema = object({ name: listedName() })
export const membersSchema = object({
  user_ids: required(list(required(id()), { max: MEMBERS_MAX })).meta({
    description:
      'The ids of all active members. Active members who are not listed leave the group; deactivated members stay.',
  }),
})

const byId = { id: required(id()), if_match: ifMatch() }

export const groupJobs = {
  'groups.create': write(newGroupSchema, answer.data(groupSchema)),
  'groups.update': write(groupChangesSchema.shape(byId), answer.data(groupSchema)),
  'groups.delete': write(object(byId), null),
  'groups.set-members': write(
    membersSchema.shape({ id: required(id()) }),
    answer.data(
      yup.object({
        added: answer.integer('The number of users who joined the group.'),
        removed: answer.integer('The number of users who left the group.'),
      }),
    ),
  ),
}
