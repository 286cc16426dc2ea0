// Guards the bare HTTP server: gives errors that Node reports before Koa sees the request the format of every
// other failure, and disconnects clients that stop reading.
import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { message } from '../../../shared/messages/message.ts'
import { createProblemBody, Refusal } from '../../../shared/messages/refusal.ts'
import type { Config } from '../../../shared/settings/config.ts'
import { ISOLATION_HEADERS } from './middleware/request-context.ts'

const SUPPORTED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

// How long a connection stays open after an error. If it closed at once, a client that is still sending would get a
// reset instead of the response.
const OPEN_AFTER_ERROR_MS = 1_000

const HEADER_BYTES_MAX = 16 * 1024

type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer }

// Node stores the current response in this field, and reads the field for the same purpose.
export type Connection = Duplex & { _httpMessage?: ServerResponse | null }

export function answerBrokenHttp(server: Server, config: Config) {
  const answer = (connection: Duplex, refusal: Refusal) => answerOnSocket(connection, refusal, config)
  server.on('clientError', (error: ClientError, connection) => {
    // Discards all data that arrives after the response.
    if (connection.writableEnded) return
    const { _httpMessage: underWay } = connection as Connection
    // Anything written now would become part of a response that has already begun.
    if (error.code === 'ECONNRESET' || !connection.writable || underWay?.headersSent) connection.destroy()
    else answer(connection, toClientErrorRefusal(error))
  })
  server.on('connect', (_request, connection) => {
    connection.on('error', () => connection.destroy())
    const refusal = new Refusal('method_not_allowed', message`CONNECT is not supported.`, {
      headers: { Allow: SUPPORTED_METHODS },
    })
    answer(connection, refusal)
  })
}

function toClientErrorRefusal({ code, rawPacket }: ClientError): Refusal {
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new Refusal('malformed_body', message`The request is not valid HTTP.`)
  return isUrlTooLong(rawPacket)
    ? new Refusal(
        'url_too_long',
        message`The URL is too long: together with the headers it is larger than 16 KiB.`,
      )
    : new Refusal(
        'headers_too_large',
        message`The headers are too large: together with the URL they are larger than 16 KiB.`,
      )
}

// Returns whether the URL was too long rather than the headers: Node does not tell the two apart. If a packet
// begins like a request and continues without a line break, it contains a URL.
function isUrlTooLong(packet: Buffer | undefined): boolean {
  const [line = ''] = packet?.toString('latin1', 0, HEADER_BYTES_MAX).split('\r\n') ?? []
  return /^[A-Z]+ /.test(line) && line.length > HEADER_BYTES_MAX / 2
}

function answerOnSocket(connection: Duplex, refusal: Refusal, { publicUrl, port }: Config) {
  const requestId = randomUUID()
  // The host name is unknown, because the request could not be parsed.
  const baseUrl =
    publicUrl ?? `http://localhost:${connection instanceof Socket ? connection.localPort : port}`
  const body = createProblemBody(refusal, { baseUrl, requestId })
  const headers = {
    ...ISOLATION_HEADERS,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Vary: 'Accept',
    Connection: 'close',
    ...refusal.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const status = `${refusal.status} ${STATUS_CODES[refusal.status]}`
  connection.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
  connection.resume()
  setTimeout(() => connection.destroy(), OPEN_AFTER_ERROR_MS).unref()
}

/** Disconnects a client that stops reading a response. Node would keep both the client and the response for ever. */
export function cutUnreadAnswers(server: Server, idleMs: number) {
  // The timeout runs if no byte has been sent for this long, not even part of a large chunk. Usually there is
  // simply nothing to send yet; then the connection stays, and the timeout starts again after the next byte.
  // The half millisecond distinguishes it from the time for which Node keeps a connection between requests.
  const unreadMs = idleMs + 0.5
  server.setTimeout(unreadMs, (socket) => {
    const { _httpMessage: underWay, timeout, writableLength } = socket as Socket & Connection
    const isKept = !underWay && timeout !== unreadMs
    if (isKept || (underWay && writableLength > 0)) socket.destroy()
  })
}
