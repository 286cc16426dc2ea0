// Shuts a listening server down without closing a connection that a client is about to use. At first the server keeps
// responding, and each response closes its connection; then it accepts no more connections and finishes the open
// requests.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from './server/http/server-guards.ts'

const SWEEP_EVERY_MS = 200
// How long an unused connection stays open. A client that has just connected is about to send a request, but browsers
// open some connections in advance and never use them.
const UNUSED_CONNECTION_MS_MAX = 1_000
// How long the server keeps accepting connections. A proxy that does not know about the shutdown keeps
// opening new connections.
const ACCEPTING_MS_MAX = 1_000
// A turn of the event loop that takes less time than this has done no work.
const SHORT_TURN_MS = 0.05

export class ServerDrain {
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  /**
   * Connections that have not had a request yet, with the time when they were opened. The server does not count them as
   * idle.
   */
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
    // Registers the listener first, so that it runs before any other listener can respond.
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
    const sweep = setInterval(() => waitForReads().then(() => this.#closeIdle()), SWEEP_EVERY_MS)
    await closed
    clearInterval(sweep)
  }

  // Accepts connections that wait in the kernel, because closing the port would reset them. The server
  // accepts one connection per turn of the event loop. A turn without a new connection means that none was
  // waiting when the kernel was asked. If the turn was long, connections may have arrived since, so the loop
  // ends only after a short turn without a new connection.
  async #acceptWaiting(): Promise<void> {
    const untilMs = performance.now() + ACCEPTING_MS_MAX
    let isQuiet: boolean
    do {
      const before = this.#accepted
      // Waits for the next turn, because the current one may have checked for connections before this call.
      await waitForReads()
      const startedMs = performance.now()
      await waitForReads()
      isQuiet = this.#accepted === before && performance.now() - startedMs < SHORT_TURN_MS
    } while (!isQuiet && performance.now() < untilMs)
  }

  #closeIdle() {
    this.#server.closeIdleConnections()
    const openedBefore = performance.now() - UNUSED_CONNECTION_MS_MAX
    for (const [socket, openedAt] of this.#unused)
      if (socket.bytesRead === 0 && openedAt < openedBefore) socket.destroy()
  }
}

// Resolves after the event loop has read the sockets: closing a connection with an unread request would reset it.
const waitForReads = () => new Promise<void>((resolve) => setImmediate(resolve))
