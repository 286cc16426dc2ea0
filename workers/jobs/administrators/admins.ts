// Administrators: invited, given a role, sent a link to a new password, disabled and enabled. At least one
// owner can always sign in. Hashes of passwords and links never reach the audit log.
import { dummyHash } from '../../../shared/administrators/admin-store.ts'
import { audit } from '../../../shared/audit/audit.ts'
import type { VerbOf } from '../../../shared/audit/audit-actions.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { queueLinkMail } from '../../pollers/mail/mails.ts'
import type { Handlers, Transaction, WorkContext } from '../../runtime/context.ts'
import { queryFirst, queryIds, queryOnly, requireRow } from '../../runtime/statements.ts'
import { idReply } from '../kit/rows.ts'

type AdminRow = { id: number; role: string; disabled_at: string | null; row: unknown }

const COLUMNS = "id, role, disabled_at, to_jsonb(admins) - 'password_hash' AS row"
const INVITED_HOURS = 7 * 24
const RESET_HOURS = 24

export const adminHandlers: Handlers<`admins.${string}`> = {
  async 'admins.invite'(trx, { email, role, hash, isMailed }, context) {
    const invited = await insertAdmin(trx, email, role)
    if (!invited) throw invalid({ email: [message`An administrator with this e-mail already exists.`] })
    await insertLink(trx, invited.id, hash, INVITED_HOURS)
    if (isMailed) await queueLinkMail(trx, 'invitation', { adminId: invited.id, hash })
    await audit(trx, context, { action: 'admins.invite', id: invited.id, after: invited.row })
    return idReply(invited.id)
  },

  /** Earlier links stop working. */
  async 'admins.create-link'(trx, { id, hash, isMailed }, context) {
    const { row, disabled_at } = await lockAdmin(trx, id)
    if (disabled_at !== null)
      throw new Refusal('in_use', message`This administrator is disabled. Enable them first.`)
    await trx('admin_links').where({ admin_id: id }).delete()
    await insertLink(trx, id, hash, RESET_HOURS)
    if (isMailed) await queueLinkMail(trx, 'password', { adminId: id, hash })
    await audit(trx, context, { action: 'admins.create-link', id, before: row, after: row })
    return idReply(id)
  },

  async 'admins.set-role'(trx, { id, role }, context) {
    if (role !== 'owner') await requireOtherOwner(trx, id)
    return change(trx, context, id, 'set-role', 'role = ?', [role])
  },

  /** Ends their sessions at once, and revokes their links. */
  async 'admins.disable'(trx, { id }, context) {
    await requireOtherOwner(trx, id)
    const reply = await change(trx, context, id, 'disable', 'disabled_at = coalesce(disabled_at, now())')
    await endSessionsAndLinks(trx, id)
    return reply
  },

  'admins.enable': (trx, { id }, context) => change(trx, context, id, 'enable', 'disabled_at = NULL'),

  /** Through the provider, which decides the role at each sign-in. */
  async 'admins.sign-in'(trx, input, context) {
    const { issuer, subject, role } = input
    // If two first sign-ins run at once, the second finds the row that the first has created.
    await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`${issuer} ${subject}`])
    const known = await queryFirst<{ id: number }>(
      trx,
      'SELECT admin_id AS id FROM admin_identities WHERE issuer = ? AND subject = ?',
      [issuer, subject],
    )
    const admin = known ? await lockAdmin(trx, known.id) : await introduce(trx, input, context)
    if (admin.disabled_at !== null)
      throw new Refusal('in_use', message`Your account is disabled. An owner can enable it.`)
    // May demote the last owner: the provider decides who is an owner.
    if (admin.role !== role) await change(trx, context, admin.id, 'set-role', 'role = ?', [role])
    return idReply(admin.id)
  },
}

