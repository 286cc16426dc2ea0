// Sends due mails, several at a time, and records the results. Several processes can share the queue, and no mail is
// lost if one of them dies. A mail is recorded as sent before its last line is sent, so that it arrives at most once.
import type { Knex } from 'knex'
import { MailFailure, type SmtpConnection } from '../../../shared/mail/smtp.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { recordMailedAnswers } from './answer-mails.ts'
import { recordMailedBookings } from './booking-mails.ts'
import { takeDueMail } from './due-mails.ts'
import type { CountMails } from './mail-outcomes.ts'
import { composeMail, type DueMail } from './messages.ts'
import { MailOutage, POSTPONED_SECONDS } from './outage.ts'
import { queueNextMail, recordMailedMeeting } from './record-mailed-meeting.ts'

const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS
/** The delays before the next attempt, by the number of times that the mail server has refused the mail. */
const RETRY_DELAYS_SECONDS = [
  10,
  MINUTE_SECONDS,
  5 * MINUTE_SECONDS,
  30 * MINUTE_SECONDS,
  2 * HOUR_SECONDS,
  6 * HOUR_SECONDS,
  12 * HOUR_SECONDS,
  24 * HOUR_SECONDS,
]
// A mail about a meeting is tried until the meeting is over, because a calendar would stay wrong without it.
const delayOf = ({ tries, about }: DueMail): number | undefined =>
  RETRY_DELAYS_SECONDS[tries] ?? (about && 'meeting' in about ? 24 * HOUR_SECONDS : undefined)

export type SenderTools = {
  database: Knex
  settings: MailSettings
  smtp: SmtpConnection
  log: Log
  count: CountMails
}

/** Restores the record of what the recipient knew before the mail. */
type RestoreRecord = (trx: Knex.Transaction) => Promise<void>
/**
 * Whether the mail is recorded as sent. If recording fails, the state is `failed`, although Postgres may have committed
 * the record.
 */
type SentRecord = { state: 'none' | 'failed' | 'sent'; restoreRecord: RestoreRecord | undefined }

export class MailSender {
  readonly #tools: SenderTools
  readonly #outage: MailOutage
  readonly #refusals: FaultLog

  constructor(tools: SenderTools) {
    this.#tools = tools
    this.#outage = new MailOutage(tools.log)
    this.#refusals = new FaultLog(tools.log, 'the mail server takes mails again')
  }

  /** Whether the mail server accepted the last mail, or no mail has been tried yet. */
  get isServerUp(): boolean {
    return !this.#outage.isOn
  }

  /** Sends all due mails. Returns the pause before the next round if the mail server is unavailable. */
  async sendDue(isStopping: () => boolean): Promise<number | undefined> {
    const isOver = () => isStopping() || this.#outage.isOn
    // During an outage, a single mail tests whether the mail server is available again.
    if (!this.#outage.isOn || ((await this.#sendNext()) && !this.#outage.isOn)) {
      const lanes = Array.from({ length: this.#tools.smtp.connectionsMax }, async () => {
        while (!isOver() && (await this.#sendNext()));
      })
      const ended = await Promise.allSettled(lanes)
      for (const lane of ended) if (lane.status === 'rejected') throw lane.reason
    }
    return this.#outage.isOn ? this.#outage.pauseMs : undefined
  }

  /** Sends the next due mail. Returns whether there was one. */
  async #sendNext(): Promise<boolean> {
    const { database, settings, smtp, count } = this.#tools
    const due = await takeDueMail(database, (number) => count('dropped', number))
    if (!due) return false
    const note: SentRecord = { state: 'none', restoreRecord: undefined }
    try {
      await smtp.send(composeMail(due, settings), async () => {
        note.state = 'failed'
        await recordMailSent(database, due, note)
        note.state = 'sent'
      })
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error
      if (error.isAnswered || note.state !== 'sent') await this.#fail(due, error, note)
      else await this.#endUnanswered(due, error)
      return true
    }
    await recordMailEnded(database, due)
    await this.#outage.end(database, due)
    this.#refusals.over()
    this.#note(due, 'sent')
    return true
  }

  /**
   * Handles a mail server that did not respond to the last line. The outcome is unknown, so the mail counts as sent.
   */
  async #endUnanswered(due: DueMail, { code }: MailFailure) {
    await recordMailEnded(this.#tools.database, due)
    this.#tools.log.warn(
      { ...toLogFields(due), code },
      'the mail server did not say whether it has taken a mail',
    )
    this.#note(due, 'unanswered')
  }

