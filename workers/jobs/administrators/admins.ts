// Invites administrators, sets their roles, sends password links, and disables and enables accounts. There is always an
// owner who can sign in. The audit log never contains hashes of passwords or links.
import { createDummyHash } from '../../../shared/administrators/admin-store.ts'
import type { VerbOf } from '../../../shared/audit/audit-actions.ts'
import { lockKeySql, waitForLockSql } from '../../../shared/database/locks.ts'
import type { InputOf } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { queueLinkMail } from '../../pollers/mail/mails.ts'
import type { Handlers, Write } from '../../runtime/write.ts'
import { createIdReply } from '../rows/rows.ts'

type AdminRow = { id: number; role: string; disabled_at: string | null; row: unknown }

const ADMIN_COLUMNS = "id, role, disabled_at, to_jsonb(admins) - 'password_hash' AS row"
const INVITATION_LINK_HOURS = 7 * 24
const RESET_LINK_HOURS = 24

export const adminHandlers: Handlers<`admins.${string}`> = {
  async 'admins.invite'(write, { email, role, hash, isMailed }) {
    const invited = await insertAdmin(write, email, role)
    if (!invited) throw invalidFields({ email: [message`An administrator with this e-mail already exists.`] })
    await insertLink(write, invited.id, hash, INVITATION_LINK_HOURS)
    if (isMailed) await queueLinkMail(write.trx, 'invitation', { adminId: invited.id, hash })
    await write.audit({ action: 'admins.invite', id: invited.id, after: invited.row })
    return createIdReply(invited.id)
  },

  /** Creates a password link. Earlier links of the administrator stop working. */
  async 'admins.create-link'(write, { id, hash, isMailed }) {
    const { row, disabled_at } = await lockAdmin(write, id)
    if (disabled_at !== null)
      throw new Refusal('in_use', message`This administrator is disabled. Enable them first.`)
    await write.trx('admin_links').where({ admin_id: id }).delete()
    await insertLink(write, id, hash, RESET_LINK_HOURS)
    if (isMailed) await queueLinkMail(write.trx, 'password', { adminId: id, hash })
    await write.audit({ action: 'admins.create-link', id, before: row, after: row })
    return createIdReply(id)
  },

  async 'admins.set-role'(write, { id, role }) {
    if (role !== 'owner') await requireOtherOwner(write, id)
    return changeAdmin(write, id, 'set-role', 'role = ?', [role])
  },

  /** Disables an administrator. Ends their sessions immediately and revokes their links. */
  async 'admins.disable'(write, { id }) {
    await requireOtherOwner(write, id)
    const reply = await changeAdmin(write, id, 'disable', 'disabled_at = coalesce(disabled_at, now())')
    await endSessionsAndLinks(write, id)
    return reply
  },

  'admins.enable': (write, { id }) => changeAdmin(write, id, 'enable', 'disabled_at = NULL'),

  /** Subscribes an administrator to the monthly report. The first report covers the current month. */
  async 'admins.set-report-mail'(write, { id, language }) {
    await lockAdmin(write, id)
    if (language === undefined) await write.run('DELETE FROM monthly_report_mails WHERE admin_id = ?', [id])
    else
      await write.run(
        `INSERT INTO monthly_report_mails (admin_id, language, last_month)
         VALUES (?, ?, date_trunc('month', ?::timestamptz AT TIME ZONE 'UTC') - interval '1 month')
         ON CONFLICT (admin_id) DO UPDATE SET language = excluded.language`,
        [id, language, write.now],
      )
    await write.audit({ action: 'admins.set-report-mail', id })
    return createIdReply(id)
  },

  /** Signs in an administrator through the identity provider, which determines their role at each sign-in. */
  async 'admins.sign-in'(write, input) {
    const { issuer, subject, role } = input
    // If a person signs in for the first time in two requests at once, the second one finds the row that the
    // first one created.
    await write.run(`SELECT ${waitForLockSql(lockKeySql('providerSignIn', '?'))}`, [`${issuer} ${subject}`])
    const known = await write.first<{ id: number }>(
      'SELECT admin_id AS id FROM admin_identities WHERE issuer = ? AND subject = ?',
      [issuer, subject],
    )
    const admin = known ? await lockAdmin(write, known.id) : await createOrLinkAdmin(write, input)
    if (admin.disabled_at !== null)
      throw new Refusal('in_use', message`Your account is disabled. An owner can enable it.`)
    // Changing the role may demote the last owner, because the provider decides who is an owner.
    if (admin.role !== role) await changeAdmin(write, admin.id, 'set-role', 'role = ?', [role])
    return createIdReply(admin.id)
  },
}

