// The jobs that identity providers need in addition to those of the API. Each job saves everything in one request at
// once.
import type * as yup from 'yup'
import { literalMessage } from '../messages/message.ts'
import { pictureAddressInput } from '../people/pictures.ts'
import * as answer from '../schemas/answers.ts'
import { choice, email, flag, id, list, object, required, text } from '../schemas/fields.ts'
import { ifMatch } from '../schemas/inputs.ts'
import { writeJob } from '../schemas/job.ts'
import { nameWithoutSemicolon } from '../users/user-fields.ts'

const SCIM_TEXT_LENGTH_MAX = 255
export const MEMBERS_MAX = 20_000
const OPERATIONS_MAX = 1_000

const scimText = () => text({ max: SCIM_TEXT_LENGTH_MAX, min: 1 })

const userFields = { upn: scimText(), email: email(), name: scimText(), is_active: flag() }
const providerFields = {
  external_id: scimText().nullable(),
  given_name: scimText().nullable(),
  family_name: scimText().nullable(),
  picture_address: pictureAddressInput(),
}

export const newScimUserInput = object({
  ...userFields,
  ...providerFields,
  upn: required(userFields.upn),
  email: required(userFields.email),
  name: required(userFields.name),
})
/** Fields that are absent from a change stay unchanged. */
export const scimUserChangesInput = object({ ...userFields, ...providerFields })

const MEMBER_OPERATIONS = ['add', 'remove', 'set'] as const
const userIdsInput = () => required(list(required(id()), { max: MEMBERS_MAX }))
const memberOperationInput = object({
  op: required(choice(MEMBER_OPERATIONS, () => literalMessage('op must be add, remove or set.'))),
  user_ids: userIdsInput(),
})
export type MemberOperation = yup.InferType<typeof memberOperationInput>

const groupFields = { name: nameWithoutSemicolon(), external_id: scimText().nullable() }
const memberFields = { members: list(required(memberOperationInput), { max: OPERATIONS_MAX }) }

export const newScimGroupInput = object({ ...groupFields, ...memberFields, name: required(groupFields.name) })
export const scimGroupChangesInput = object({ ...groupFields, ...memberFields })

const idFields = { id: required(id()), if_match: ifMatch() }

export const scimJobs = {
  'scim.create-user': writeJob(newScimUserInput, answer.idReply),
  'scim.update-user': writeJob(scimUserChangesInput.shape(idFields), answer.idReply),
  /** Deactivates the user. The identity provider no longer sees the user until somebody restores them. */
  'scim.delete-user': writeJob(object(idFields), null),
  'scim.create-group': writeJob(newScimGroupInput, answer.idReply),
  'scim.update-group': writeJob(scimGroupChangesInput.shape(idFields), answer.idReply),
  'scim.delete-group': writeJob(object(idFields), null),
}
