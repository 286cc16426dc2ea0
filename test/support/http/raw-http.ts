// Sends raw bytes to a port and reads the answer: for requests that no HTTP client would send.
import { connect } from 'node:net'
import { promised } from '../time.ts'
import { ApiAnswer } from './http.ts'

export type RawOptions = {
  /** Reads only after everything is written, like simple clients. */
  writeFirst?: boolean
  /** Closes the sending side after the last byte. */
  end?: boolean
  timeoutMs?: number
}

/** Sends raw bytes on a separate connection, and returns the first response. */
export function sendRaw(
  url: string,
  parts: Array<string | Buffer>,
  options: RawOptions = {},
): Promise<ApiAnswer> {
  const { writeFirst = false, end = false, timeoutMs = promised(5_000) } = options
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = Buffer.alloc(0)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      socket.destroy()
      settle()
    }
    const fail = (reason: string) =>
      finish(() => reject(new Error(`${reason}; received so far: ${received.toString('latin1')}`)))
    const timer = setTimeout(() => fail('No whole answer in time'), timeoutMs)
    const listen = () =>
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk])
        const answered = parseAnswer(received)
        if (answered) finish(() => resolve(answered))
      })
    socket.on('error', (error) => fail(error.message))
    socket.on('end', () => fail('The connection ended'))
    if (!writeFirst) listen()
    for (const part of parts) socket.write(part)
    socket.write('', (error) => {
      if (writeFirst && error) return fail(error.message)
      if (writeFirst) listen()
      if (end) socket.end()
    })
  })
}

function parseAnswer(received: Buffer): ApiAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const body = received.subarray(headEnd + 4)
  if (body.length < Number(headers.get('Content-Length') ?? 0)) return undefined
  return new ApiAnswer(Number(statusLine.split(' ')[1]), headers, body.toString('utf8'))
}
