// Queues mails in the transactions that cause them: a mail is sent if its transaction commits, and not if the
// transaction is rolled back. The queue is not in Redis, which would store links in plain text. send-mails.ts sends the
// mails, and only then creates the secret of a link.
import type { Knex } from 'knex'

/** Queues a mail with a link for an administrator. */
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
 * Queues a mail with a sign-in link. The gateway limits how many links people can request. `language` is the language
 * of the page, for people who have not chosen a language.
 */
export async function queueSignInMail(
  trx: Knex.Transaction,
  { userId, language = null }: { userId: number; language?: string | null | undefined },
): Promise<void> {
  await trx.raw("INSERT INTO mails (kind, user_id, language) VALUES ('sign-in', ?, ?)", [userId, language])
}

/** Queues one mail to each owner who can sign in. */
export async function queueWebhookMails(trx: Knex.Transaction, webhookId: number): Promise<void> {
  await trx.raw(
    `INSERT INTO mails (kind, admin_id, webhook_id)
     SELECT 'webhook-disabled', id, ? FROM admins WHERE role = 'owner' AND disabled_at IS NULL`,
    [webhookId],
  )
}

/** Queues a mail to the host of a visitor. Queues only one mail for each arrival. */
export async function queueArrivalMail(trx: Knex.Transaction, arrivalId: number): Promise<void> {
  await trx.raw("INSERT INTO mails (kind, arrival_id) VALUES ('arrival', ?) ON CONFLICT DO NOTHING", [
    arrivalId,
  ])
}
