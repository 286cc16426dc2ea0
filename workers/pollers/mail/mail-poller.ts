// The pollers for mail: one queues mails to people and administrators, one sends them, and one reads answers to
// invitations. They never wait for each other.
import type { Knex } from 'knex'
import { openSmtp } from '../../../shared/mail/smtp.ts'
import type { AnswerSettings } from '../../../shared/settings/answers.ts'
import type { Config, MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../../shared/utilities/poller.ts'
import { startAnswerPoller } from '../answers/answer-poller.ts'
import { queueOffers } from './hold-mails.ts'
import { dropLateMails, takeBackMailsFromEarlierRelease } from './late-mails.ts'
import type { CountMails, MailObserver } from './mail-outcomes.ts'
import { queueMonthlyReports } from './monthly-report.ts'
import { queueBookingMails, recordSender, skipChanges } from './queue-booking-mails.ts'
import { queueReminders } from './reminders.ts'
import { MailSender } from './send-mails.ts'

const POLL_INTERVAL_MS = 2_000
// The limit on the time spent on a long list of changes, so that offers and reminders are queued in between.
const QUEUE_CHANGES_MS_MAX = 1_000
const SKIP_INTERVAL_MS = 10_000

type MailPollerSettings = Pick<Config, 'mail' | 'peoplePages'>

/** Starts the pollers. Returns a function that stops them after the mails under way are sent. */
export function startMailPollers(
  database: Knex,
  { mail, peoplePages }: MailPollerSettings,
  log: Log,
  observer?: MailObserver,
): Poller[] {
  const pollers = mail
    ? [startQueuePoller(database, peoplePages, log, observer), startSendPoller(database, mail, log, observer)]
    : []
  if (mail?.answers) pollers.push(readAnswers(database, mail, mail.answers, log, observer))
  return mail && peoplePages ? pollers : [...pollers, startSkipPoller(database, log)]
}

function startQueuePoller(
  database: Knex,
  hasPeoplePages: boolean,
  log: Log,
  observer: MailObserver | undefined,
): Poller {
  return startPolling({
    everyMs: POLL_INTERVAL_MS,
    faults: new FaultLog(log, 'mails are queued again'),
    fault: 'mails cannot be queued',
    async work(isStopping) {
      await queueMonthlyReports(database)
      await endMailsOfDeadProcesses(database)
      await takeBackMailsFromEarlierRelease(database)
      const dropped = await dropLateMails(database)
      if (dropped > 0) {
        observer?.count('dropped', dropped)
        log.info({ dropped }, 'late confirmations dropped')
      }
      return hasPeoplePages && (await queuePersonMails(database, isStopping)) ? 0 : POLL_INTERVAL_MS
    },
  })
}

/** Queues mails to people. Returns whether there are more changes. */
async function queuePersonMails(database: Knex, isStopping: () => boolean): Promise<boolean> {
  await recordSender(database)
  await queueReminders(database)
  await queueOffers(database)
  const untilMs = performance.now() + QUEUE_CHANGES_MS_MAX
  while (!isStopping() && (await queueBookingMails(database))) if (performance.now() > untilMs) return true
  return false
}

/**
 * Completes the mails that a process had sent before it died, so that the next mails to the same people can be sent.
 */
const endMailsOfDeadProcesses = (database: Knex) =>
  database.raw(
    'UPDATE mails SET next_at = NULL WHERE sent_at IS NOT NULL AND next_at IS NOT NULL AND next_at <= now()',
  )

function startSendPoller(
  database: Knex,
  settings: MailSettings,
  log: Log,
  observer: MailObserver | undefined,
): Poller {
  const smtp = openSmtp(settings)
  const count: CountMails = (outcome, number) => observer?.count(outcome, number)
  const sender = new MailSender({ database, settings, smtp, log, count })
  observer?.showServer(() => sender.isServerUp)
  const poller = startPolling({
    everyMs: POLL_INTERVAL_MS,
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

const readAnswers = (
  database: Knex,
  { publicUrl }: MailSettings,
  settings: AnswerSettings,
  log: Log,
  observer: MailObserver | undefined,
): Poller =>
  startAnswerPoller({
    database,
    settings,
    baseUrl: publicUrl,
    log,
    count: (outcome) => observer?.countAnswer(outcome),
    showMailbox: (isUp) => observer?.showMailbox(isUp),
  })

/**
 * Skips changes while Berth sends no mail. Otherwise a process that later starts with a mail server would send people
 * mails about all earlier changes.
 */
function startSkipPoller(database: Knex, log: Log): Poller {
  let isSkipping = false
  return startPolling({
    everyMs: SKIP_INTERVAL_MS,
    faults: new FaultLog(log, 'changes are left out of mails again'),
    fault: 'changes cannot be left out of mails',
    isFirstAtOnce: true,
    async work() {
      const wasSent = await skipChanges(database)
      if (wasSent && !isSkipping)
        log.warn('no process sends mail to people any more; changes made now cause no mail')
      isSkipping = wasSent !== undefined
      return undefined
    },
  })
}
