// Administrators who sign in through the provider. The provider decides their role at each sign-in. Their
// identity is decided once: by a verified e-mail address, or else they are new.
import { dummyHash } from '../../../shared/administrators/admin-store.ts'
import { onlyRow } from '../../../shared/database/database.ts'
import type { InputOf, ReplyOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Transaction, WorkContext } from '../../runtime/context.ts'
import { idReply } from '../kit/rows.ts'
import { type AdminRow, COLUMNS, changeAdmin, record } from './admins.ts'

type Input = InputOf<'admins.sign-in'>

export async function signInAdmin(
  trx: Transaction,
  input: Input,
  context: WorkContext,
): Promise<ReplyOf<'admins.sign-in'>> {
  const { issuer, subject, role } = input
  // If two first sign-ins run at once, the second finds the row that the first has created.
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`${issuer} ${subject}`])
  const admin = (await lockKnown(trx, input)) ?? (await introduce(trx, input, context))
  if (admin.disabled_at !== null)
    throw new Refusal('in_use', message`Your account is disabled. An owner can enable it.`)
  if (admin.role !== role)
    // May demote the last owner: the provider decides who is an owner.
    await changeAdmin(trx, context, { id: admin.id, action: 'set-role', set: 'role = ?', values: [role] })
  return idReply(admin.id)
}

async function lockKnown(trx: Transaction, { issuer, subject }: Input): Promise<AdminRow | undefined> {
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM admins WHERE id = (SELECT admin_id FROM admin_identities WHERE issuer = ? AND subject = ?)
     FOR NO KEY UPDATE`,
    [issuer, subject],
  )
  return rows[0]
}

/** On a first sign-in, links to an existing administrator or creates one. */
async function introduce(trx: Transaction, input: Input, context: WorkContext): Promise<AdminRow> {
  const { email, role } = input
  if (email === undefined)
    throw new Refusal('in_use', message`The provider did not tell your e-mail address.`)
  const { rows } = await trx.raw(
    `INSERT INTO admins (email, role, password_hash) VALUES (?, ?, ?)
     ON CONFLICT (lower(email)) DO NOTHING RETURNING ${COLUMNS}`,
    [email, role, dummyHash()],
  )
  const created: AdminRow | undefined = rows[0]
  if (!created) return linkPresent(trx, { ...input, email }, context)
  await link(trx, input, created.id)
  await record(trx, context, 'create', { id: created.id, after: created.row })
  return created
}

async function linkPresent(
  trx: Transaction,
  input: Input & { email: string },
  context: WorkContext,
): Promise<AdminRow> {
  if (!input.isEmailVerified)
    throw new Refusal(
      'in_use',
      message`${input.email} is an administrator already, and the provider has not verified that this address is yours.`,
    )
  const { rows } = await trx.raw(
    `SELECT ${COLUMNS} FROM admins WHERE lower(email) = lower(?) FOR NO KEY UPDATE`,
    [input.email],
  )
  const present = onlyRow<AdminRow>(rows)
  if (present.disabled_at !== null) return present
  await link(trx, input, present.id)
  // From now on they sign in through the provider only: sessions from a password and password links end.
  await trx('sessions').where({ admin_id: present.id }).delete()
  await trx('admin_links').where({ admin_id: present.id }).delete()
  await record(trx, context, 'link', { id: present.id, before: present.row, after: present.row })
  return present
}

async function link(trx: Transaction, { issuer, subject }: Input, adminId: number): Promise<void> {
  const { rows } = await trx.raw(
    `INSERT INTO admin_identities (issuer, subject, admin_id) VALUES (?, ?, ?)
     ON CONFLICT (admin_id, issuer) DO NOTHING RETURNING admin_id`,
    [issuer, subject, adminId],
  )
  // The address has passed from one person to another.
  if (rows.length === 0)
    throw new Refusal(
      'in_use',
      message`Another account of the provider signs in with your e-mail address here.`,
    )
}