  async #fail(due: DueMail, failure: MailFailure, { state, restoreRecord }: SentRecord) {
    const { database, log, count } = this.#tools
    const { code, detail, isOutage, isPermanent } = failure
    if (isOutage && !this.#outage.isSuspect(due)) {
      await returnMailToQueue(
        database,
        due,
        { detail, seconds: POSTPONED_SECONDS, isTry: false },
        restoreRecord,
      )
      await this.#outage.begin(database, due, failure)
      return count('postponed', 1)
    }
    // If another process has taken the mail, or if Postgres did not respond, the mail server has not refused the mail.
    const isTry = state !== 'failed'
    const seconds = isPermanent ? undefined : delayOf(due)
    await returnMailToQueue(database, due, { detail, seconds, isTry }, restoreRecord)
    const isGivenUp = seconds === undefined
    const about = { ...toLogFields(due), code, isGivenUp }
    if (isGivenUp) log.warn(about, NOT_SENT_MESSAGE)
    else this.#refusals.fault(failure, NOT_SENT_MESSAGE, about)
    count(isGivenUp ? 'given-up' : 'postponed', 1)
  }

  #note(due: DueMail, outcome: 'sent' | 'unanswered') {
    this.#tools.count(outcome, 1)
    this.#tools.log.info(toLogFields(due), 'mail sent')
  }
}

const NOT_SENT_MESSAGE = 'a mail could not be sent'

const toLogFields = ({ id, kind, adminId, tries }: DueMail) => ({ mail: id, kind, adminId, tries })

/**
 * Records the mail as sent before the mail server accepts it, so that no other process sends it again if this process
 * dies at that moment. Fails if another process has taken the mail. Notes what is needed to undo the record.
 */
function recordMailSent(
  database: Knex,
  { id, userId, invitationId, about, attempts }: DueMail,
  note: SentRecord,
): Promise<void> {
  return database.transaction(async (trx) => {
    const { rowCount } = await trx.raw(
      'UPDATE mails SET sent_at = now(), error = NULL WHERE id = ? AND attempts = ? AND sent_at IS NULL',
      [id, attempts],
    )
    if (rowCount !== 1) throw new Error('Another process sends this mail')
    if (userId !== null && about && 'bookings' in about)
      note.restoreRecord = await recordMailedBookings(trx, userId, about.bookings)
    if (about && 'meeting' in about) {
      note.restoreRecord = await recordMailedMeeting(trx, about.meeting)
      await queueNextMail(trx, invitationId, about.meeting)
    }
    if (about && 'answers' in about) note.restoreRecord = await recordMailedAnswers(trx, about.answers)
  })
}

type FailedSend = { detail: MailFailure['detail']; seconds: number | undefined; isTry: boolean }

/** Returns a mail to the queue. Berth tries the mail again after this many seconds, or never. */
function returnMailToQueue(
  database: Knex,
  { id, attempts }: DueMail,
  { detail, seconds, isTry }: FailedSend,
  restoreRecord: RestoreRecord | undefined,
): Promise<void> {
  return database.transaction(async (trx) => {
    const { rowCount } = await trx.raw(
      `UPDATE mails SET sent_at = NULL, error = ?, next_at = now() + CAST(? AS float8) * interval '1 second', tries = tries + ?
       WHERE id = ? AND attempts = ?`,
      [JSON.stringify(detail), seconds ?? null, Number(isTry), id, attempts],
    )
    if (rowCount === 1) await restoreRecord?.(trx)
  })
}

/** Marks a mail as done, so that the person's next mail can be sent. */
const recordMailEnded = (database: Knex, { id }: DueMail) =>
  database.raw('UPDATE mails SET next_at = NULL WHERE id = ? AND sent_at IS NOT NULL', [id])
