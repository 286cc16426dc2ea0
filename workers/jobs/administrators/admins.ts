// Administrators: invited, given a role, sent a link to a new password, disabled and enabled. At least one
// owner can always sign in. Hashes of passwords and links never reach the audit log.
import { dummyHash } from '../../../shared/administrators/admin-store.ts'
import { audit } from '../../../shared/audit/audit.ts'
import type { VerbOf } from '../../../shared/audit/audit-actions.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { queueLinkMail } from '../../pollers/mail/mails.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { idReply } from '../kit/rows.ts'

export type AdminRow = { id: number; role: string; disabled_at: string | null; row: unknown }

export const COLUMNS = "id, role, disabled_at, to_jsonb(admins) - 'password_hash' AS row"
const INVITED_HOURS = 7 * 24
const RESET_HOURS = 24

export async function inviteAdmin(
  trx: Transaction,
  { email, role, hash, isMailed }: InputOf<'admins.invite'>,
  context: WorkContext,
): Promise<ReplyOf<'admins.invite'>> {
  // No password matches this hash, until one is chosen.
  const { rows } = await trx.raw(
    `INSERT INTO admins (email, role, password_hash) VALUES (?, ?, ?)
     ON CONFLICT (lower(email)) DO NOTHING RETURNING ${COLUMNS}`,
    [email, role, dummyHash()],
  )
  const invited: AdminRow | undefined = rows[0]
  if (!invited) throw invalid({ email: [message`An administrator with this e-mail already exists.`] })
  await insertLink(trx, invited.id, hash, INVITED_HOURS)
  if (isMailed) await queueLinkMail(trx, 'invitation', { adminId: invited.id, hash })
  await record(trx, context, 'invite', { id: invited.id, after: invited.row })
  return idReply(invited.id)
}

/** Earlier links stop working. */
export async function createAdminLink(
  trx: Transaction,
  { id, hash, isMailed }: InputOf<'admins.create-link'>,
  context: WorkContext,
): Promise<ReplyOf<'admins.create-link'>> {
  const { row, disabled_at } = await lockAdmin(trx, id)
  if (disabled_at !== null)
    throw new Refusal('in_use', message`This administrator is disabled. Enable them first.`)
  await trx('admin_links').where({ admin_id: id }).delete()
  await insertLink(trx, id, hash, RESET_HOURS)
  if (isMailed) await queueLinkMail(trx, 'password', { adminId: id, hash })
  await record(trx, context, 'create-link', { id, before: row, after: row })
  return idReply(id)
}

export async function setAdminRole(
  trx: Transaction,
  { id, role }: InputOf<'admins.set-role'>,
  context: WorkContext,
): Promise<ReplyOf<'admins.set-role'>> {
  if (role !== 'owner') await requireOtherOwner(trx, id)
  return changeAdmin(trx, context, { id, action: 'set-role', set: 'role = ?', values: [role] })
}

/** Ends their sessions at once, and revokes their links. */
export async function disableAdmin(
  trx: Transaction,
  { id }: InputOf<'admins.disable'>,
  context: WorkContext,
): Promise<ReplyOf<'admins.disable'>> {
  await requireOtherOwner(trx, id)
  const reply = await changeAdmin(trx, context, {
    id,
    action: 'disable',
    set: 'disabled_at = coalesce(disabled_at, now())',
    values: [],
  })
  await trx('sessions').where({ admin_id: id }).delete()
  await trx('admin_links').where({ admin_id: id }).delete()
  return reply
}

export function enableAdmin(
  trx: Transaction,
  { id }: InputOf<'admins.enable'>,
  context: WorkContext,
): Promise<ReplyOf<'admins.enable'>> {
  return changeAdmin(trx, context, { id, action: 'enable', set: 'disabled_at = NULL', values: [] })
}

// The owners are locked in one order, so that if two demote each other at once, one is refused.
async function requireOtherOwner(trx: Transaction, id: number): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT id FROM admins WHERE role = 'owner' AND disabled_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
  )
  const owners: Array<{ id: number }> = rows
  if (owners.length === 1 && owners[0]?.id === id)
    throw new Refusal('in_use', message`This is the only owner. Make somebody else an owner first.`)
}

export async function changeAdmin(
  trx: Transaction,
  context: WorkContext,
  { id, action, set, values }: { id: number; action: VerbOf<'admins'>; set: string; values: string[] },
) {
  const before = await lockAdmin(trx, id)
  const { rows } = await trx.raw(
    `UPDATE admins SET ${set}, updated_at = now() WHERE id = ? RETURNING ${COLUMNS}`,
    [...values, id],
  )
  const after = onlyRow<AdminRow>(rows)
  await record(trx, context, action, { id, before: before.row, after: after.row })
  return idReply(id)
}

async function lockAdmin(trx: Transaction, id: number): Promise<AdminRow> {
  const { rows } = await trx.raw(`SELECT ${COLUMNS} FROM admins WHERE id = ? FOR NO KEY UPDATE`, [id])
  const found: AdminRow | undefined = rows[0]
  if (!found) throw new Refusal('not_found', message`There is no administrator with this id.`)
  return found
}

async function insertLink(trx: Transaction, id: number, hash: string, hours: number): Promise<void> {
  await trx.raw(
    `INSERT INTO admin_links (hash, admin_id, expires_at)
     VALUES (decode(?, 'hex'), ?, now() + make_interval(hours => ?))`,
    [hash, id, hours],
  )
}

export function record(
  trx: Transaction,
  context: WorkContext,
  verb: VerbOf<'admins'>,
  { id, ...rows }: { id: number; before?: unknown; after: unknown },
): Promise<void> {
  return audit(trx, context, { action: `admins.${verb}`, resource: 'admins', resourceId: id, ...rows })
}
