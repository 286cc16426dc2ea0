// The mail queue in the database: a write adds a mail, a worker takes it when it is due and records the result. No
// Redis queue: that would hold links in the clear, and could send mail for a write that was undone. Several
// processes share it; one that dies loses nothing. The secret of a link is created when its mail is sent.
import type { Knex } from 'knex'
import { SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { noteTold } from './booking-mails.ts'
import { takeDueMail } from './due-mails.ts'
import { queueOffers } from './hold-mails.ts'
import { composeMail, type DueMail } from './messages.ts'
import { queueMonthlyReports } from './monthly-report.ts'
import { queueBookingMails } from './queue-booking-mails.ts'
import { queueReminders } from './reminders.ts'
import { type Mail, MailFailure, openSmtp } from './smtp.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DELAYS_SECONDS = [10, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR]

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

// Enough for somebody who asks again, and too few to flood a mailbox.
const SIGN_IN_MAILS_MAX = 3

/** A link to sign in, unless the person has just been sent some. The link is created when the mail is sent. */
export async function queueSignInMail(trx: Knex.Transaction, userId: number): Promise<void> {
  await trx.raw(
    `INSERT INTO mails (kind, user_id) SELECT 'sign-in', :userId
     WHERE (SELECT count(*) FROM mails WHERE user_id = :userId AND kind = 'sign-in'
       AND created_at > now() - interval '${SIGN_IN_LINK_MINUTES} minutes') < ${SIGN_IN_MAILS_MAX}`,
    { userId },
  )
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

function noteSent(database: Knex, { id, userId, about }: DueMail): Promise<void> {
  return database.transaction(async (trx) => {
    if (userId !== null && about && 'bookings' in about) await noteTold(trx, userId, about.bookings)
    await trx.raw('UPDATE mails SET sent_at = now(), next_at = NULL, error = NULL WHERE id = ?', [id])
  })
}

/** Returns whether the mail is given up. */
async function noteFailed(database: Knex, { id, attempts }: DueMail, { detail, isPermanent }: MailFailure) {
  const delay = isPermanent ? undefined : DELAYS_SECONDS[attempts - 1]
  await database.raw(
    `UPDATE mails SET error = ?, next_at = now() + CAST(? AS float8) * interval '1 second' WHERE id = ?`,
    [JSON.stringify(detail), delay ?? null, id],
  )
  return delay === undefined
}

const EVERY_MS = 2_000

/** Returns the function that stops the poller once a mail under way is sent. */
export function startMailPoller(
  database: Knex,
  { hasPeoplePages, ...settings }: MailSettings & { hasPeoplePages: boolean },
  log: Log,
): Poller {
  const send = openSmtp(settings)
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'the mail queue works again'),
    fault: 'the mail queue does not work',
    async work(isStopping) {
      await queueMonthlyReports(database)
      if (hasPeoplePages) await queuePersonMails(database, isStopping)
      while (!isStopping() && (await sendNext({ database, settings, send, log })));
    },
  })
}

async function queuePersonMails(database: Knex, isStopping: () => boolean): Promise<void> {
  await queueReminders(database)
  await queueOffers(database)
  while (!isStopping() && (await queueBookingMails(database)));
}

type Tools = { database: Knex; settings: MailSettings; send: (mail: Mail) => Promise<void>; log: Log }

/** Returns whether there was a mail. */
async function sendNext({ database, settings, send, log }: Tools): Promise<boolean> {
  const due = await takeDueMail(database)
  if (!due) return false
  const { id, kind, adminId, attempts } = due
  const about = { mail: id, kind, adminId, attempts }
  try {
    await send(composeMail(due, settings))
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    const isGivenUp = await noteFailed(database, due, error)
    log.warn({ ...about, code: error.code, isGivenUp }, 'a mail could not be sent')
    return true
  }
  await noteSent(database, due)
  log.info(about, 'mail sent')
  return true
}
