// Reads an answer by hand: slowly, in part, or not at all. Uses plain sockets, because nock intercepts http
// and reads everything immediately.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './http.ts'

const PIECE_BYTES = 200_000
const PAUSE_MS = 100
const HEAD_END = '\r\n\r\n'

export type OpenedResponse = { socket: Socket; status: number; headers: Headers; begun: Buffer }

/** Returns when the headers have arrived, without reading further parts of the body. */
export async function openAnswer({ url, token }: Client, path: string): Promise<OpenedResponse> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET /api/v1/${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nConnection: close${HEAD_END}`,
  )
  return readHead(socket)
}

export async function readHead(socket: Socket): Promise<OpenedResponse> {
  let received = Buffer.alloc(0)
  while (!received.includes(HEAD_END)) {
    await once(socket, 'readable')
    const part = socket.read() as Buffer | null
    if (part === null && socket.readableEnded) throw new Error('The connection ended before the answer')
    received = Buffer.concat([received, part ?? Buffer.alloc(0)])
  }
  const end = received.indexOf(HEAD_END)
  const [statusLine = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  return {
    socket,
    status: Number(statusLine.split(' ')[1]),
    headers: new Headers(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])),
    begun: received.subarray(end + HEAD_END.length),
  }
}

/** Reads a whole response: slowly for a time or until a promise settles, and then as fast as it arrives. */
export async function readSlowly({ socket, begun }: OpenedResponse, slowly: number | Promise<unknown>) {
  let isSlow = slowly !== 0
  const hurry = () => {
    isSlow = false
  }
  Promise.resolve(typeof slowly === 'number' ? sleep(slowly) : slowly).then(hurry, hurry)
  const parts = [begun]
  let bytes = 0
  for await (const part of socket as AsyncIterable<Buffer>) {
    parts.push(part)
    bytes += part.length
    if (bytes < PIECE_BYTES || !isSlow) continue
    bytes = 0
    await sleep(PAUSE_MS)
  }
  return joinChunks(Buffer.concat(parts))
}

export const readAll = (opened: OpenedResponse) => readSlowly(opened, 0)

/** Waits until a condition holds, or fails with the last value. */
export async function eventually<T>(look: () => Promise<T>, holds: (value: T) => boolean, withinMs = 20_000) {
  const endsMs = Date.now() + withinMs
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (Date.now() > endsMs) throw new Error(`Still ${JSON.stringify(value)} after ${withinMs} ms`)
    await sleep(20)
  }
}

// A chunked body is complete only with its empty last chunk.
function joinChunks(body: Buffer): string {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at)
    if (lineEnd < 0) throw new Error('The answer was cut off')
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(chunks).toString()
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
