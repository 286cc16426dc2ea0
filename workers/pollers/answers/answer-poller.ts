// Reads the mailbox for answers to invitations and applies the answers. One process at a time reads, and records the
// last mail that it has read. Mails that Berth cannot apply stay unread in the mailbox, so that people see them.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { isTransient } from '../../../shared/database/faults.ts'
import {
  getMailboxName,
  MAIL_BYTES_MAX,
  type Mailbox,
  MailboxFailure,
  openMailbox,
  type StoredMail,
} from '../../../shared/mail/mailbox.ts'
import type { AnswerSettings } from '../../../shared/settings/answers.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../../shared/utilities/poller.ts'
import type { AnswerOutcome } from './answer-outcomes.ts'
import { applyAnswer } from './apply-answer.ts'
import { readAnswer } from './read-answer.ts'

const POLL_INTERVAL_MS = 15_000
/** The limits on one pass. After each pass, the process connects again. */
const MAILS_MAX = 100
const PASS_MS_MAX = 30_000
/** How long another process waits before it takes over from a process that died. Must be longer than any pass. */
const LEASE_DURATION = "interval '3 minutes'"
/** How often the connection may break while Berth reads a mail. After that, Berth skips the mail. */
const BREAKS_MAX = 3

export type AnswerTools = {
  database: Knex
  settings: AnswerSettings
  /** The base of the URLs in the replies of jobs. Nobody reads these replies here. */
  baseUrl: string
  log: Log
  count(outcome: AnswerOutcome): void
  showMailbox?(isUp: () => boolean): void
}

/** Starts the poller. Tests pass a shorter interval. */
export function startAnswerPoller(tools: AnswerTools, everyMs: number = POLL_INTERVAL_MS): Poller {
  const reader = new AnswerReader(tools)
  tools.showMailbox?.(() => reader.isUp)
  const poller = startPolling({
    everyMs,
    faults: new FaultLog(tools.log, 'the mailbox for answers can be read again'),
    fault: 'the mailbox for answers cannot be read',
    isFirstAtOnce: true,
    work: async (isStopping) => ((await reader.readNext(isStopping)) ? 0 : everyMs),
  })
  return {
    async stop() {
      await poller.stop()
      await reader.endLease().catch(() => undefined)
    },
  }
}

type Position = { uidValidity: number | null; lastUid: number }

class AnswerReader {
  readonly #tools: AnswerTools
  readonly #mailbox: string
  readonly #lease = randomUUID()
  #breaks = { uid: 0, times: 0 }
  isUp = true

  constructor(tools: AnswerTools) {
    this.#tools = tools
    this.#mailbox = getMailboxName(tools.settings)
  }

  /** Reads the next mails, unless another process is reading. Returns whether there may be more. */
  async readNext(isStopping: () => boolean): Promise<boolean> {
    const position = await this.#takeLease()
    if (!position) return false
    try {
      const mailbox = await openMailbox(this.#tools.settings)
      const hasMore = await this.#readFrom(mailbox, position, isStopping).finally(() => mailbox.close())
      this.isUp = true
      return hasMore
    } catch (error) {
      if (error instanceof MailboxFailure) this.isUp = false
      throw error
    }
  }

  async #readFrom(mailbox: Mailbox, position: Position, isStopping: () => boolean): Promise<boolean> {
    const { uidValidity } = mailbox
    let lastUid = position.uidValidity === uidValidity ? position.lastUid : 0
    const mails = await mailbox.listAfter(lastUid, MAILS_MAX)
    const endMs = performance.now() + PASS_MS_MAX
    let isOver = false
    try {
      for (const mail of mails) {
        isOver = isStopping() || performance.now() > endMs
        if (isOver) break
        await this.#handle(mailbox, mail)
        lastUid = mail.uid
      }
    } finally {
      await this.#savePosition({ uidValidity, lastUid })
    }
    return isOver ? !isStopping() : mails.length === MAILS_MAX
  }

  async #handle(mailbox: Mailbox, mail: StoredMail): Promise<void> {
    const { log, count } = this.#tools
    const { uid } = mail
    const outcome = await this.#apply(mailbox, mail)
    // Marks the mail as read only after the answer is committed. If the process dies in between, another one reads the
    // mail again. The receipt of the attempt keeps the answer from being applied twice.
    if (outcome === 'applied') await mailbox.markAsRead(uid)
    count(outcome)
    log[outcome === 'no-answer' ? 'debug' : 'info']({ uid, outcome }, 'mail in the mailbox for answers')
  }

  async #apply(mailbox: Mailbox, { uid, bytes }: StoredMail): Promise<AnswerOutcome> {
    const { database, settings, baseUrl, log } = this.#tools
    if (bytes > MAIL_BYTES_MAX) return 'too-large'
    const source = await this.#read(mailbox, uid)
    if (source === 'unreadable') return source
    if (!source) return 'no-answer'
    try {
      const answer = await readAnswer(source, settings)
      return typeof answer === 'string' ? answer : await applyAnswer(database, baseUrl, answer)
    } catch (error) {
      if (isTransient(error)) throw error
      // This is a bug. The other mails must not wait until it is fixed.
      log.error({ err: error, uid }, 'an answer by mail could not be applied')
      return 'failed'
    }
  }

  /**
   * Reads a mail. Skips a mail after the connection has broken several times while reading it, so that later mails get
   * read.
   */
  async #read(mailbox: Mailbox, uid: number): Promise<Uint8Array | undefined | 'unreadable'> {
    if (this.#breaks.uid === uid && this.#breaks.times >= BREAKS_MAX) return 'unreadable'
    try {
      return await mailbox.read(uid)
    } catch (error) {
      this.#breaks = { uid, times: this.#breaks.uid === uid ? this.#breaks.times + 1 : 1 }
      throw error
    }
  }

  async #takeLease(): Promise<Position | undefined> {
    const { rows } = await this.#tools.database.raw<{ rows: Position[] }>(
      `INSERT INTO answer_mailboxes AS present (mailbox, lease, leased_until) VALUES (:mailbox, :lease, now() + ${LEASE_DURATION})
       ON CONFLICT (mailbox) DO UPDATE SET lease = excluded.lease, leased_until = excluded.leased_until
       WHERE present.leased_until <= now() OR present.lease = excluded.lease
       RETURNING uid_validity AS "uidValidity", last_uid AS "lastUid"`,
      { mailbox: this.#mailbox, lease: this.#lease },
    )
    return rows[0]
  }

  #savePosition({ uidValidity, lastUid }: Position) {
    return this.#tools
      .database('answer_mailboxes')
      .where({ mailbox: this.#mailbox, lease: this.#lease })
      .update({ uid_validity: uidValidity, last_uid: lastUid })
  }

  /** Ends the lease, so that another process can read immediately. */
  endLease() {
    const { database } = this.#tools
    return database('answer_mailboxes')
      .where({ mailbox: this.#mailbox, lease: this.#lease })
      .update({ leased_until: database.fn.now() })
  }
}