// Refuses if no other owner is left. Locks the owners in a fixed order, so that if two owners demote each
// other at the same time, one of the two requests is refused.
async function requireOtherOwner(write: Write, id: number): Promise<void> {
  const active = `role = 'owner' AND disabled_at IS NULL`
  const owners = await write.ids(`SELECT id FROM admins WHERE ${active} ORDER BY id FOR NO KEY UPDATE`, [])
  if (owners.length === 1 && owners[0] === id)
    throw new Refusal('in_use', message`This is the only owner. Make somebody else an owner first.`)
}

async function changeAdmin(
  write: Write,
  id: number,
  verb: VerbOf<'admins'>,
  set: string,
  values: string[] = [],
) {
  const { row: before } = await lockAdmin(write, id)
  const update = `UPDATE admins SET ${set}, updated_at = now() WHERE id = ? RETURNING ${ADMIN_COLUMNS}`
  const { row: after } = await write.only<AdminRow>(update, [...values, id])
  await write.audit({ action: `admins.${verb}`, id, before, after })
  return createIdReply(id)
}

function lockAdmin(write: Write, value: number | string, condition = 'id = ?'): Promise<AdminRow> {
  const lock = `SELECT ${ADMIN_COLUMNS} FROM admins WHERE ${condition} FOR NO KEY UPDATE`
  return write.requireRow(lock, [value], message`There is no administrator with this id.`)
}

/**
 * Creates an administrator with an initial hash that no password matches. Returns undefined if an administrator with
 * this e-mail exists.
 */
const insertAdmin = (write: Write, email: string, role: string) =>
  write.first<AdminRow>(
    `INSERT INTO admins (email, role, password_hash) VALUES (?, ?, ?)
     ON CONFLICT (lower(email)) DO NOTHING RETURNING ${ADMIN_COLUMNS}`,
    [email, role, createDummyHash()],
  )

async function insertLink(write: Write, id: number, hash: string, hours: number): Promise<void> {
  await write.run(
    `INSERT INTO admin_links (hash, admin_id, expires_at)
     VALUES (decode(?, 'hex'), ?, now() + make_interval(hours => ?))`,
    [hash, id, hours],
  )
}

async function endSessionsAndLinks(write: Write, adminId: number): Promise<void> {
  await write.trx('sessions').where({ admin_id: adminId }).delete()
  await write.trx('admin_links').where({ admin_id: adminId }).delete()
}

type SignIn = InputOf<'admins.sign-in'>

/**
 * Creates an administrator, or links an existing one who has the same verified e-mail address. The identity that an
 * administrator is linked to never changes later.
 */
async function createOrLinkAdmin(write: Write, input: SignIn): Promise<AdminRow> {
  const { email, role, isEmailVerified } = input
  if (email === undefined)
    throw new Refusal('in_use', message`The provider did not share your e-mail address.`)
  const created = await insertAdmin(write, email, role)
  if (created) {
    await linkIdentity(write, input, created.id)
    await write.audit({ action: 'admins.create', id: created.id, after: created.row })
    return created
  }
  if (!isEmailVerified)
    throw new Refusal(
      'in_use',
      message`${email} is an administrator already, and the provider has not verified that this address is yours.`,
    )
  const present = await lockAdmin(write, email, 'lower(email) = lower(?)')
  if (present.disabled_at !== null) return present
  await linkIdentity(write, input, present.id)
  // A linked administrator signs in only through the provider, so their password sessions and password links end.
  await endSessionsAndLinks(write, present.id)
  const { id, row } = present
  await write.audit({ action: 'admins.link', id, before: row, after: row })
  return present
}

async function linkIdentity(write: Write, { issuer, subject }: SignIn, adminId: number): Promise<void> {
  const linked = await write.first(
    `INSERT INTO admin_identities (issuer, subject, admin_id) VALUES (?, ?, ?)
     ON CONFLICT (admin_id, issuer) DO NOTHING RETURNING admin_id`,
    [issuer, subject, adminId],
  )
  // If the administrator is linked to another identity, this e-mail address now belongs to a different person.
  if (!linked)
    throw new Refusal(
      'in_use',
      message`Another account at the provider already uses your e-mail address here.`,
    )
}
