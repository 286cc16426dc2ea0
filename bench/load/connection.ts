// One keep-alive connection of the load generator. It sends prepared bytes, and reads only the status and the end of a
// response. An HTTP client would take as much CPU as the program that it measures.
import { connect, type Socket } from 'node:net'

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

type PendingRequest = { resolve(status: number): void; reject(error: Error): void }

export class Connection {
  readonly #socket: Socket
  #waiting: PendingRequest | undefined
  #answer = new StreamedResponse()
  #head = ''

  static open(port: number, host: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host, noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(new Connection(socket))
      })
    })
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (data) => this.#take(data))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('The connection was closed')))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable
  }

  /** Returns the status line and headers of the last response. */
  get head(): string {
    return this.#head
  }

  /** Sends a request, and resolves to the response's status once the response is complete. */
  ask(request: string | Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(data: Buffer): void {
    if (!this.#answer.take(data)) return
    const { status, head } = this.#answer
    this.#head = head
    this.#answer = new StreamedResponse()
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(status)
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }
}

/**
 * Parses a response that arrives piece by piece. Each connection has only one request at a time, so no data follows a
 * response.
 */
export class StreamedResponse {
  status = 0
  head = ''
  #head = ''
  // Remaining bytes of the response body; undefined for a chunked body, which marks its own end.
  #missing: number | undefined
  #tail: Buffer = Buffer.alloc(0)

  /** Returns true once the response is complete. */
  take(data: Buffer): boolean {
    return this.status === 0 ? this.#takeHead(data) : this.#takeBody(data)
  }

  #takeHead(data: Buffer): boolean {
    this.#head += data.toString('latin1')
    const end = this.#head.indexOf(HEAD_END)
    if (end < 0) return false
    const head = this.#head.slice(0, end)
    this.head = head
    this.status = Number(head.slice(9, 12))
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
    this.#missing = isChunked ? undefined : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    // The terminator of an empty chunked body overlaps the end of the response's head.
    const bodyStart = end + (isChunked ? HEAD_END.length / 2 : HEAD_END.length)
    return this.#takeBody(Buffer.from(this.#head.slice(bodyStart), 'latin1'))
  }

  #takeBody(data: Buffer): boolean {
    if (this.#missing !== undefined) {
      this.#missing -= data.length
      return this.#missing <= 0
    }
    this.#tail = Buffer.concat([this.#tail, data]).subarray(-LAST_CHUNK.length)
    return this.#tail.equals(LAST_CHUNK)
  }
}
