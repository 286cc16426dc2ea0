// Users as identity providers create, change and delete them. What the provider alone knows is in provisioned_users.
import { CREATED } from '../../../shared/changes/former.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import {
  FAMILY_NAME,
  GIVEN_NAME,
  IS_VISIBLE,
  selectScimUsers,
  sentPart,
  USERS,
} from '../../../shared/scim/scim-shape.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { requireMatch } from '../rows/preconditions.ts'
import { idReply } from '../rows/rows.ts'
import { lockUser, lockUsers } from '../users/lock-users.ts'
import { deactivate, editUser, refuseTaken, setDeactivated } from '../users/users.ts'
import { refuseAsTaken } from './uniqueness.ts'

type Changes = Omit<InputOf<'scim.update-user'>, 'id' | 'if_match'>
type Parts = Pick<Changes, 'external_id' | 'given_name' | 'family_name'>
type Present = {
  name: string
  email: string
  upn: string | null
  is_active: boolean
  given_name: string | null
  family_name: string | null
  /** What the provider has sent; the others are made from the name. */
  sent: Parts
}

const MISSING = message`There is no person with this id.`

export const scimUserHandlers: Handlers<`scim.${string}-user`> = {
  async 'scim.create-user'(write, input) {
    await refuseDuringImport(write.trx)
    const deleted = await findDeleted(write, input)
    if (deleted !== undefined) {
      await save(write, deleted, { ...input, is_active: input.is_active ?? true })
      return idReply(deleted)
    }
    const { upn, email, name } = input
    const { id } = await refuseAsTaken(async () => {
      await refuseUserName(write, upn, null)
      await refuseTaken(write, { upn, email }, null)
      const sql = 'INSERT INTO users (upn, email, name) VALUES (?, ?, ?) RETURNING id'
      return write.only<{ id: number }>(sql, [upn, email, name])
    })
    const [after] = await lockUsers(write, [id])
    const { external_id } = input
    await write.audit({ action: 'users.create', id, former: CREATED, after: { ...after?.row, external_id } })
    await saveParts(write, id, input)
    if (input.is_active === false) await deactivate(write, [id])
    return idReply(id)
  },

  async 'scim.update-user'(write, { id, if_match, ...changes }) {
    await refuseDuringImport(write.trx)
    await requireVisible(write, id)
    await requireMatch(write, if_match, selectScimUsers('?', 'users.id = ?'), [write.baseUrl, id])
    await save(write, id, changes)
    return idReply(id)
  },

  async 'scim.delete-user'(write, { id, if_match }) {
    await refuseDuringImport(write.trx)
    await requireVisible(write, id)
    await requireMatch(write, if_match, selectScimUsers('?', 'users.id = ?'), [write.baseUrl, id])
    await deactivate(write, [id])
    await write.run(
      `INSERT INTO provisioned_users (user_id, deleted_at) VALUES (?, now())
       ON CONFLICT (user_id) DO UPDATE SET deleted_at = excluded.deleted_at, updated_at = now()`,
      [id],
    )
    return null
  },
}

/** Locks the user. */
async function requireVisible(write: Write, id: number): Promise<void> {
  await lockUser(write, id)
  await write.requireRow(`SELECT FROM ${USERS} WHERE users.id = ? AND ${IS_VISIBLE}`, [id], MISSING)
}

/** A user whom the provider had deleted comes back with their bookings. Not if two of them fit. */
async function findDeleted(write: Write, { upn, email }: Changes): Promise<number | undefined> {
  const found = await write.ids(
    `SELECT users.id FROM ${USERS}
     WHERE (lower(upn) = lower(:upn) OR lower(email) = lower(:email)) AND NOT users.is_anonymous AND NOT (${IS_VISIBLE})`,
    { upn, email },
  )
  const [id] = found
  if (id === undefined || found.length > 1) return undefined
  await lockUser(write, id)
  return id
}

async function save(write: Write, id: number, changes: Changes): Promise<void> {
  const present = await readPresent(write, id)
  const name = changes.name ?? nameOfParts(present, changes)
  const { upn = present.upn, email = present.email } = changes
  const { external_id: formerId = null } = present.sent
  const { external_id = formerId } = changes
  const isEdited = name !== present.name || upn !== present.upn || email !== present.email
  if (isEdited || external_id !== formerId) {
    await refuseAsTaken(async () => {
      if (upn !== present.upn && upn !== null) await refuseUserName(write, upn, id)
      const provided = { before: { external_id: formerId }, after: { external_id } }
      await editUser(write, await lockUser(write, id), isEdited ? { name, email, upn } : {}, provided)
    })
  }
  await saveParts(write, id, changes, { sent: present.sent, isRenamed: name !== present.name })
  if (changes.is_active === undefined || changes.is_active === present.is_active) return
  await (changes.is_active ? setDeactivated(write, [id], false) : deactivate(write, [id]))
}

function readPresent(write: Write, id: number): Promise<Present> {
  return write.only<Present>(
    `SELECT users.name, email, upn, deactivated_at IS NULL AS is_active,
       ${GIVEN_NAME} AS given_name, ${FAMILY_NAME} AS family_name,
       json_build_object('external_id', external_id,
         'given_name', ${sentPart('given_name')}, 'family_name', ${sentPart('family_name')}) AS sent
     FROM ${USERS} WHERE users.id = ?`,
    [id],
  )
}

/** The name follows its parts if it consists of them. */
function nameOfParts(present: Present, changes: Changes): string {
  const { given_name = present.given_name, family_name = present.family_name } = changes
  const isMadeOfParts = present.name === joinParts(present.given_name, present.family_name)
  return (isMadeOfParts && joinParts(given_name, family_name)) || present.name
}

const joinParts = (...parts: Array<string | null | undefined>) => parts.filter(Boolean).join(' ')

/** Writes nothing if nothing changes. */
async function saveParts(
  write: Write,
  id: number,
  changes: Parts,
  before?: { sent: Parts; isRenamed: boolean },
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

/** The e-mail of a user without a UPN is a user name too. */
async function refuseUserName(write: Write, upn: string, id: number | null): Promise<void> {
  const sql =
    'SELECT id FROM users WHERE upn IS NULL AND lower(email) = lower(:upn) AND id IS DISTINCT FROM CAST(:id AS bigint)'
  if (await write.first(sql, { upn, id })) throw invalid({ upn: [message`Another person has this e-mail.`] })
}
