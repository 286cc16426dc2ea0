// Creates, edits, deactivates, restores and erases users for administrators and the API, one or several at once.
// imports.ts and exports/users.ts handle files of users.
import { NEWLY_CREATED, readEventsOfUsers } from '../../../shared/changes/former-state.ts'
import { getOnlyRow } from '../../../shared/database/database.ts'
import { eraseUser as erase } from '../../../shared/erasures/erase-user.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { mapTextFields, USER_TEXTS } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalidFields } from '../../../shared/messages/refusal.ts'
import { dataBodyText } from '../../../shared/schemas/json.ts'
import { selectUserSql, userJson } from '../../../shared/users/users.ts'
import { computeEtag } from '../../../shared/utilities/etags.ts'
import { type Handlers, ReplyWithETag, type Write } from '../../runtime/write.ts'
import { setGroupsAndPlates } from '../imports/groups-and-plates.ts'
import { requireMatch, requireVersion } from '../rows/preconditions.ts'
import { createIdReply, refuseUnknownIds } from '../rows/rows.ts'
import { type LockedUser, lockActiveUser, lockUser, lockUsers } from './lock-users.ts'

type UserFields = Omit<InputOf<'users.edit'>, 'id' | 'version'>
type Attributes = UserFields['extension_attributes']

type UserVerbs = 'create' | 'edit' | 'update' | 'set-active' | 'deactivate' | 'restore' | 'erase'

export const userHandlers: Handlers<`users.${UserVerbs}`> = {
  async 'users.create'(write, input) {
    await refuseDuringImport(write.trx)
    await refuseTakenUserFields(write, input, null)
    const { id } = getOnlyRow<{ id: number }>(
      await write.trx('users').insert(toColumns(input)).returning('id'),
    )
    await setGroupsAndPlates(write, id, input)
    const [after] = await lockUsers(write, [id])
    await write.audit({ action: 'users.create', id, former: NEWLY_CREATED, after: after?.row })
    return replyWithUser(write, id)
  },

  /** Edits a user, even a deactivated one. */
  async 'users.edit'(write, { id, version, ...fields }) {
    await refuseDuringImport(write.trx)
    const before = await lockUser(write, id)
    await requireVersion(write, 'users', id, version)
    await editUser(write, before, fields)
    return createIdReply(id)
  },

  async 'users.update'(write, { id, if_match, ...fields }) {
    await refuseDuringImport(write.trx)
    const before = await lockActiveUser(write, id)
    await requireMatch(write, if_match, selectUserSql('users.id = ?'), [id])
    const extension_attributes = mergeAttributes(before.row.extension_attributes, fields.extension_attributes)
    await editUser(write, before, { ...fields, extension_attributes })
    return replyWithUser(write, id)
  },

  async 'users.set-active'(write, { id, is_active }) {
    await lockUser(write, id)
    await (is_active ? setDeactivated(write, [id], false) : deactivateUsers(write, [id]))
    return write.reply(dataBodyText(userJson), 'users WHERE users.id = ?', [id])
  },

  /** Deactivates users. Their bookings stay until they are released. */
  'users.deactivate': async (write, { ids }) => ({
    data: { deactivated: await deactivateUsers(write, ids) },
  }),

  'users.restore': async (write, { ids }) => ({
    data: { restored: await setDeactivated(write, ids, false) },
  }),

  /** Erases a user irreversibly. Upkeep later searches for personal data of the user elsewhere. */
  async 'users.erase'(write, { id }) {
    return { data: await erase(write.trx, { id, now: write.now }, write) }
  },
}

/** Returns a reply with what a GET of the user returns, and with its ETag. */
async function replyWithUser(write: Write, id: number) {
  const text = await write.reply(dataBodyText(userJson), 'users WHERE users.id = ?', [id])
  return new ReplyWithETag(text, computeEtag(text))
}

/** Edits a user. `provided` contains what the audit log shows in addition to the columns of `users`. */
export async function editUser(
  write: Write,
  { id, row }: LockedUser,
  fields: UserFields,
  provided: { before?: object; after?: object } = {},
): Promise<void> {
  await refuseTakenUserFields(write, fields, id)
  const former = await write.readFormer('users', [id])
  const isRenamed = fields.name !== undefined || fields.email !== undefined
  const events = await readEventsOfUsers(write.trx, isRenamed ? [id] : [])
  await write
    .trx('users')
    .where({ id })
    .update({ ...toColumns(fields), updated_at: write.trx.fn.now() })
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

/**
 * Merges attributes like a JSON merge patch. An attribute that is not given stays unchanged, and null instead of the
 * object removes all attributes.
 */
const mergeAttributes = (present: Attributes, given: Attributes): Attributes =>
  given && { ...present, ...given }

export async function deactivateUsers(write: Write, ids: number[]): Promise<number> {
  const deactivated = await setDeactivated(write, ids, true)
  await write.run('DELETE FROM calendars WHERE user_id = ANY(?::bigint[])', [ids])
  return deactivated
}

/** Deactivates or restores users. Returns the number of users that changed; all others already had that state. */
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

// Refuses values that another user has. Postgres compares them, because JavaScript converts to lower case differently.
export async function refuseTakenUserFields(
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
        ? [message`This e-mail address belongs to a deactivated person.`]
        : [message`This e-mail address belongs to another person.`]
    if (has_upn)
      errors.upn = is_deactivated
        ? [message`This UPN belongs to a deactivated person.`]
        : [message`This UPN belongs to another person.`]
  }
  if (Object.keys(errors).length > 0) throw invalidFields(errors)
}

/** Returns the given fields as columns. An empty attribute is dropped, as in an import file. */
function toColumns(fields: UserFields): Record<string, unknown> {
  const { email, extension_attributes: attributes } = fields
  const columns = {
    ...mapTextFields(USER_TEXTS, (name) => fields[name]),
    email,
    extension_attributes:
      attributes === undefined
        ? undefined
        : Object.fromEntries(Object.entries(attributes ?? {}).filter(([, value]) => value)),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
