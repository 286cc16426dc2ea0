// The jobs that identity providers need beyond those of the API: each saves all that one request says, at once.
import type * as yup from 'yup'
import { literal } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, email, flag, id, list, object, required, text } from '../schemas/fields.ts'
import { ifMatch } from '../schemas/inputs.ts'
import { write } from '../schemas/job.ts'
import { listedName } from '../users/user-fields.ts'

const LENGTH_MAX = 255
export const MEMBERS_MAX = 20_000
const OPERATIONS_MAX = 1_000

const own = () => text({ max: LENGTH_MAX, min: 1 })

const user = { upn: own(), email: email(), name: own(), is_active: flag() }
const parts = { external_id: own().nullable(), given_name: own().nullable(), family_name: own().nullable() }

export const newScimUser = object({
  ...user,
  ...parts,
  upn: required(user.upn),
  email: required(user.email),
  name: required(user.name),
})
/** Absent fields stay unchanged. */
export const scimUserChanges = object({ ...user, ...parts })

const MEMBER_OPERATIONS = ['add', 'remove', 'set'] as const
const userIds = () => required(list(required(id()), { max: MEMBERS_MAX }))
const memberOperation = object({
  op: required(choice(MEMBER_OPERATIONS, () => literal('op must be add, remove or set.'))),
  user_ids: userIds(),
})
export type MemberOperation = yup.InferType<typeof memberOperation>

const group = { name: listedName(), external_id: own().nullable() }
const members = { members: list(required(memberOperation), { max: OPERATIONS_MAX }) }

export const newScimGroup = object({ ...group, ...members, name: required(group.name) })
export const scimGroupChanges = object({ ...group, ...members })

const byId = { id: required(id()), if_match: ifMatch() }

export const scimJobs = {
  'scim.create-user': write(newScimUser, answer.idReply),
  'scim.update-user': write(scimUserChanges.shape(byId), answer.idReply),
  /** Deactivates the user, who is gone for identity providers until somebody restores them. */
  'scim.delete-user': write(object(byId), null),
  'scim.create-group': write(newScimGroup, answer.idReply),
  'scim.update-group': write(scimGroupChanges.shape(byId), answer.idReply),
  'scim.delete-group': write(object(byId), null),
}
