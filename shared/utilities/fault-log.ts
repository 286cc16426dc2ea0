// Logs a lasting fault as a warning once, and not at each attempt. If another kind of fault follows, logs that one too.
import type { Log } from './log.ts'

export class FaultLog {
  readonly #options: { log: Log; overMessage: string; overAfterMs: number | undefined }
  #state: string | undefined
  #timer: NodeJS.Timeout | undefined

  /** A fault is over after a call to `over`, or when it has not occurred for `overAfterMs`. */
  constructor(log: Log, overMessage: string, overAfterMs?: number) {
    this.#options = { log, overMessage, overAfterMs }
  }

  fault(error: unknown, message: string, fields: Record<string, unknown> = {}) {
    const { log, overAfterMs } = this.#options
    const { code, message: said } = error as { code?: unknown; message?: unknown }
    // Ignores numbers in messages, because errors of the same kind may name different hosts, ports or jobs.
    const state = `${message} ${typeof code === 'string' ? code : String(said).replace(/\d+/g, '#')}`
    log[state === this.#state ? 'debug' : 'warn']({ err: error, ...fields }, message)
    this.#state = state
    clearTimeout(this.#timer)
    if (overAfterMs !== undefined) this.#timer = setTimeout(() => this.over(), overAfterMs).unref()
  }

  over() {
    clearTimeout(this.#timer)
    if (this.#state !== undefined) this.#options.log.info(this.#options.overMessage)
    this.#state = undefined
  }
}
