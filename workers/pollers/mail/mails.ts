// Queues mails in the transactions that cause them: a mail is sent if that commits, and not if it is rolled back. No Redis queue:
// that would hold links in the clear. send-mails.ts sends them, and creates the secret of a link only then.
import type { Knex } from 'knex'

/** In the write's transaction: the mail is sent if that commits, and not if it is rolled back. */
export async function queueLinkMail(
  trx: Knex.Transaction,
  kind: 'invitation' | 'password',
  { adminId, hash }: { adminId: number; hash: string },
): Promise<void> {
  await trx.raw("INSERT INTO mails (kind, admin_id, link_hash) VALUES (?, ?, decode(?, 'hex'))", [
    kind,
    adminId,
    hash,
  ])
}

/**
 * Queues a mail with a link to sign in. The gateway limits how many links people can request. `language` is that of the page,
 * for people who have none yet.
 */
export async function queueSignInMail(
  trx: Knex.Transaction,
  { userId, language = null }: { userId: number; language?: string | null | undefined },
): Promise<void> {
  await trx.raw("INSERT INTO mails (kind, user_id, language) VALUES ('sign-in', ?, ?)", [userId, language])
}

/** One mail to each owner who can sign in. */
export async function queueWebhookMails(trx: Knex.Transaction, webhookId: number): Promise<void> {
  await trx.raw(
    `INSERT INTO mails (kind, admin_id, webhook_id)
     SELECT 'webhook-disabled', id, ? FROM admins WHERE role = 'owner' AND disabled_at IS NULL`,
    [webhookId],
  )
}

/** To the host of a visitor, once for each arrival. */
export async function queueArrivalMail(trx: Knex.Transaction, arrivalId: number): Promise<void> {
  await trx.raw("INSERT INTO mails (kind, arrival_id) VALUES ('arrival', ?) ON CONFLICT DO NOTHING", [
    arrivalId,
  ])
}
