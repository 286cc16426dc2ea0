// Logs a lasting fault as a warning once, not at each try; a fault of another kind is logged again.
import type { Log } from './log.ts'

export class FaultLog {
  readonly #options: { log: Log; overMessage: string; overAfterMs: number | undefined }
  #state: string | undefined
  #timer: NodeJS.Timeout | undefined

  /** Without a call of `over`, the fault is over when it has not occurred for `overAfterMs`. */
  constructor(log: Log, overMessage: string, overAfterMs?: number) {
    this.#options = { log, overMessage, overAfterMs }
  }

  fault(error: unknown, message: string, fields: Record<string, unknown> = {}) {
    const { log, overAfterMs } = this.#options
    const { code, message: said } = error as { code?: unknown; message?: unknown }
    // An error of the same kind may name another host, port or job.
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