// The owners are locked in one order, so that if two demote each other at once, one is refused.
async function requireOtherOwner(trx: Transaction, id: number): Promise<void> {
  const active = `role = 'owner' AND disabled_at IS NULL`
  const owners = await queryIds(
    trx,
    `SELECT id FROM admins WHERE ${active} ORDER BY id FOR NO KEY UPDATE`,
    [],
  )
  if (owners.length === 1 && owners[0] === id)
    throw new Refusal('in_use', message`This is the only owner. Make somebody else an owner first.`)
}

async function change(
  trx: Transaction,
  context: WorkContext,
  id: number,
  verb: VerbOf<'admins'>,
  set: string,
  values: string[] = [],
) {
  const { row: before } = await lockAdmin(trx, id)
  const update = `UPDATE admins SET ${set}, updated_at = now() WHERE id = ? RETURNING ${COLUMNS}`
  const { row: after } = await queryOnly<AdminRow>(trx, update, [...values, id])
  await audit(trx, context, { action: `admins.${verb}`, id, before, after })
  return idReply(id)
}

function lockAdmin(trx: Transaction, value: number | string, condition = 'id = ?'): Promise<AdminRow> {
  const lock = `SELECT ${COLUMNS} FROM admins WHERE ${condition} FOR NO KEY UPDATE`
  return requireRow(trx, lock, [value], message`There is no administrator with this id.`)
}

/** Undefined if there is one with this e-mail. No password matches the hash, until one is chosen. */
const insertAdmin = (trx: Transaction, email: string, role: string) =>
  queryFirst<AdminRow>(
    trx,
    `INSERT INTO admins (email, role, password_hash) VALUES (?, ?, ?)
     ON CONFLICT (lower(email)) DO NOTHING RETURNING ${COLUMNS}`,
    [email, role, dummyHash()],
  )

async function insertLink(trx: Transaction, id: number, hash: string, hours: number): Promise<void> {
  await trx.raw(
    `INSERT INTO admin_links (hash, admin_id, expires_at)
     VALUES (decode(?, 'hex'), ?, now() + make_interval(hours => ?))`,
    [hash, id, hours],
  )
}

async function endSessionsAndLinks(trx: Transaction, adminId: number): Promise<void> {
  await trx('sessions').where({ admin_id: adminId }).delete()
  await trx('admin_links').where({ admin_id: adminId }).delete()
}

type SignIn = InputOf<'admins.sign-in'>

/**
 * On a first sign-in, creates an administrator, or links to an existing one by a verified e-mail address. Their
 * identity is decided only this once.
 */
async function introduce(trx: Transaction, input: SignIn, context: WorkContext): Promise<AdminRow> {
  const { email, role, isEmailVerified } = input
  if (email === undefined)
    throw new Refusal('in_use', message`The provider did not tell your e-mail address.`)
  const created = await insertAdmin(trx, email, role)
  if (created) {
    await link(trx, input, created.id)
    await audit(trx, context, { action: 'admins.create', id: created.id, after: created.row })
    return created
  }
  if (!isEmailVerified)
    throw new Refusal(
      'in_use',
      message`${email} is an administrator already, and the provider has not verified that this address is yours.`,
    )
  const present = await lockAdmin(trx, email, 'lower(email) = lower(?)')
  if (present.disabled_at !== null) return present
  await link(trx, input, present.id)
  // From now on they sign in through the provider only: sessions from a password and password links end.
  await endSessionsAndLinks(trx, present.id)
  const { id, row } = present
  await audit(trx, context, { action: 'admins.link', id, before: row, after: row })
  return present
}

async function link(trx: Transaction, { issuer, subject }: SignIn, adminId: number): Promise<void> {
  const linked = await queryFirst(
    trx,
    `INSERT INTO admin_identities (issuer, subject, admin_id) VALUES (?, ?, ?)
     ON CONFLICT (admin_id, issuer) DO NOTHING RETURNING admin_id`,
    [issuer, subject, adminId],
  )
  // The address has passed from one person to another.
  if (!linked)
    throw new Refusal(
      'in_use',
      message`Another account of the provider signs in with your e-mail address here.`,
    )
}
