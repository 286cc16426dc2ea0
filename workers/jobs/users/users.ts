// Users as administrators and the API create, edit, deactivate, restore and erase them, one or several at once. Files
// of users are in imports.ts and exports.ts.
import { CREATED, readEventsOfUsers } from '../../../shared/changes/former.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { eraseUser as erase } from '../../../shared/erasures/erase-user.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { eachText, USER_TEXTS } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid } from '../../../shared/messages/refusal.ts'
import { dataText } from '../../../shared/schemas/json.ts'
import { selectUser, userJson } from '../../../shared/users/users.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { setGroupsAndPlates } from '../imports/groups-and-plates.ts'
import { requireMatch, requireVersion } from '../rows/preconditions.ts'
import { idReply, refuseUnknownIds } from '../rows/rows.ts'
import { type LockedUser, lockActiveUser, lockUser, lockUsers } from './lock-users.ts'

type UserFields = Omit<InputOf<'users.edit'>, 'id' | 'version'>
type Attributes = UserFields['extension_attributes']

type Verbs = 'create' | 'edit' | 'update' | 'set-active' | 'deactivate' | 'restore' | 'erase'

export const userHandlers: Handlers<`users.${Verbs}`> = {
  async 'users.create'(write, input) {
    await refuseDuringImport(write.trx)
    await refuseTaken(write, input, null)
    const { id } = onlyRow<{ id: number }>(await write.trx('users').insert(columnsOf(input)).returning('id'))
    await setGroupsAndPlates(write, id, input)
    const [after] = await lockUsers(write, [id])
    await write.audit({ action: 'users.create', id, former: CREATED, after: after?.row })
    return replyWithUser(write, id)
  },

  /** Also edits deactivated users. */
  async 'users.edit'(write, { id, version, ...fields }) {
    await refuseDuringImport(write.trx)
    const before = await lockUser(write, id)
    await requireVersion(write, 'users', id, version)
    await editUser(write, before, fields)
    return idReply(id)
  },

  async 'users.update'(write, { id, if_match, ...fields }) {
    await refuseDuringImport(write.trx)
    const before = await lockActiveUser(write, id)
    await requireMatch(write, if_match, selectUser('users.id = ?'), [id])
    const extension_attributes = merge(before.row.extension_attributes, fields.extension_attributes)
    await editUser(write, before, { ...fields, extension_attributes })
    return replyWithUser(write, id)
  },

  async 'users.set-active'(write, { id, is_active }) {
    await lockUser(write, id)
    await (is_active ? setDeactivated(write, [id], false) : deactivate(write, [id]))
    return write.reply(dataText(userJson), 'users WHERE users.id = ?', [id])
  },

  /** Their bookings stay until they are released. */
  'users.deactivate': async (write, { ids }) => ({ data: { deactivated: await deactivate(write, ids) } }),

  'users.restore': async (write, { ids }) => ({
    data: { restored: await setDeactivated(write, ids, false) },
  }),

  /** Irreversible. Upkeep later searches for what is left of them elsewhere. */
  async 'users.erase'(write, { id }) {
    return { data: await erase(write.trx, { id, now: write.now }, write) }
  },
}

/** The answer of GET, and its ETag. */
async function replyWithUser(write: Write, id: number) {
  const text = await write.reply(dataText(userJson), 'users WHERE users.id = ?', [id])
  return new ReplyWithETag(text, etagOf(text))
}

/** `provided`: what changes beside the columns of users, for the audit log. */
export async function editUser(
  write: Write,
  { id, row }: LockedUser,
  fields: UserFields,
  provided: { before?: object; after?: object } = {},
): Promise<void> {
  await refuseTaken(write, fields, id)
  const former = await write.readFormer('users', [id])
  const isRenamed = fields.name !== undefined || fields.email !== undefined
  const events = await readEventsOfUsers(write.trx, isRenamed ? [id] : [])
  await write
    .trx('users')
    .where({ id })
    .update({ ...columnsOf(fields), updated_at: write.trx.fn.now() })
  await setGroupsAndPlates(write, id, fields)
  const [after] = await lockUsers(write, [id])
  await write.audit({
    action: 'users.edit',
    id,
    former,
    before: { ...row, ...provided.before },
    after: { ...after?.row, ...provided.after },
  })
  await write.recordChanges({ resource: 'events', action: 'updated' }, events)
}

/** As a merge patch: an attribute that is not given stays, and null removes all. */
const merge = (present: Attributes, given: Attributes): Attributes => given && { ...present, ...given }

export async function deactivate(write: Write, ids: number[]): Promise<number> {
  const deactivated = await setDeactivated(write, ids, true)
  await write.run('DELETE FROM calendars WHERE user_id = ANY(?::bigint[])', [ids])
  return deactivated
}

/** Returns how many users were changed; the others had that state already. */
export async function setDeactivated(write: Write, ids: number[], isDeactivated: boolean): Promise<number> {
  await refuseDuringImport(write.trx)
  const found = await lockUsers(write, ids)
  refuseUnknownIds(ids, found, 'person')
  const before = found.filter(({ deactivated_at }) => (deactivated_at !== null) !== isDeactivated)
  const changing = before.map(({ id }) => id)
  const former = await write.readFormer('users', changing)
  await write.run(
    `UPDATE users SET deactivated_at = ${isDeactivated ? 'now()' : 'NULL'}, updated_at = now() WHERE id = ANY(?::bigint[])`,
    [changing],
  )
  const action = isDeactivated ? 'users.deactivate' : 'users.restore'
  await write.auditRows(action, former, { before, after: await lockUsers(write, ids) })
  return before.length
}

// Postgres compares them, because JavaScript's lower case differs.
export async function refuseTaken(
  write: Write,
  { email, upn }: UserFields,
  id: number | null,
): Promise<void> {
  const rows = await write.all<{ has_email: boolean; has_upn: boolean; is_deactivated: boolean }>(
    `SELECT coalesce(lower(email) = lower(:email), false) AS has_email,
       coalesce(lower(upn) = lower(:upn), false) AS has_upn, deactivated_at IS NOT NULL AS is_deactivated
     FROM users
     WHERE id IS DISTINCT FROM :id AND (lower(email) = lower(:email) OR lower(upn) = lower(:upn))`,
    { id, email: email ?? null, upn: upn ?? null },
  )
  const errors: FieldErrors = {}
  for (const { has_email, has_upn, is_deactivated } of rows) {
    if (has_email)
      errors.email = is_deactivated
        ? [message`A deactivated person has this e-mail.`]
        : [message`Another person has this e-mail.`]
    if (has_upn)
      errors.upn = is_deactivated
        ? [message`A deactivated person has this UPN.`]
        : [message`Another person has this UPN.`]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

/** The plain columns of the fields that are given. As in an import file, an empty attribute is dropped. */
function columnsOf(fields: UserFields): Record<string, unknown> {
  const { email, extension_attributes: attributes } = fields
  const columns = {
    ...eachText(USER_TEXTS, (name) => fields[name]),
    email,
    extension_attributes:
      attributes === undefined
        ? undefined
        : Object.fromEntries(Object.entries(attributes ?? {}).filter(([, value]) => value)),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
