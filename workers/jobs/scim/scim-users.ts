// Creates, changes and deletes users for identity providers. The table provisioned_users stores what only the provider
// knows.
import { NEWLY_CREATED } from '../../../shared/changes/former-state.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields } from '../../../shared/messages/refusal.ts'
import {
  FAMILY_NAME_SQL,
  GIVEN_NAME_SQL,
  IS_VISIBLE_SQL,
  SCIM_USERS_TABLE,
  selectScimUsersSql,
  sentNamePartSql,
} from '../../../shared/scim/scim-shape.ts'
import { isPersonSql } from '../../../shared/users/unknown-organizer.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { providePicture } from '../people/pictures.ts'
import { requireMatch } from '../rows/preconditions.ts'
import { createIdReply } from '../rows/rows.ts'
import { lockUser, lockUsers } from '../users/lock-users.ts'
import { deactivateUsers, editUser, refuseTakenUserFields, setDeactivated } from '../users/users.ts'
import { reportInvalidFieldsAsTaken } from './uniqueness.ts'

type ScimUserChanges = Omit<InputOf<'scim.update-user'>, 'id' | 'if_match'>
type ProviderParts = Pick<ScimUserChanges, 'external_id' | 'given_name' | 'family_name'>
type PresentUser = {
  name: string
  email: string
  upn: string | null
  is_active: boolean
  given_name: string | null
  family_name: string | null
  /** The parts of the name that the identity provider sent. Berth derives the other parts from the full name. */
  sent: ProviderParts
}

const PERSON_NOT_FOUND = message`There is no person with this id.`

export const scimUserHandlers: Handlers<`scim.${string}-user`> = {
  async 'scim.create-user'(write, input) {
    await refuseDuringImport(write.trx)
    const deleted = await lockDeletedUser(write, input)
    if (deleted !== undefined) {
      await saveUser(write, deleted, { ...input, is_active: input.is_active ?? true })
      return createIdReply(deleted)
    }
    const { upn, email, name } = input
    const { id } = await reportInvalidFieldsAsTaken(async () => {
      await refuseTakenUserName(write, upn, null)
      await refuseTakenUserFields(write, { upn, email }, null)
      const sql = 'INSERT INTO users (upn, email, name) VALUES (?, ?, ?) RETURNING id'
      return write.only<{ id: number }>(sql, [upn, email, name])
    })
    const [after] = await lockUsers(write, [id])
    const { external_id } = input
    await write.audit({
      action: 'users.create',
      id,
      former: NEWLY_CREATED,
      after: { ...after?.row, external_id },
    })
    await saveNameParts(write, id, input)
    if (input.picture_address) await providePicture(write, id, input.picture_address)
    if (input.is_active === false) await deactivateUsers(write, [id])
    return createIdReply(id)
  },

  async 'scim.update-user'(write, { id, if_match, ...changes }) {
    await refuseDuringImport(write.trx)
    await requireVisibleUser(write, id)
    await requireMatch(write, if_match, selectScimUsersSql('?', 'users.id = ?'), [write.baseUrl, id])
    await saveUser(write, id, changes)
    return createIdReply(id)
  },

  async 'scim.delete-user'(write, { id, if_match }) {
    await refuseDuringImport(write.trx)
    await requireVisibleUser(write, id)
    await requireMatch(write, if_match, selectScimUsersSql('?', 'users.id = ?'), [write.baseUrl, id])
    await deactivateUsers(write, [id])
    await write.run(
      `INSERT INTO provisioned_users (user_id, deleted_at) VALUES (?, now())
       ON CONFLICT (user_id) DO UPDATE SET deleted_at = excluded.deleted_at, updated_at = now()`,
      [id],
    )
    return null
  },
}

/** Locks the user. Refuses if the identity provider cannot see the user. */
async function requireVisibleUser(write: Write, id: number): Promise<void> {
  await lockUser(write, id)
  await write.requireRow(
    `SELECT FROM ${SCIM_USERS_TABLE} WHERE users.id = ? AND ${IS_VISIBLE_SQL}`,
    [id],
    PERSON_NOT_FOUND,
  )
}

/**
 * Locks a user whom the identity provider deleted earlier, so that they return with their bookings. Returns undefined if
 * two users match, or if another write restores or erases the user before this one locks them.
 */
