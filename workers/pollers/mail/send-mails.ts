// Sends the mails that are due, several at a time, and records the results. Several processes share the queue; one that dies
// loses nothing. A mail is recorded as sent before its last line leaves, so that it arrives at most once.
import type { Knex } from 'knex'
import { MailFailure, type Smtp } from '../../../shared/mail/smtp.ts'
import type { MailSettings } from '../../../shared/settings/config.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { noteTold, type Told, takeBackTold } from './booking-mails.ts'
import { takeDueMail } from './due-mails.ts'
import type { CountMails } from './mail-outcomes.ts'
import { composeMail, type DueMail } from './messages.ts'
import { Outage, POSTPONED_SECONDS } from './outage.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
/** The delay by the number of times that the server has refused the mail. */
const DELAYS_SECONDS = [10, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR]

export type SenderTools = {
  database: Knex
  settings: MailSettings
  smtp: Smtp
  log: Log
  count: CountMails
}

/** Whether the mail is recorded as sent, and what its person knew before. */
type Note = { state: 'none' | 'failed' | 'sent'; told: Told | undefined }

export class MailSender {
  readonly #tools: SenderTools
  readonly #outage: Outage
  readonly #refusals: FaultLog

  constructor(tools: SenderTools) {
    this.#tools = tools
    this.#outage = new Outage(tools.log)
    this.#refusals = new FaultLog(tools.log, 'the mail server takes mails again')
  }

  /** Whether the server took the last mail, or none has been tried. */
  get isServerUp(): boolean {
    return !this.#outage.isOn
  }

  /** Sends all due mails. Returns the pause before the next round if the server is away. */
  async sendDue(isStopping: () => boolean): Promise<number | undefined> {
    const isOver = () => isStopping() || this.#outage.isOn
    // After an outage, a single mail tries whether the server is back.
    if (!this.#outage.isOn || ((await this.#sendNext()) && !this.#outage.isOn)) {
      const lanes = Array.from({ length: this.#tools.smtp.connectionsMax }, async () => {
        while (!isOver() && (await this.#sendNext()));
      })
      const ended = await Promise.allSettled(lanes)
      for (const lane of ended) if (lane.status === 'rejected') throw lane.reason
    }
    return this.#outage.isOn ? this.#outage.pauseMs : undefined
  }

  /** Returns whether there was a mail. */
  async #sendNext(): Promise<boolean> {
    const { database, settings, smtp, count } = this.#tools
    const due = await takeDueMail(database, (number) => count('dropped', number))
    if (!due) return false
    const note: Note = { state: 'none', told: undefined }
    try {
      await smtp.send(composeMail(due, settings), async () => {
        note.state = 'failed'
        note.told = await noteSent(database, due)
        note.state = 'sent'
      })
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error
      if (error.isAnswered || note.state !== 'sent') await this.#fail(due, error, note)
      else await this.#endUnanswered(due, error)
      return true
    }
    await noteEnded(database, due)
    await this.#outage.end(database, due)
    this.#refusals.over()
    this.#note(due, 'sent')
    return true
  }

  /** If the server does not answer, the outcome stays unknown, so the mail counts as sent. */
  async #endUnanswered(due: DueMail, { code }: MailFailure) {
    await noteEnded(this.#tools.database, due)
    this.#tools.log.warn({ ...aboutOf(due), code }, 'the mail server did not say whether it has taken a mail')
    this.#note(due, 'unanswered')
  }

  async #fail(due: DueMail, failure: MailFailure, { state, told }: Note) {
    const { database, log, count } = this.#tools
    const { code, detail, isOutage, isPermanent } = failure
    if (isOutage && !this.#outage.isSuspect(due)) {
      await putBack(database, due, { detail, seconds: POSTPONED_SECONDS, isTry: false }, told)
      await this.#outage.begin(database, due, failure)
      return count('postponed', 1)
    }
    // The server has not refused it if another process has it, or Postgres did not answer.
    const isTry = state !== 'failed'
    const seconds = isPermanent ? undefined : DELAYS_SECONDS[due.tries]
    await putBack(database, due, { detail, seconds, isTry }, told)
    const isGivenUp = seconds === undefined
    const about = { ...aboutOf(due), code, isGivenUp }
    if (isGivenUp) log.warn(about, COULD_NOT)
    else this.#refusals.fault(failure, COULD_NOT, about)
    count(isGivenUp ? 'given-up' : 'postponed', 1)
  }

  #note(due: DueMail, outcome: 'sent' | 'unanswered') {
    this.#tools.count(outcome, 1)
    this.#tools.log.info(aboutOf(due), 'mail sent')
  }
}

const COULD_NOT = 'a mail could not be sent'

const aboutOf = ({ id, kind, adminId, tries }: DueMail) => ({ mail: id, kind, adminId, tries })

/**
 * Runs before the server takes the mail, so that no other process sends it again if this one dies then. Fails if another process
 * has taken it meanwhile. Returns what is needed to take the record back.
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

type Failed = { detail: MailFailure['detail']; seconds: number | undefined; isTry: boolean }

/** Berth tries the mail again after this many seconds, or never. */
function putBack(
  database: Knex,
  { id, attempts }: DueMail,
  { detail, seconds, isTry }: Failed,
  told: Told | undefined,
): Promise<void> {
  return database.transaction(async (trx) => {
    if (told) await takeBackTold(trx, told)
    await trx.raw(
      `UPDATE mails SET sent_at = NULL, error = ?, next_at = now() + CAST(? AS float8) * interval '1 second', tries = tries + ?
       WHERE id = ? AND attempts = ?`,
      [JSON.stringify(detail), seconds ?? null, Number(isTry), id, attempts],
    )
  })
}

/** Lets the person's next mail leave. */
const noteEnded = (database: Knex, { id }: DueMail) =>
  database.raw('UPDATE mails SET next_at = NULL WHERE id = ? AND sent_at IS NOT NULL', [id])
