// The pollers for mail: one queues mails to people and administrators, the other sends them. Queueing never waits for sending.
import type { Knex } from 'knex'
import { openSmtp } from '../../../shared/mail/smtp.ts'
import type { Config, MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { queueOffers } from './hold-mails.ts'
import { dropLateMails, takeBackFromEarlierRelease } from './late-mails.ts'
import type { CountMails, MailObserver } from './mail-outcomes.ts'
import { queueMonthlyReports } from './monthly-report.ts'
import { noteSender, queueBookingMails, skipChanges } from './queue-booking-mails.ts'
import { queueReminders } from './reminders.ts'
import { MailSender } from './send-mails.ts'

const EVERY_MS = 2_000
// Offers and reminders get their turn between the pages of a long list of changes.
const CHANGES_MS_MAX = 1_000
const SKIP_EVERY_MS = 10_000

type Settings = Pick<Config, 'mail' | 'peoplePages'>

/** Returns a function that stops the pollers after the mails under way are sent. */
export function startMailPollers(
  database: Knex,
  { mail, peoplePages }: Settings,
  log: Log,
  observer?: MailObserver,
): Poller[] {
  const pollers = mail
    ? [queueMails(database, peoplePages, log, observer), sendMails(database, mail, log, observer)]
    : []
  return mail && peoplePages ? pollers : [...pollers, skipUnsentChanges(database, log)]
}

function queueMails(
  database: Knex,
  hasPeoplePages: boolean,
  log: Log,
  observer: MailObserver | undefined,
): Poller {
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'mails are queued again'),
    fault: 'mails cannot be queued',
    async work(isStopping) {
      await queueMonthlyReports(database)
      await endMailsOfDeadProcesses(database)
      await takeBackFromEarlierRelease(database)
      const dropped = await dropLateMails(database)
      if (dropped > 0) {
        observer?.count('dropped', dropped)
        log.info({ dropped }, 'late confirmations dropped')
      }
      return hasPeoplePages && (await queuePersonMails(database, isStopping)) ? 0 : EVERY_MS
    },
  })
}

/** Returns whether there are more changes. */
async function queuePersonMails(database: Knex, isStopping: () => boolean): Promise<boolean> {
  await noteSender(database)
  await queueReminders(database)
  await queueOffers(database)
  const untilMs = performance.now() + CHANGES_MS_MAX
  while (!isStopping() && (await queueBookingMails(database))) if (performance.now() > untilMs) return true
  return false
}

/** Ends the mails that a process sent before it died, so that the next mails to the same people can leave. */
const endMailsOfDeadProcesses = (database: Knex) =>
  database.raw(
    'UPDATE mails SET next_at = NULL WHERE sent_at IS NOT NULL AND next_at IS NOT NULL AND next_at <= now()',
  )

function sendMails(
  database: Knex,
  settings: MailSettings,
  log: Log,
  observer: MailObserver | undefined,
): Poller {
  const smtp = openSmtp(settings)
  const count: CountMails = (outcome, number) => observer?.count(outcome, number)
  const sender = new MailSender({ database, settings, smtp, log, count })
  observer?.showServer(() => sender.isServerUp)
  const poller = poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'the mail queue works again'),
    fault: 'the mail queue does not work',
    work: (isStopping) => sender.sendDue(isStopping),
  })
  return {
    async stop() {
      await poller.stop()
      await smtp.close()
    },
  }
}

/** Without it, a process that later starts with a mail server would mail people about all earlier changes. */
function skipUnsentChanges(database: Knex, log: Log): Poller {
  let isSkipping = false
  return poll({
    everyMs: SKIP_EVERY_MS,
    faults: new FaultLog(log, 'changes are left out of mails again'),
    fault: 'changes cannot be left out of mails',
    isFirstAtOnce: true,
    async work() {
      const wasSent = await skipChanges(database)
      if (wasSent && !isSkipping)
        log.warn('no process sends mail to people any more: nobody gets mail about the changes made now')
      isSkipping = wasSent !== undefined
      return undefined
    },
  })
}
