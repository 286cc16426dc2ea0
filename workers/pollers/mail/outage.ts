// Tracks an outage of the mail server, as one process sees it: from the first mail that could not be handed over until
// the first one that can. During an outage, this process tries a single mail from time to time. The other mails wait,
// without delays of their own.
import type { Knex } from 'knex'
import type { MailFailure } from '../../../shared/mail/smtp.ts'
import type { Log } from '../../../shared/utilities/log.ts'

const PAUSE_MS_MIN = 2_000
const PAUSE_MS_MAX = 30_000
/** How long a mail that failed waits before it is tried again. Other mails come first, because this mail may
 * be the one that breaks the connection. */
export const POSTPONED_SECONDS = 30
const SUSPECT_MAILS_MAX = 100

type MailId = { id: number }

export class MailOutage {
  readonly #log: Log
  #begunMs: number | undefined
  readonly #postponed = new Set<number>()
  // Mails that broke the connection, while other mails could be sent afterwards.
  readonly #suspects = new Set<number>()

  constructor(log: Log) {
    this.#log = log
  }

  get isOn(): boolean {
    return this.#begunMs !== undefined
  }

  /** The pause between attempts, which grows with the length of the outage. */
  get pauseMs(): number {
    const lastsMs = performance.now() - (this.#begunMs ?? performance.now())
    return Math.min(Math.max(lastsMs / 2, PAUSE_MS_MIN), PAUSE_MS_MAX)
  }

  /** Returns whether the mail has broken the connection before. Such a mail must not make the others wait again. */
  isSuspect({ id }: MailId): boolean {
    return this.#suspects.has(id)
  }

  async begin(database: Knex, { id }: MailId, { code, detail }: MailFailure) {
    this.#postponed.add(id)
    if (!this.isOn) this.#log.warn({ code, detail }, 'the mail server cannot be used: mails wait')
    this.#begunMs ??= performance.now()
    // Records the outage with the mail, so that administrators can see why their link has not arrived.
    await database.raw(
      'UPDATE mails SET error = ? WHERE admin_id IS NOT NULL AND error IS NULL AND sent_at IS NULL AND next_at <= now()',
      [JSON.stringify(detail)],
    )
  }

  /** Ends the outage after a mail was sent. The mails that waited for the mail server become due immediately. */
  async end(database: Knex, { id }: MailId) {
    this.#suspects.delete(id)
    if (this.#begunMs === undefined) return
    const seconds = Math.round((performance.now() - this.#begunMs) / 1_000)
    this.#begunMs = undefined
    this.#postponed.delete(id)
    const waiting = [...this.#postponed]
    this.#postponed.clear()
    for (const each of waiting.slice(-SUSPECT_MAILS_MAX)) this.#suspects.add(each)
    for (const oldest of [...this.#suspects].slice(0, -SUSPECT_MAILS_MAX)) this.#suspects.delete(oldest)
    this.#log.info({ seconds }, 'the mail server takes mails again')
    await database.raw(
      'UPDATE mails SET next_at = now() WHERE id = ANY (?) AND sent_at IS NULL AND next_at > now()',
      [waiting],
    )
  }
}
