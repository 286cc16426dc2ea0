// An outage of the mail server, as one process sees it: from the first mail that cannot be handed over until the first one that
// can. Meanwhile a single mail tries from time to time. The others wait, without delays of their own.
import type { Knex } from 'knex'
import type { MailFailure } from '../../../shared/mail/smtp.ts'
import type { Log } from '../../../shared/utilities/log.ts'

const PAUSE_MS_MIN = 2_000
const PAUSE_MS_MAX = 30_000
/** How long this mail waits while another one is tried: this mail may be the one that breaks the connection. */
export const POSTPONED_SECONDS = 30
const SUSPECTS_MAX = 100

type MailId = { id: number }

export class Outage {
  readonly #log: Log
  #begunMs: number | undefined
  readonly #postponed = new Set<number>()
  // Mails with which the connection broke, while others went through afterwards.
  readonly #suspects = new Set<number>()

  constructor(log: Log) {
    this.#log = log
  }

  get isOn(): boolean {
    return this.#begunMs !== undefined
  }

  /** The pause grows with the length of the outage. */
  get pauseMs(): number {
    const lastsMs = performance.now() - (this.#begunMs ?? performance.now())
    return Math.min(Math.max(lastsMs / 2, PAUSE_MS_MIN), PAUSE_MS_MAX)
  }

  /** A mail that breaks the connection again must not make the others wait. */
  isSuspect({ id }: MailId): boolean {
    return this.#suspects.has(id)
  }

  async begin(database: Knex, { id }: MailId, { code, detail }: MailFailure) {
    this.#postponed.add(id)
    if (!this.isOn) this.#log.warn({ code, detail }, 'the mail server cannot be used: mails wait')
    this.#begunMs ??= performance.now()
    // Administrators see why their link has not arrived.
    await database.raw(
      'UPDATE mails SET error = ? WHERE admin_id IS NOT NULL AND error IS NULL AND sent_at IS NULL AND next_at <= now()',
      [JSON.stringify(detail)],
    )
  }

  /** A mail went through: the mails that waited for the server are due at once. */
  async end(database: Knex, { id }: MailId) {
    this.#suspects.delete(id)
    if (this.#begunMs === undefined) return
    const seconds = Math.round((performance.now() - this.#begunMs) / 1_000)
    this.#begunMs = undefined
    this.#postponed.delete(id)
    const waiting = [...this.#postponed]
    this.#postponed.clear()
    for (const each of waiting.slice(-SUSPECTS_MAX)) this.#suspects.add(each)
    for (const oldest of [...this.#suspects].slice(0, -SUSPECTS_MAX)) this.#suspects.delete(oldest)
    this.#log.info({ seconds }, 'the mail server takes mails again')
    await database.raw(
      'UPDATE mails SET next_at = now() WHERE id = ANY (?) AND sent_at IS NULL AND next_at > now()',
      [waiting],
    )
  }
}
