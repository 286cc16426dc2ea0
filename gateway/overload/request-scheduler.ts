// Starts requests in turns of the event loop. Each turn starts requests for a limited time, and the rest wait in line
// for the next turn. Node accepts one connection per turn, so if a turn started all requests that have arrived, a new
// client would wait a minute to connect while a thousand others send requests without pause.
import type { RequestListener, Server } from 'node:http'

const TURN_MS = 5
// How long turns are kept short while connections arrive. This time is limited because the requests in line
// have already waited.
const ACCEPTING_MS_MAX = 50
// The line is too long if its first request has waited longer than this, at every check for half a second. A pause of
// the process also makes the line long, but only briefly.
const WAIT_MS_MAX = 250
const BEHIND_AFTER_MS = 500

type ScheduledRequest = Parameters<RequestListener>

export class RequestScheduler {
  #line: Array<{ request: ScheduledRequest; sinceMs: number }> = []
  /** How many requests at the front of the line have already started. */
  #taken = 0
  #isNextDue = false
  #hasAccepted = false
  #begunMs: number | undefined
  #lastBegunMs = 0
  /** The time since when the first request in line has been waiting too long. */
  #longSinceMs: number | undefined

  /** Whether more requests arrive than this process can start. */
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
    // Accepts requests with an unknown Expect header, which Node would refuse with an empty 417.
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

  // Starts waiting requests. Runs after all sockets have been read once.
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
      // Lets the promises of the request run before the next request starts, so that their time counts.
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
