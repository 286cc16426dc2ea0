// The mail queue in the database: a write adds a mail, a worker takes it when it is due and records the result. No
// Redis queue: that would hold links in the clear, and could send mail for a write that was undone. Several
// processes share it; one that dies loses nothing. The secret of a link is created when its mail is sent.
import type { Knex } from 'knex'
import { SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { noteTold, type Told, takeBackTold } from './booking-mails.ts'
import { takeDueMail } from './due-mails.ts'
import { queueOffers } from './hold-mails.ts'
import { composeMail, type DueMail } from './messages.ts'
import { queueMonthlyReports } from './monthly-report.ts'
import { queueBookingMails } from './queue-booking-mails.ts'
import { queueReminders } from './reminders.ts'
import { MailFailure, openSmtp, type Send } from './smtp.ts'

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

/**
 * Before the server takes the mail, so that no other process sends it again if this one dies then. Fails if another process
 * has it meanwhile. Returns what takes the note back.
 */
function noteSent(database: Knex, { id, userId, about, attempts }: DueMail): Promise<Told | undefined> {
  return database.transaction(async (trx) => {
    const { rowCount } = await trx.raw(
      'UPDATE mails SET sent_at = now(), error = NULL WHERE id = ? AND attempts = ? AND sent_at IS NULL',
      [id, attempts],
    )
    if (rowCount !== 1) throw new Error('Another process sends this mail')
    if (userId !== null && about && 'bookings' in about) return noteTold(trx, userId, about.bookings)
    return undefined
  })
}

/** Returns whether the mail is given up. */
async function noteFailed(
  database: Knex,
  { id, attempts }: DueMail,
  { detail, isPermanent }: MailFailure,
  told: Told | undefined,
) {
  const delay = isPermanent ? undefined : DELAYS_SECONDS[attempts - 1]
  await database.transaction(async (trx) => {
    if (told) await takeBackTold(trx, told)
    await trx.raw(
      `UPDATE mails SET sent_at = NULL, error = ?, next_at = now() + CAST(? AS float8) * interval '1 second'
       WHERE id = ? AND attempts = ?`,
      [JSON.stringify(detail), delay ?? null, id, attempts],
    )
  })
  return delay === undefined
}

/** The turn of the person's next mail comes after this. Nobody learns what a server did that did not answer. */
const noteEnded = (database: Knex, condition: string, values: number[] = []) =>
  database.raw(
    `UPDATE mails SET next_at = NULL WHERE sent_at IS NOT NULL AND next_at IS NOT NULL AND ${condition}`,
    values,
  )

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
      // Of processes that have died.
      await noteEnded(database, 'next_at <= now()')
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

type Tools = { database: Knex; settings: MailSettings; send: Send; log: Log }

/** Returns whether there was a mail. */
async function sendNext({ database, settings, send, log }: Tools): Promise<boolean> {
  const due = await takeDueMail(database)
  if (!due) return false
  const { id, kind, adminId, attempts } = due
  const about = { mail: id, kind, adminId, attempts }
  let isHandedOver = false
  let told: Told | undefined
  try {
    await send(composeMail(due, settings), async () => {
      told = await noteSent(database, due)
      isHandedOver = true
    })
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    if (error.isAnswered || !isHandedOver) {
      const isGivenUp = await noteFailed(database, due, error, told)
      log.warn({ ...about, code: error.code, isGivenUp }, 'a mail could not be sent')
      return true
    }
    log.warn({ ...about, code: error.code }, 'the mail server did not say whether it has taken a mail')
  }
  await noteEnded(database, 'id = ?', [id])
  log.info(about, 'mail sent')
  return true
}
