// Guards the bare server: answers what Node refuses before Koa sees it, in the same shape as every other
// failure, and disconnects clients that read nothing.
import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { message } from '../../../shared/messages/message.ts'
import { problemBody, Refusal } from '../../../shared/messages/refusal.ts'
import type { Config } from '../../../shared/settings/config.ts'
import { CLOSED_HEADERS } from './middleware/request-context.ts'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

// A client that is still sending would lose the answer to a reset if the connection closed at once.
const LINGER_MS = 1_000

const HEADER_BYTES_MAX = 16 * 1024

type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer }

// Node keeps the answer that is under way in this field, and reads it for the same reason as we do.
export type Connection = Duplex & { _httpMessage?: ServerResponse | null }

export function answerBrokenHttp(server: Server, config: Config) {
  const answer = (connection: Duplex, refusal: Refusal) => answerOn(connection, refusal, config)
  server.on('clientError', (error: ClientError, connection) => {
    // Whatever still arrives after the answer is discarded.
    if (connection.writableEnded) return
    const { _httpMessage: underWay } = connection as Connection
    // Anything written now would become part of the answer that has already begun.
    if (error.code === 'ECONNRESET' || !connection.writable || underWay?.headersSent) connection.destroy()
    else answer(connection, refusalFromClientError(error))
  })
  server.on('connect', (_request, connection) => {
    connection.on('error', () => connection.destroy())
    const refusal = new Refusal('method_not_allowed', message`CONNECT is not supported.`, {
      headers: { Allow: METHODS },
    })
    answer(connection, refusal)
  })
}

function refusalFromClientError({ code, rawPacket }: ClientError): Refusal {
  if (code !== 'HPE_HEADER_OVERFLOW')
    return new Refusal('malformed_body', message`The request is not valid HTTP.`)
  return isInUrl(rawPacket)
    ? new Refusal('url_too_long', message`The URL of the request is longer than 16 KiB, headers included.`)
    : new Refusal(
        'headers_too_large',
        message`The headers of the request are larger than 16 KiB, URL included.`,
      )
}

// Node does not say whether the URL or the headers were too long. A packet that begins like a request and
// goes on without a line break is a URL.
function isInUrl(packet: Buffer | undefined): boolean {
  const [line = ''] = packet?.toString('latin1', 0, HEADER_BYTES_MAX).split('\r\n') ?? []
  return /^[A-Z]+ /.test(line) && line.length > HEADER_BYTES_MAX / 2
}

function answerOn(connection: Duplex, refusal: Refusal, { publicUrl, port }: Config) {
  const requestId = randomUUID()
  // The host name is unknown, because the request could not be parsed.
  const baseUrl =
    publicUrl ?? `http://localhost:${connection instanceof Socket ? connection.localPort : port}`
  const body = problemBody(refusal, { baseUrl, requestId })
  const headers = {
    ...CLOSED_HEADERS,
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
  setTimeout(() => connection.destroy(), LINGER_MS).unref()
}

/** Disconnects a client that reads nothing of an answer: Node would keep both for ever. */
export function cutUnreadAnswers(server: Server, idleMs: number) {
  // Runs if nothing has passed for this long, including the bytes of one large piece. Most often there is
  // simply nothing to send yet; then the connection stays, and this runs again after the next byte.
  // The half millisecond tells it apart from the time for which Node keeps a connection between requests.
  const unreadMs = idleMs + 0.5
  server.setTimeout(unreadMs, (socket) => {
    const { _httpMessage: underWay, timeout, writableLength } = socket as Socket & Connection
    const isKept = !underWay && timeout !== unreadMs
    if (isKept || (underWay && writableLength > 0)) socket.destroy()
  })
}
