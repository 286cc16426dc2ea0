// Logs a lasting fault as a warning once, not at each try; a fault of another kind is logged again.
import type { Log } from './log.ts'

export class FaultLog {
  readonly #log: Log
  readonly #overMessage: string
  readonly #overAfterMs: number | undefined
  #state: string | undefined
  #timer: NodeJS.Timeout | undefined

  /** Without a call of `over`, the fault is over when it has not occurred for `overAfterMs`. */
  constructor(log: Log, overMessage: string, overAfterMs?: number) {
    this.#log = log
    this.#overMessage = overMessage
    this.#overAfterMs = overAfterMs
  }

  fault(error: unknown, message: string, fields: Record<string, unknown> = {}) {
    const { code, message: said } = error as { code?: unknown; message?: unknown }
    // An error of the same kind may name another host, port or job.
    const state = `${message} ${typeof code === 'string' ? code : String(said).replace(/\d+/g, '#')}`
    if (state === this.#state) this.#log.debug({ err: error, ...fields }, message)
    else this.#log.warn({ err: error, ...fields }, message)
    this.#state = state
    clearTimeout(this.#timer)
    if (this.#overAfterMs !== undefined)
      this.#timer = setTimeout(() => this.over(), this.#overAfterMs).unref()
  }

  over() {
    clearTimeout(this.#timer)
    if (this.#state !== undefined) this.#log.info(this.#overMessage)
    this.#state = undefined
  }
}
