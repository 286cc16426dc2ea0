// Users as administrators create, edit, deactivate, restore and erase them, one or several at once. Files of
// users are in imports.ts and exports.ts.
import { audit, auditEach } from '../../../shared/audit/audit.ts'
import type { AuditAction } from '../../../shared/audit/audit-actions.ts'
import { CREATED, readEventsOfUsers, readFormer } from '../../../shared/changes/former.ts'
import { recordChanges } from '../../../shared/changes/record.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import { eraseUser as erase } from '../../../shared/erasures/erase-user.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { setGroups, setPlates } from '../imports/groups-and-plates.ts'
import { idReply, refuseUnknownIds } from '../kit/rows.ts'
import { requireVersion } from '../kit/versions.ts'

type UserFields = Omit<InputOf<'users.edit'>, 'id' | 'version'>
type LockedUser = { id: number; row: unknown; deactivated_at: string | null }

const AUDITED_USER = `users.id, users.deactivated_at, to_jsonb(users) - 'is_anonymous' || jsonb_build_object(
  'groups', ARRAY(
    SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id WHERE user_id = users.id ORDER BY 1
  ),
  'license_plates', ARRAY(SELECT license_plate FROM vehicles WHERE user_id = users.id ORDER BY 1)
) AS row`

export async function createUser(
  trx: Transaction,
  input: InputOf<'users.create'>,
  context: WorkContext,
): Promise<ReplyOf<'users.create'>> {
  await refuseDuringImport(trx)
  await refuseTaken(trx, input, null)
  const { rows } = await trx.raw(
    'INSERT INTO users (name, email, upn, extension_attributes) VALUES (?, ?, ?, ?) RETURNING id',
    [
      input.name,
      input.email,
      input.upn ?? null,
      JSON.stringify(withoutEmpty(input.extension_attributes ?? {})),
    ],
  )
  const { id } = onlyRow<{ id: number }>(rows)
  await setGroupsAndPlates(trx, id, input, context)
  const [after] = await lockUsers(trx, [id])
  const change = { action: 'users.create', resource: 'users', resourceId: id, former: CREATED } as const
  await audit(trx, context, { ...change, after: after?.row })
  return idReply(id)
}

/** Also edits deactivated users. */
export async function editUser(
  trx: Transaction,
  { id, version, ...fields }: InputOf<'users.edit'>,
  context: WorkContext,
): Promise<ReplyOf<'users.edit'>> {
  await refuseDuringImport(trx)
  const [before] = await lockUsers(trx, [id])
  if (!before) throw new Refusal('not_found', message`There is no user with this id.`)
  await requireVersion(trx, 'users', id, version)
  await refuseTaken(trx, fields, id)
  const { name, email, upn, extension_attributes } = fields
  const former = await readFormer(trx, 'users', [id])
  const isRenamed = name !== undefined || email !== undefined
  const events = await readEventsOfUsers(trx, isRenamed ? [id] : [])
  await trx.raw(
    `UPDATE users
     SET name = coalesce(:name, name), email = coalesce(:email, email),
       upn = CASE WHEN :names THEN :upn ELSE upn END,
       extension_attributes = coalesce(CAST(:attributes AS jsonb), extension_attributes),
       updated_at = now()
     WHERE id = :id`,
    {
      id,
      name: name ?? null,
      email: email ?? null,
      names: upn !== undefined,
      upn: upn ?? null,
      attributes: extension_attributes ? JSON.stringify(withoutEmpty(extension_attributes)) : null,
    },
  )
  await setGroupsAndPlates(trx, id, fields, context)
  const [after] = await lockUsers(trx, [id])
  const change = { action: 'users.edit', resource: 'users', resourceId: id, former } as const
  await audit(trx, context, { ...change, before: before.row, after: after?.row })
  await recordChanges(trx, context, { resource: 'events', action: 'updated' }, events)
  return idReply(id)
}

/** Their bookings stay until they are released. */
export async function deactivateUsers(
  trx: Transaction,
  { ids }: InputOf<'users.deactivate'>,
  context: WorkContext,
): Promise<ReplyOf<'users.deactivate'>> {
  const active = ({ deactivated_at }: LockedUser) => deactivated_at === null
  const number = await setDeactivated(trx, ids, context, {
    action: 'users.deactivate',
    value: 'now()',
    if: active,
  })
  await trx.raw('DELETE FROM calendars WHERE user_id = ANY(?::bigint[])', [ids])
  return { data: { deactivated: number } }
}

export async function restoreUsers(
  trx: Transaction,
  { ids }: InputOf<'users.restore'>,
  context: WorkContext,
): Promise<ReplyOf<'users.restore'>> {
  const deactivated = ({ deactivated_at }: LockedUser) => deactivated_at !== null
  const number = await setDeactivated(trx, ids, context, {
    action: 'users.restore',
    value: 'NULL',
    if: deactivated,
  })
  return { data: { restored: number } }
}

/** Irreversible. Upkeep later searches for what is left of them elsewhere. */
export async function eraseUser(
  trx: Transaction,
  { id }: InputOf<'users.erase'>,
  context: WorkContext,
): Promise<ReplyOf<'users.erase'>> {
  return { data: await erase(trx, { id, now: context.now }, context) }
}

type StateChange = { action: AuditAction; value: 'now()' | 'NULL'; if(user: LockedUser): boolean }

/** Returns how many users were changed; the others had that state already. */
async function setDeactivated(
  trx: Transaction,
  ids: number[],
  context: WorkContext,
  { action, value, if: applies }: StateChange,
): Promise<number> {
  await refuseDuringImport(trx)
  const found = await lockUsers(trx, ids)
  refuseUnknownIds(ids, found, 'user')
  const before = found.filter(applies)
  const changing = before.map(({ id }) => id)
  const former = await readFormer(trx, 'users', changing)
  await trx.raw(
    `UPDATE users SET deactivated_at = ${value}, updated_at = now() WHERE id = ANY(?::bigint[])`,
    [changing],
  )
  const after = new Map((await lockUsers(trx, ids)).map(({ id, row }) => [id, row]))
  const changes = before.map(({ id, row }) => ({ id, before: row, after: after.get(id) }))
  await auditEach(trx, context, { action, resource: 'users' }, former, changes)
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
      errors.email = [
        is_deactivated
          ? message`A deactivated user has this e-mail.`
          : message`Another user has this e-mail.`,
      ]
    if (has_upn)
      errors.upn = [
        is_deactivated ? message`A deactivated user has this UPN.` : message`Another user has this UPN.`,
      ]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

async function setGroupsAndPlates(
  trx: Transaction,
  id: number,
  { groups, license_plates }: UserFields,
  context: WorkContext,
): Promise<void> {
  if (groups) await setGroups(trx, id, groups, context)
  if (license_plates) await setPlates(trx, id, license_plates)
}

// As in an import file, an empty attribute is dropped.
function withoutEmpty(attributes: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value))
}
