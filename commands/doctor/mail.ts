// Checks whether the mail server accepts connections, whether mails are sent, and whether offers, booking requests and
// screens work.
import type pg from 'pg'
import * as figures from '../../shared/mail/mail-figures.ts'
import { getMailboxName, MailboxFailure, openMailbox } from '../../shared/mail/mailbox.ts'
import { MailFailure, openSmtp } from '../../shared/mail/smtp.ts'
import { message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import type { AnswerSettings } from '../../shared/settings/answers.ts'
import type { Config } from '../../shared/settings/config.ts'
import { queryRow, queryValue } from './connections.ts'
import {
  type CheckResult,
  checkFacts,
  createProblem,
  createWarning,
  type FactChecks,
  type Finding,
  toFindings,
} from './findings.ts'

const START_WORKER_HINT =
  'Start a worker with the queue upkeep, and with SMTP_URL (docs/operations.md, Mail).'
const LATE_SECONDS_MAX = 120
const UPDATES_LATE_SECONDS_MAX = 1_800
const OVERDUE_SECONDS_MAX = 120

export type MailOptions = {
  mailTo?: string | undefined
  /** Whether Postgres belongs to a running `npm start`, whose mail settings other processes cannot read. */
  isOfNpmStart?: boolean
}

/** Sends a mail to `mailTo` if it is given. Otherwise only connects and signs in. */
export async function checkMailServer(
  { mail, peoplePages }: Pick<Config, 'mail' | 'peoplePages'>,
  { mailTo, isOfNpmStart = false }: MailOptions = {},
): Promise<Finding[]> {
  if (mail)
    return [
      ...toFindings('mail server', await tryMailServer(mail, mailTo)),
      ...(mail.answers ? toFindings('mailbox for answers', await tryMailbox(mail.answers)) : []),
    ]
  if (isOfNpmStart) return toFindings('mail server', describeUntested(mailTo))
  const todo = 'Set SMTP_URL, MAIL_FROM and PUBLIC_URL for web, worker and hooks, or pass links on by hand.'
  const isExpected = peoplePages || mailTo !== undefined
  return toFindings(
    'mail server',
    isExpected ? createWarning('none is set, so nobody gets mail', todo) : 'none is set',
  )
}

function describeUntested(mailTo: string | undefined): CheckResult {
  const says = 'not tested: SMTP_URL is not set here, and that of the running npm start is unknown'
  if (mailTo === undefined) return says
  return createWarning(says, 'Set SMTP_URL, MAIL_FROM and PUBLIC_URL here too, or in the file .env.')
}

async function tryMailServer(
  mail: NonNullable<Config['mail']>,
  mailTo: string | undefined,
): Promise<CheckResult> {
  const { host } = new URL(mail.smtpUrl)
  const smtp = openSmtp(mail)
  try {
    if (mailTo === undefined) {
      await smtp.verify()
      return `${host} accepts connections`
    }
    await smtp.send({ to: mailTo, ...TEST_MAIL, message: `doctor-${Date.now()}` }, async () => undefined)
    return `${host} accepted a mail to ${mailTo}`
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    const says = writeEnglish(message`${host}: ${error.detail} (${error.code})`)
    return createProblem(
      says,
      'Correct SMTP_URL or the mail server (docs/operations/alerts/mail-server-away.md).',
    )
  } finally {
    await smtp.close()
  }
}

async function tryMailbox(answers: AnswerSettings): Promise<CheckResult> {
  const name = getMailboxName(answers)
  try {
    const mailbox = await openMailbox(answers)
    await mailbox.close()
    if (!mailbox.isReadOnly) return `${name} can be read`
    return createWarning(
      `${name} can be read, but not changed`,
      'Let the user of MAIL_ANSWERS mark mails as read, so that people see which answers Berth has applied.',
    )
  } catch (error) {
    if (!(error instanceof MailboxFailure)) throw error
    const says = writeEnglish(message`${name}: ${error.detail} (${error.reason})`)
    return createProblem(says, 'Correct MAIL_ANSWERS or the mailbox (docs/operations.md, Answers by mail).')
  }
}

const TEST_MAIL = {
  subject: 'A mail from Berth',
  text: 'Somebody ran “npm run doctor” to test whether Berth can send mail. It can.\n',
}

type MailFacts = {
  isMailed: boolean
  expiring: number
  others: number
  due: number
  givenUp: number
  notMailed: number
  overdue: number
  silent: number
}

const oldestMailAgeSql = (turns: number[]) =>
  `greatest(0, ${turns.map((turn) => `(${figures.oldestDueMailAgeSql(turn)})`).join(', ')})`

const MAIL_FACTS_SQL = `
  SELECT ${oldestMailAgeSql([0])} AS expiring, ${oldestMailAgeSql([1, 2])} AS others, (${figures.MAILS_DUE_SQL}) AS due,
    (${figures.MAILS_GIVEN_UP_SQL}) AS "givenUp", (${figures.OFFERS_NOT_MAILED_SQL}) AS "notMailed",
    coalesce((${figures.HOLDS_OVERDUE_SQL}), 0) AS overdue, (${figures.SCREENS_SILENT_SQL}) AS silent`

export async function checkMailQueue(
  pool: pg.Pool,
  { mail, peoplePages }: Pick<Config, 'mail' | 'peoplePages'>,
): Promise<Finding[]> {
  // Skips the check if migrations are pending, which another check reports.
  if (!(await queryValue<boolean>(pool, "SELECT to_regclass('person_languages') IS NOT NULL"))) return []
  const facts = await queryRow<Omit<MailFacts, 'isMailed'>>(pool, MAIL_FACTS_SQL)
  return checkFacts(MAIL_CHECKS, { ...facts, isMailed: mail !== undefined && peoplePages })
}

const formatSeconds = (number: number) => `${Math.round(number)} s`

const MAIL_CHECKS: FactChecks<MailFacts> = {
  mails: ({ expiring, others, due, givenUp }) => {
    if (expiring > LATE_SECONDS_MAX)
      return createProblem(
        `${due} are due; one that expires has been due for ${formatSeconds(expiring)}`,
        START_WORKER_HINT,
      )
    if (others > UPDATES_LATE_SECONDS_MAX)
      return createWarning(
        `${due} are due; the oldest has been due for ${formatSeconds(others)}`,
        START_WORKER_HINT,
      )
    if (givenUp === 0) return due === 0 ? 'none is due' : `${due} are due`
    const todo =
      'The worker’s log says why the mails could not be sent (docs/operations/alerts/mails-given-up.md).'
    return createWarning(`${givenUp} of the last day were permanently refused`, todo)
  },
  offers: ({ isMailed, notMailed }) => {
    if (!isMailed) return undefined
    if (notMailed === 0) return 'nobody has missed one'
    return createWarning(`${notMailed} were not mailed to the people they are for`, START_WORKER_HINT)
  },
  'offers and requests': ({ overdue }) =>
    overdue <= OVERDUE_SECONDS_MAX
      ? 'lapse in time'
      : createProblem(
          `one should have lapsed ${formatSeconds(overdue)} ago, and still holds its place`,
          START_WORKER_HINT,
        ),
  screens: ({ silent }) =>
    silent === 0
      ? 'none has gone silent'
      : createWarning(
          `${silent} have gone silent`,
          'See Places, Screens in the dashboard. Turn the tablets on, or switch off screens that nobody uses.',
        ),
}
