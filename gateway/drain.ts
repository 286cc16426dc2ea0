// How a listening server ends, so that nobody who stands before it meets a connection that was just closed: at first it
// goes on answering, and says with each answer that its connection ends; then it takes no more, and finishes what is under way.
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const SWEEP_EVERY_MS = 200
// Whoever has just opened a connection is about to ask something. Browsers open some in advance, and never do.
const UNUSED_MS_MAX = 1_000
// A proxy that does not know that the gateway ends opens connections without an end.
const ACCEPTING_MS_MAX = 1_000
// One in which nothing happened.
const SHORT_TURN_MS = 0.05

export class Drain {
  readonly #server: Server
  /** Connections on which nothing was asked yet, and since when; the server does not take them for idle. */
  readonly #unused = new Map<Socket, number>()
  readonly #underWay = new Set<ServerResponse>()
  #begun = false
  #accepted = 0

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#accepted++
      this.#unused.set(socket, performance.now())
      socket.once('close', () => this.#unused.delete(socket))
    })
    // Before it can be answered.
    server.prependListener('request', ({ socket }, response) => {
      this.#unused.delete(socket)
      this.#underWay.add(response)
      response.once('close', () => this.#underWay.delete(response))
      if (this.#begun) response.setHeader('Connection', 'close')
    })
  }

  /** From now on each answer is the last one of its connection. */
  begin() {
    this.#begun = true
    for (const response of this.#underWay)
      if (!response.headersSent) response.setHeader('Connection', 'close')
  }

  /** Settles when nothing is under way any more. */
  async finish(): Promise<void> {
    this.begin()
    await this.#acceptWaiting()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#closeIdle()
    const sweep = setInterval(() => afterReading().then(() => this.#closeIdle()), SWEEP_EVERY_MS)
    await closed
    clearInterval(sweep)
  }

  // Whoever has connected waits in the system until the server takes their connection, one at each turn of the event loop;
  // those that wait when the port is closed are reset. After a turn without a new one none waits, save those that have come
  // since the system was asked: it is done after a turn that was short.
  async #acceptWaiting(): Promise<void> {
    const untilMs = performance.now() + ACCEPTING_MS_MAX
    let isQuiet: boolean
    do {
      const before = this.#accepted
      // The first may be of a turn that has looked for connections already.
      await afterReading()
      const startedMs = performance.now()
      await afterReading()
      isQuiet = this.#accepted === before && performance.now() - startedMs < SHORT_TURN_MS
    } while (!isQuiet && performance.now() < untilMs)
  }

  #closeIdle() {
    this.#server.closeIdleConnections()
    const openedBefore = performance.now() - UNUSED_MS_MAX
    for (const [socket, openedAt] of this.#unused)
      if (socket.bytesRead === 0 && openedAt < openedBefore) socket.destroy()
  }
}

// What lies in the sockets is read before: what is closed with a request unread is reset.
const afterReading = () => new Promise<void>((resolve) => setImmediate(resolve))
