// Sends raw requests one after the other, on a connection that stays open as long as the server allows.
import { connect, type Socket } from 'node:net'
import { BrokenAnswerError, parseAnswer, type WireAnswer } from './parse-answer.ts'

export type Exchange =
  | { kind: 'answered'; answer: WireAnswer }
  /** The server closed the connection without an answer. */
  | { kind: 'closed' }
  | { kind: 'silent'; waitedMs: number }
  | { kind: 'broken'; reason: string }

export type SendOptions = { isHead: boolean; isWhole: boolean }

const ANSWER_MS_MAX = 60_000
// A request that may be incomplete is ended after this time.
const INCOMPLETE_REQUEST_MS = 50

export class Sender {
  readonly #host: string
  readonly #port: number
  #socket: Socket | undefined

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
  }

  async send(bytes: Buffer, options: SendOptions): Promise<Exchange> {
    // Closes the connection if it is uncertain where the request ends, because the next request would be misread.
    if (!options.isWhole) this.close()
    const isKept = this.#socket !== undefined
    const exchange = await this.#exchange(bytes, options)
    // A server may close a kept-alive connection at the moment when a request is sent on it.
    if (exchange.kind === 'closed' && isKept) return this.#exchange(bytes, options)
    return exchange
  }

  #connect(): Socket {
    this.#socket = connect({ port: this.#port, host: this.#host, allowHalfOpen: true, noDelay: true })
    // Ignores the error here, because the next request reports it.
    this.#socket.on('error', () => undefined)
    return this.#socket
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #exchange(bytes: Buffer, options: SendOptions): Promise<Exchange> {
    const socket = this.#socket ?? this.#connect()
    const exchange = await sendOn(socket, bytes, options)
    if (exchange.kind !== 'answered' || exchange.answer.isClosing || !options.isWhole) this.close()
    return exchange
  }
}

function sendOn(socket: Socket, bytes: Buffer, { isHead, isWhole }: SendOptions): Promise<Exchange> {
  return new Promise((resolve) => {
    const startedMs = Date.now()
    const pieces: Buffer[] = []
    let isEnded = false

    const finish = (exchange: Exchange) => {
      clearTimeout(timer)
      clearTimeout(patience)
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onEnd)
      resolve(exchange)
    }
    const look = () => {
      const received = Buffer.concat(pieces)
      try {
        const parsed = parseAnswer(received, { hasBody: !isHead, isEnded })
        // A server that cannot parse a HEAD request may send a body, but must then close the connection.
        const isExcused = isHead && parsed?.answer.isClosing
        if (parsed && isWhole && !isExcused && parsed.endsAt < received.length)
          return finish({
            kind: 'broken',
            reason: `More than one answer: ${received.subarray(parsed.endsAt, parsed.endsAt + 200)}`,
          })
        if (parsed) return finish({ kind: 'answered', answer: parsed.answer })
        // The server treats a client that closes its sending side as disconnected, and drops its answer.
        if (isEnded && received.length > 0 && isWhole)
          return finish({
            kind: 'broken',
            reason: `The answer breaks off: ${received.toString('latin1').slice(0, 500)}`,
          })
        if (isEnded) finish({ kind: 'closed' })
      } catch (error) {
        if (!(error instanceof BrokenAnswerError)) throw error
        finish({ kind: 'broken', reason: error.message })
      }
    }
    const onData = (piece: Buffer) => {
      pieces.push(piece)
      look()
    }
    const onEnd = () => {
      isEnded = true
      look()
    }
    const timer = setTimeout(
      () => finish({ kind: 'silent', waitedMs: Date.now() - startedMs }),
      ANSWER_MS_MAX,
    )
    const patience = isWhole ? undefined : setTimeout(() => socket.end(), INCOMPLETE_REQUEST_MS)
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd)
    socket.write(bytes)
  })
}
