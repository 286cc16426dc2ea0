// Requests in turns: a turn of the event loop begins work on new ones for so long only, and the rest wait in line for the next.
// Node accepts one connection a turn. Were a turn as long as all that has arrived takes, then beside a thousand callers who ask
// again and again, whoever connects would wait for a minute.
import type { RequestListener, Server } from 'node:http'

const TURN_MS = 5
// While connections come, turns are kept short, but not for longer than this: those in line have waited already.
const ACCEPTING_MS_MAX = 50
// The line is too long where its first has waited for so long each time for half a second: a pause of the process makes it long too,
// but not for long.
const WAIT_MS_MAX = 250
const BEHIND_AFTER_MS = 500

type Request = Parameters<RequestListener>

export class RequestScheduler {
  #line: Array<{ request: Request; sinceMs: number }> = []
  /** Of the line, from its beginning. */
  #taken = 0
  #isNextDue = false
  #hasAccepted = false
  /** Of this turn, once it has begun work on a request. */
  #begunMs: number | undefined
  #lastBegunMs = 0
  /** Since when the first in line has waited too long each time. */
  #longSinceMs: number | undefined

  /** More comes than this process can begin. */
  get isBehind(): boolean {
    return this.#longSinceMs !== undefined && performance.now() - this.#longSinceMs > BEHIND_AFTER_MS
  }

  serve(server: Server, listener: RequestListener) {
    const take: RequestListener = (...request) => {
      const nowMs = performance.now()
      this.#plan(listener)
      this.#begunMs ??= nowMs
      const isLate = nowMs - this.#begunMs >= TURN_MS
      if (isLate || this.#hasAccepted || this.#taken < this.#line.length)
        this.#line.push({ request, sinceMs: nowMs })
      else listener(...request)
    }
    server.on('request', take)
    // An expectation that nobody knows is no reason to refuse, least of all with Node's empty 417.
    server.on('checkExpectation', take)
    server.on('connection', () => {
      this.#hasAccepted = true
      this.#plan(listener)
    })
  }

  #plan(listener: RequestListener) {
    if (this.#isNextDue) return
    this.#isNextDue = true
    setImmediate(() => this.#next(listener))
  }

  // All sockets have been read once.
  async #next(listener: RequestListener) {
    const startedMs = performance.now()
    this.#noteWait(startedMs)
    const isAccepting = this.#hasAccepted && startedMs - this.#lastBegunMs < ACCEPTING_MS_MAX
    this.#isNextDue = false
    this.#hasAccepted = false
    this.#begunMs = undefined
    if (this.#taken < this.#line.length) this.#plan(listener)
    else this.#lastBegunMs = startedMs
    if (isAccepting) return
    this.#begunMs = startedMs
    while (this.#taken < this.#line.length && performance.now() - startedMs < TURN_MS) {
      const first = this.#line[this.#taken++]
      if (first) listener(...first.request)
      this.#lastBegunMs = startedMs
      // What it has promised is done in between, so that its time counts.
      await undefined
    }
    this.#noteWait(performance.now())
    if (this.#taken < this.#line.length / 2) return
    this.#line = this.#line.slice(this.#taken)
    this.#taken = 0
  }

  #noteWait(nowMs: number) {
    const first = this.#line[this.#taken]
    const isLong = first !== undefined && nowMs - first.sinceMs > WAIT_MS_MAX
    this.#longSinceMs = isLong ? (this.#longSinceMs ?? nowMs) : undefined
  }
}
