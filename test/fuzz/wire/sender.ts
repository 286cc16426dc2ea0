// Sends raw requests one after the other, on a connection that stays open as long as the server keeps it.
import { connect, type Socket } from 'node:net'
import { BrokenAnswer, parseAnswer, type WireAnswer } from './parse-answer.ts'

export type Exchange =
  | { kind: 'answered'; answer: WireAnswer }
  /** The server closed the connection and said nothing. */
  | { kind: 'closed' }
  | { kind: 'silent'; waitedMs: number }
  | { kind: 'broken'; reason: string }

export type SendOptions = { isHead: boolean; isWhole: boolean }

const ANSWER_MS_MAX = 60_000
// A request that may have no end is ended after so long.
const PATIENCE_MS = 50

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
    // What has no certain end would spoil the next request.
    if (!options.isWhole) this.close()
    const isKept = this.#socket !== undefined
    const exchange = await this.#exchange(bytes, options)
    // A server may close a connection that is kept, at the moment when a request is sent on it.
    if (exchange.kind === 'closed' && isKept) return this.#exchange(bytes, options)
    return exchange
  }

  #connect(): Socket {
    this.#socket = connect({ port: this.#port, host: this.#host, allowHalfOpen: true, noDelay: true })
    // What goes wrong while nobody asks is seen by the next one.
    this.#socket.on('error', () => undefined)
    return this.#socket
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #exchange(bytes: Buffer, options: SendOptions): Promise<Exchange> {
    const socket = this.#socket ?? this.#connect()
    const exchange = await exchangeOn(socket, bytes, options)
    if (exchange.kind !== 'answered' || exchange.answer.isClosing || !options.isWhole) this.close()
    return exchange
  }
}

function exchangeOn(socket: Socket, bytes: Buffer, { isHead, isWhole }: SendOptions): Promise<Exchange> {
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
        // Whoever refuses the bytes of a request does not know that it was a HEAD; nothing follows on that connection.
        const isExcused = isHead && parsed?.answer.isClosing
        if (parsed && isWhole && !isExcused && parsed.endsAt < received.length)
          return finish({
            kind: 'broken',
            reason: `More than one answer: ${received.subarray(parsed.endsAt, parsed.endsAt + 200)}`,
          })
        if (parsed) return finish({ kind: 'answered', answer: parsed.answer })
        // Whoever closes the sending side is gone, and an answer under way is left.
        if (isEnded && received.length > 0 && isWhole)
          return finish({
            kind: 'broken',
            reason: `The answer breaks off: ${received.toString('latin1').slice(0, 500)}`,
          })
        if (isEnded) finish({ kind: 'closed' })
      } catch (error) {
        if (!(error instanceof BrokenAnswer)) throw error
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
    const patience = isWhole ? undefined : setTimeout(() => socket.end(), PATIENCE_MS)
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onEnd)
    socket.write(bytes)
  })
}
