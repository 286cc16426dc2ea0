// Shuts a listening server down without closing a connection that a client is about to use. At first the
// server keeps answering, and each answer closes its connection; then it accepts no more connections and
// finishes the open requests.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from './server/http/server-guards.ts'

const SWEEP_EVERY_MS = 200
// A client that has just connected is about to send a request. Browsers open some connections in advance and
// never use them.
const UNUSED_MS_MAX = 1_000
// A proxy that does not know about the shutdown opens new connections without end.
const ACCEPTING_MS_MAX = 1_000
// A turn of the event loop in which nothing happened is shorter than this.
const SHORT_TURN_MS = 0.05

export class Drain {
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  /** Connections without a request yet, and when they were opened; the server does not count them as idle. */
  readonly #unused = new Map<Socket, number>()
  #begun = false
  #accepted = 0

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#accepted++
      this.#connections.add(socket)
      this.#unused.set(socket, performance.now())
      socket.once('close', () => {
        this.#connections.delete(socket)
        this.#unused.delete(socket)
      })
    })
    // Prepended, so that it runs before a listener can answer.
    server.prependListener('request', ({ socket }, response) => {
      this.#unused.delete(socket)
      if (this.#begun) response.setHeader('Connection', 'close')
    })
  }

  begin() {
    this.#begun = true
    for (const { _httpMessage: underWay } of this.#connections)
      if (underWay?.headersSent === false) underWay.setHeader('Connection', 'close')
  }

  async finish(): Promise<void> {
    this.begin()
    await this.#acceptWaiting()
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#closeIdle()
    const sweep = setInterval(() => afterReading().then(() => this.#closeIdle()), SWEEP_EVERY_MS)
    await closed
    clearInterval(sweep)
  }

  // New connections wait in the kernel until the server accepts them, one per turn of the event loop; closing
  // the port resets those still waiting. A turn without a new connection means that none was waiting when the
  // kernel was asked, but unless the turn was short, some may have arrived since. So the loop ends after a
  // short turn without a new connection.
  async #acceptWaiting(): Promise<void> {
    const untilMs = performance.now() + ACCEPTING_MS_MAX
    let isQuiet: boolean
    do {
      const before = this.#accepted
      // The first turn may have checked for connections before this call.
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

// The event loop reads the sockets before this callback: closing a connection with an unread request resets
// it.
const afterReading = () => new Promise<void>((resolve) => setImmediate(resolve))