async function lockDeletedUser(write: Write, names: ScimUserChanges): Promise<number | undefined> {
  const found = await findDeletedUsers(write, names)
  const [id] = found
  if (id === undefined || found.length > 1) return undefined
  await lockUsers(write, [id])
  const stillDeleted = await findDeletedUsers(write, names)
  return stillDeleted.find((each) => each === id)
}

const findDeletedUsers = (write: Write, { upn, email }: ScimUserChanges) =>
  write.ids(
    `SELECT users.id FROM ${SCIM_USERS_TABLE}
     WHERE (lower(upn) = lower(:upn) OR lower(email) = lower(:email)) AND ${isPersonSql()} AND NOT (${IS_VISIBLE_SQL})`,
    { upn, email },
  )

async function saveUser(write: Write, id: number, changes: ScimUserChanges): Promise<void> {
  const present = await readPresentUser(write, id)
  const name = changes.name ?? buildName(present, changes)
  const { upn = present.upn, email = present.email } = changes
  const { external_id: formerId = null } = present.sent
  const { external_id = formerId } = changes
  const isEdited = name !== present.name || upn !== present.upn || email !== present.email
  if (isEdited || external_id !== formerId) {
    await reportInvalidFieldsAsTaken(async () => {
      if (upn !== present.upn && upn !== null) await refuseTakenUserName(write, upn, id)
      const provided = { before: { external_id: formerId }, after: { external_id } }
      await editUser(write, await lockUser(write, id), isEdited ? { name, email, upn } : {}, provided)
    })
  }
  await saveNameParts(write, id, changes, { sent: present.sent, isRenamed: name !== present.name })
  if (changes.picture_address !== undefined) await providePicture(write, id, changes.picture_address)
  if (changes.is_active === undefined || changes.is_active === present.is_active) return
  await (changes.is_active ? setDeactivated(write, [id], false) : deactivateUsers(write, [id]))
}

function readPresentUser(write: Write, id: number): Promise<PresentUser> {
  return write.only<PresentUser>(
    `SELECT users.name, email, upn, deactivated_at IS NULL AS is_active,
       ${GIVEN_NAME_SQL} AS given_name, ${FAMILY_NAME_SQL} AS family_name,
       json_build_object('external_id', external_id,
         'given_name', ${sentNamePartSql('given_name')}, 'family_name', ${sentNamePartSql('family_name')}) AS sent
     FROM ${SCIM_USERS_TABLE} WHERE users.id = ?`,
    [id],
  )
}

/** Returns the full name. If the full name consists of its parts, it changes along with them. */
function buildName(present: PresentUser, changes: ScimUserChanges): string {
  const { given_name = present.given_name, family_name = present.family_name } = changes
  const isMadeOfParts = present.name === joinNameParts(present.given_name, present.family_name)
  return (isMadeOfParts && joinNameParts(given_name, family_name)) || present.name
}

const joinNameParts = (...parts: Array<string | null | undefined>) => parts.filter(Boolean).join(' ')

/** Saves the parts of the user's name. Writes nothing if they stay the same. */
async function saveNameParts(
  write: Write,
  id: number,
  changes: ProviderParts,
  before?: { sent: ProviderParts; isRenamed: boolean },
) {
  const { sent = {}, isRenamed = true } = before ?? {}
  const {
    external_id = sent.external_id,
    given_name = sent.given_name,
    family_name = sent.family_name,
  } = changes
  const isSame =
    external_id === sent.external_id && given_name === sent.given_name && family_name === sent.family_name
  if (isSame && !isRenamed) return
  await write.run(
    `INSERT INTO provisioned_users (user_id, external_id, given_name, family_name, parted_name)
     SELECT id, ?, ?, ?, name FROM users WHERE id = ?
     ON CONFLICT (user_id) DO UPDATE SET external_id = excluded.external_id, given_name = excluded.given_name,
       family_name = excluded.family_name, parted_name = excluded.parted_name, updated_at = now()`,
    [external_id ?? null, given_name ?? null, family_name ?? null, id],
  )
}

/** Refuses a user name that another user has. If a user has no UPN, their e-mail also counts as a user name. */
async function refuseTakenUserName(write: Write, upn: string, id: number | null): Promise<void> {
  const sql =
    'SELECT id FROM users WHERE upn IS NULL AND lower(email) = lower(:upn) AND id IS DISTINCT FROM CAST(:id AS bigint)'
  if (await write.first(sql, { upn, id }))
    throw invalidFields({ upn: [message`This e-mail address belongs to another person.`] })
}
