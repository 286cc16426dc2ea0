// The mail queue in the database: a write adds a mail, a worker takes it when it is due and records the result. No
// Redis queue: that would hold links in the clear, and could send mail for a write that was undone. Several
// processes share it; one that dies loses nothing. The secret of a link is created when its mail is sent.
import { createHash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { SIGN_IN_LINK_MINUTES } from '../../../shared/people/people.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { composeMail, type DueMail } from './messages.ts'
import { queueMonthlyReports, readMonthlyReport } from './monthly-report.ts'
import { type Mail, MailFailure, openSmtp } from './smtp.ts'

// Longer than an attempt may take: after that its process is dead, and another one may try.
const LEASE = "interval '2 minutes'"
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

// Later it tells the host nothing new.
const ARRIVAL_KEPT = "interval '2 hours'"

const ARRIVALS = `
  SELECT hosts.email, json_build_object('visitor', coalesce(visitor_name, event_attendees.email, guest_name, guest_email),
    'event', events.name, 'at', to_char(arrived_at AT TIME ZONE buildings.timezone, 'HH24:MI'),
    'building', buildings.name) AS arrival
  FROM arrivals
  LEFT JOIN event_attendees ON event_attendees.id = attendee_id
  LEFT JOIN events ON events.id = event_attendees.event_id
  LEFT JOIN bookings
    ON bookings.id = coalesce(booking_id, (SELECT min(id) FROM bookings AS rooms WHERE rooms.event_id = events.id))
  LEFT JOIN bookables ON bookables.id = bookings.bookable_id
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = coalesce(arrivals.building_id, locations.building_id)
  JOIN users AS hosts ON hosts.id = coalesce(host_id, organizer_user_id, bookings.user_id)
  WHERE arrivals.id = taken.arrival_id AND hosts.deactivated_at IS NULL AND arrived_at > now() - ${ARRIVAL_KEPT}`

const TAKE = `
  WITH due AS (
    SELECT id FROM mails WHERE next_at <= now() ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE mails SET attempts = attempts + 1, next_at = now() + ${LEASE} FROM due WHERE mails.id = due.id
    RETURNING mails.*
  )
  SELECT taken.id, taken.kind, taken.message, taken.attempts, admins.id AS "adminId", admins.role,
    coalesce(admins.email, told.email, people.email) AS email, told.arrival, taken.user_id AS "userId",
    coalesce(person_settings.language, 'en') AS "personLanguage",
    to_char(taken.month, 'YYYY-MM-DD') AS month, monthly_report_mails.language,
    taken.link_hash AS "linkHash", admin_links.expires_at AS "linkUntil",
    CASE WHEN webhooks.id IS NOT NULL THEN json_build_object('id', webhooks.id, 'url', webhooks.url,
      'description', webhooks.description, 'reason', webhooks.disabled_reason) END AS webhook,
    CASE WHEN taken.arrival_id IS NOT NULL THEN told.email IS NOT NULL
      WHEN taken.user_id IS NOT NULL THEN people.deactivated_at IS NULL
        AND taken.created_at > now() - interval '${SIGN_IN_LINK_MINUTES} minutes'
      ELSE admins.disabled_at IS NULL AND coalesce(admin_links.expires_at > now(), true)
        AND NOT coalesce(webhooks.enabled, false)
        AND (taken.month IS NULL OR monthly_report_mails.language IS NOT NULL AND admins.role <> 'reader') END AS wanted
  FROM taken LEFT JOIN admins ON admins.id = taken.admin_id
  LEFT JOIN users AS people ON people.id = taken.user_id
  LEFT JOIN person_settings ON person_settings.user_id = taken.user_id
  LEFT JOIN LATERAL (${ARRIVALS}) AS told ON true
  LEFT JOIN admin_links ON admin_links.hash = taken.link_hash
  LEFT JOIN webhooks ON webhooks.id = taken.webhook_id
  LEFT JOIN monthly_report_mails ON monthly_report_mails.admin_id = admins.id`

type TakenRow = Omit<DueMail, 'secret' | 'report'> & {
  linkHash: Buffer | null
  wanted: boolean
  /** Of a monthly report. */
  month: string | null
  language: string
}

/** Takes the mail that has waited longest; undefined if none is due. Deletes obsolete mails on the way. */
export async function takeDueMail(database: Knex): Promise<DueMail | undefined> {
  for (;;) {
    const taken = await database.transaction(async (trx) => {
      const { rows } = await trx.raw(TAKE)
      const [row] = rows as TakenRow[]
      if (!row) return undefined
      const { wanted, linkHash, month, language, ...mail } = row
      if (!wanted) {
        await trx('mails').where({ id: mail.id }).delete()
        return 'unwanted'
      }
      const secret =
        mail.userId !== null
          ? await createSignInLink(trx, mail.userId)
          : linkHash && mail.adminId !== null
            ? await createLink(trx, mail.adminId, linkHash)
            : undefined
      const report = month === null ? undefined : await readMonthlyReport(trx, month, language)
      return { ...mail, secret, report }
    })
    if (taken !== 'unwanted') return taken
  }
}

// Creates another link in addition to the one on the page, with the same expiry; using one ends both. Links
// of earlier attempts stay valid, because one of those mails may have arrived after all.
async function createLink(trx: Knex.Transaction, adminId: number, shown: Buffer): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await trx.raw(
    `INSERT INTO admin_links (hash, admin_id, expires_at)
     SELECT ?, ?, expires_at FROM admin_links WHERE hash = ?`,
    [createHash('sha256').update(secret).digest(), adminId, shown],
  )
  return secret
}

async function createSignInLink(trx: Knex.Transaction, userId: number): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await trx.raw(
    `INSERT INTO sign_in_links (hash, user_id, expires_at)
     VALUES (?, ?, now() + interval '${SIGN_IN_LINK_MINUTES} minutes')`,
    [createHash('sha256').update(secret).digest(), userId],
  )
  return secret
}

async function noteSent(database: Knex, { id }: DueMail): Promise<void> {
  await database.raw('UPDATE mails SET sent_at = now(), next_at = NULL, error = NULL WHERE id = ?', [id])
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
export function startMailPoller(database: Knex, settings: MailSettings, log: Log): Poller {
  const send = openSmtp(settings)
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'the mail queue works again'),
    fault: 'the mail queue does not work',
    async work(isStopping) {
      await queueMonthlyReports(database)
      while (!isStopping() && (await sendNext({ database, settings, send, log })));
    },
  })
}

type Tools = { database: Knex; settings: MailSettings; send: (mail: Mail) => Promise<void>; log: Log }

/** Returns whether there was a mail. */
async function sendNext({ database, settings, send, log }: Tools): Promise<boolean> {
  const due = await takeDueMail(database)
  if (!due) return false
  const { id, kind, adminId, attempts } = due
  const about = { mail: id, kind, adminId, attempts }
  try {
    await send(composeMail(due, settings.publicUrl))
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
