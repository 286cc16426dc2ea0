// Users as administrators create, edit, deactivate, restore and erase them, one or several at once. Files of
// users are in imports.ts and exports.ts.

import { audit, auditEach } from '../../../shared/audit/audit.ts'
import { CREATED, readEventsOfUsers, readFormer } from '../../../shared/changes/former.ts'
import { recordChanges } from '../../../shared/changes/record.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { eraseUser as erase } from '../../../shared/erasures/erase-user.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { eachText, USER_TEXTS } from '../../../shared/imports/user-columns.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Handler, Transaction, WorkContext } from '../../runtime/context.ts'
import { setGroupsAndPlates } from '../imports/groups-and-plates.ts'
import { requireVersion } from '../kit/preconditions.ts'
import { idReply, refuseUnknownIds } from '../kit/rows.ts'

type UserFields = Omit<InputOf<'users.edit'>, 'id' | 'version'>
type LockedUser = { id: number; row: unknown; deactivated_at: string | null }

const AUDITED_USER = `users.id, users.deactivated_at, to_jsonb(users) - 'is_anonymous' || jsonb_build_object(
  'groups', ARRAY(
    SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id WHERE user_id = users.id ORDER BY 1
  ),
  'license_plates', ARRAY(SELECT license_plate FROM vehicles WHERE user_id = users.id ORDER BY 1)
) AS row`

export const createUser: Handler<'users.create'> = async (trx, input, context) => {
  await refuseDuringImport(trx)
  await refuseTaken(trx, input, null)
  const { id } = onlyRow<{ id: number }>(await trx('users').insert(columnsOf(input)).returning('id'))
  await setGroupsAndPlates(trx, id, input, context)
  const [after] = await lockUsers(trx, [id])
  const change = { action: 'users.create', id, former: CREATED } as const
  await audit(trx, context, { ...change, after: after?.row })
  return idReply(id)
}

/** Also edits deactivated users. */
export const editUser: Handler<'users.edit'> = async (trx, { id, version, ...fields }, context) => {
  await refuseDuringImport(trx)
  const [before] = await lockUsers(trx, [id])
  if (!before) throw new Refusal('not_found', message`There is no user with this id.`)
  await requireVersion(trx, 'users', id, version)
  await refuseTaken(trx, fields, id)
  const former = await readFormer(trx, 'users', [id])
  const isRenamed = fields.name !== undefined || fields.email !== undefined
  const events = await readEventsOfUsers(trx, isRenamed ? [id] : [])
  await trx('users')
    .where({ id })
    .update({ ...columnsOf(fields), updated_at: trx.fn.now() })
  await setGroupsAndPlates(trx, id, fields, context)
  const [after] = await lockUsers(trx, [id])
  const change = { action: 'users.edit', id, former } as const
  await audit(trx, context, { ...change, before: before.row, after: after?.row })
  await recordChanges(trx, context, { resource: 'events', action: 'updated' }, events)
  return idReply(id)
}

/** Their bookings stay until they are released. */
export const deactivateUsers: Handler<'users.deactivate'> = async (trx, { ids }, context) => {
  const deactivated = await setDeactivated(trx, ids, true, context)
  await trx.raw('DELETE FROM calendars WHERE user_id = ANY(?::bigint[])', [ids])
  return { data: { deactivated } }
}

export const restoreUsers: Handler<'users.restore'> = async (trx, { ids }, context) => ({
  data: { restored: await setDeactivated(trx, ids, false, context) },
})

/** Irreversible. Upkeep later searches for what is left of them elsewhere. */
export const eraseUser: Handler<'users.erase'> = async (trx, { id }, context) => {
  return { data: await erase(trx, { id, now: context.now }, context) }
}

/** Returns how many users were changed; the others had that state already. */
async function setDeactivated(
  trx: Transaction,
  ids: number[],
  isDeactivated: boolean,
  context: WorkContext,
): Promise<number> {
  await refuseDuringImport(trx)
  const found = await lockUsers(trx, ids)
  refuseUnknownIds(ids, found, 'user')
  const before = found.filter(({ deactivated_at }) => (deactivated_at !== null) !== isDeactivated)
  const changing = before.map(({ id }) => id)
  const former = await readFormer(trx, 'users', changing)
  await trx.raw(
    `UPDATE users SET deactivated_at = ${isDeactivated ? 'now()' : 'NULL'}, updated_at = now() WHERE id = ANY(?::bigint[])`,
    [changing],
  )
  const after = new Map((await lockUsers(trx, ids)).map(({ id, row }) => [id, row]))
  const changes = before.map(({ id, row }) => ({ id, before: row, after: after.get(id) }))
  const action = isDeactivated ? 'users.deactivate' : 'users.restore'
  await auditEach(trx, context, action, former, changes)
  return before.length
}

/** Locked in the order of their ids. */
async function lockUsers(trx: Transaction, ids: number[]): Promise<LockedUser[]> {
  const { rows } = await trx.raw(
    `SELECT ${AUDITED_USER} FROM users WHERE id = ANY(?::bigint[]) AND NOT is_anonymous ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  )
  return rows
}

// Postgres compares them, because JavaScript's lower case differs.
async function refuseTaken(trx: Transaction, { email, upn }: UserFields, id: number | null): Promise<void> {
  const { rows } = await trx.raw(
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
        ? [message`A deactivated user has this e-mail.`]
        : [message`Another user has this e-mail.`]
    if (has_upn)
      errors.upn = is_deactivated
        ? [message`A deactivated user has this UPN.`]
        : [message`Another user has this UPN.`]
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
      attributes && Object.fromEntries(Object.entries(attributes).filter(([, value]) => value)),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}
