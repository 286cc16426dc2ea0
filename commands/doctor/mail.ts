// Checks whether the mail server accepts connections, whether mails leave, and whether offers, requests and screens work.
import type pg from 'pg'
import * as figures from '../../shared/mail/mail-figures.ts'
import { MailFailure, openSmtp } from '../../shared/mail/smtp.ts'
import { message } from '../../shared/messages/message.ts'
import { writeEnglish } from '../../shared/messages/write-message.ts'
import type { Config } from '../../shared/settings/config.ts'
import { queryRow, queryValue } from './connections.ts'
import { type Checks, type Finding, judge, problem, toFinding, type Verdict, warning } from './findings.ts'

const START = 'Start a worker with the queue upkeep, and with SMTP_URL (docs/operations.md, Mail).'
const LATE_SECONDS_MAX = 120
const NEWS_LATE_SECONDS_MAX = 1_800
const OVERDUE_SECONDS_MAX = 120

export type MailOptions = {
  mailTo?: string | undefined
  /** Postgres is that of a running `npm start`, whose mail settings other processes cannot read. */
  isOfNpmStart?: boolean
}

/** Sends a mail to `mailTo` if given; otherwise it only connects and signs in. */
export async function checkMailServer(
  { mail, peoplePages }: Pick<Config, 'mail' | 'peoplePages'>,
  { mailTo, isOfNpmStart = false }: MailOptions = {},
): Promise<Finding[]> {
  if (mail) return toFinding('mail server', await tryServer(mail, mailTo))
  if (isOfNpmStart) return toFinding('mail server', judgeUnknown(mailTo))
  const todo = 'Set SMTP_URL, MAIL_FROM and PUBLIC_URL for web, worker and hooks, or pass links on by hand.'
  const isExpected = peoplePages || mailTo !== undefined
  return toFinding('mail server', isExpected ? warning('none is set: nobody gets mail', todo) : 'none is set')
}

function judgeUnknown(mailTo: string | undefined): Verdict {
  const says = 'not tested: SMTP_URL is not set here, and that of the running npm start is unknown'
  if (mailTo === undefined) return says
  return warning(says, 'Set SMTP_URL, MAIL_FROM and PUBLIC_URL here too, or in the file .env.')
}

async function tryServer(mail: NonNullable<Config['mail']>, mailTo: string | undefined): Promise<Verdict> {
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
    return problem(says, 'Correct SMTP_URL or the mail server (docs/operations/alerts/mail-server-away.md).')
  } finally {
    await smtp.close()
  }
}

const TEST_MAIL = {
  subject: 'A mail from Berth',
  text: 'Somebody tested with “npm run doctor” whether Berth can send mail. It can.\n',
}

type Facts = {
  isMailed: boolean
  expiring: number
  others: number
  due: number
  givenUp: number
  untold: number
  overdue: number
  silent: number
}

const oldest = (turns: number[]) =>
  `greatest(0, ${turns.map((turn) => `(${figures.oldestDueMail(turn)})`).join(', ')})`

const FACTS = `
  SELECT ${oldest([0])} AS expiring, ${oldest([1, 2])} AS others, (${figures.MAILS_DUE}) AS due,
    (${figures.MAILS_GIVEN_UP}) AS "givenUp", (${figures.OFFERS_UNTOLD}) AS untold,
    coalesce((${figures.HOLDS_OVERDUE}), 0) AS overdue, (${figures.SCREENS_SILENT}) AS silent`

export async function checkMailQueue(
  pool: pg.Pool,
  { mail, peoplePages }: Pick<Config, 'mail' | 'peoplePages'>,
): Promise<Finding[]> {
  // Another check reports pending migrations.
  if (!(await queryValue<boolean>(pool, "SELECT to_regclass('person_languages') IS NOT NULL"))) return []
  const facts = await queryRow<Omit<Facts, 'isMailed'>>(pool, FACTS)
  return judge(CHECKS, { ...facts, isMailed: mail !== undefined && peoplePages })
}

const seconds = (number: number) => `${Math.round(number)} s`

const CHECKS: Checks<Facts> = {
  mails: ({ expiring, others, due, givenUp }) => {
    if (expiring > LATE_SECONDS_MAX)
      return problem(`${due} are due; one that expires has been due for ${seconds(expiring)}`, START)
    if (others > NEWS_LATE_SECONDS_MAX)
      return warning(`${due} are due; the oldest has been due for ${seconds(others)}`, START)
    if (givenUp === 0) return due === 0 ? 'none is due' : `${due} are due`
    const todo =
      'The log of the worker says why: a mail could not be sent (docs/operations/alerts/mails-given-up.md).'
    return warning(`${givenUp} of the last day were refused for good`, todo)
  },
  offers: ({ isMailed, untold }) => {
    if (!isMailed) return undefined
    if (untold === 0) return 'nobody has missed one'
    return warning(`${untold} were not mailed to the people who have them`, START)
  },
  'offers and requests': ({ overdue }) =>
    overdue <= OVERDUE_SECONDS_MAX
      ? 'lapse in time'
      : problem(`one should have lapsed ${seconds(overdue)} ago, and keeps its place`, START),
  screens: ({ silent }) =>
    silent === 0
      ? 'none has gone silent'
      : warning(
          `${silent} have gone silent`,
          'See Places, Screens in the dashboard. Turn the tablets on, or switch off screens that nobody uses.',
        ),
}
