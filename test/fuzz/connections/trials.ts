// Trials that stress a gateway only by their connections. Each returns its figures, and the promises that were broken.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../../support/http/http.ts'
import { within } from '../../support/time.ts'
import type { Figures, Finding } from '../findings.ts'
import { closeAll, formatHead, openManyConnections, openRawConnection, type RawConnection } from './raw.ts'

export type Trial = { figures: Figures; findings: Finding[] }

const limit = (isKept: boolean, what: string): Finding[] => (isKept ? [] : [{ promise: 'limits hold', what }])

const RELEASED_MS_MAX = 30_000

const createRequestHead = ({ token }: Client, line: string, ...lines: string[]) =>
  formatHead([line, 'Host: x', `Authorization: Bearer ${token}`, ...lines])

/** Opens connections that send nothing, while other clients are served. */
export async function testIdleConnections(client: Client, count: number, heldMs: number): Promise<Trial> {
  const connections = await openManyConnections(client.url, count)
  await wait(heldMs)
  closeAll(connections)
  return { figures: { 'idle connections': count }, findings: [] }
}

/** Sends all requests of a connection without waiting for responses, and expects the responses in order. */
export async function testPipelining(client: Client, count: number): Promise<Trial> {
  const connection = await openRawConnection(client.url)
  const requests = Array.from({ length: count }, (_, number) =>
    createRequestHead(
      client,
      'GET /api/v1/groups HTTP/1.1',
      `X-Request-Id: ${number}`,
      'Accept-Encoding: identity',
    ),
  )
  let ids: string[] = []
  let text = ''
  connection.socket.on('data', (piece) => {
    text += piece.toString('latin1')
  })
  connection.socket.write(requests.join(''))
  const whole = async () => {
    do {
      await wait(20)
      ids = [...text.matchAll(/X-Request-Id: (\d+)/gi)].map(([, id = '']) => id)
    } while (ids.length < count)
  }
  await within(60_000, whole()).catch(() => undefined)
  closeAll([connection])
  const inOrder = ids.every((id, at) => id === String(at))
  const what = `${ids.length} of ${count} pipelined requests answered, in order: ${inOrder}`
  return { figures: { 'pipelined requests': count }, findings: limit(inOrder && ids.length === count, what) }
}

/** Opens connections that close their sending side before, during or after a request. The server must close them. */
export async function testHalfOpenConnections(client: Client, count: number): Promise<Trial> {
  const connections = await openManyConnections(client.url, count)
  const request = createRequestHead(client, 'GET /api/v1/groups HTTP/1.1')
  const starts = ['', request.slice(0, request.length / 2), request]
  for (const [number, { socket }] of connections.entries()) socket.end(starts[number % starts.length] ?? '')
  const lives = await Promise.all(
    connections.map(({ closed }) => within(RELEASED_MS_MAX, closed).catch(() => undefined)),
  )
  closeAll(connections)
  const held = lives.filter((ms) => ms === undefined).length
  const slowestMs = Math.max(...lives.map((ms) => ms ?? 0))
  return {
    figures: { 'half-open connections': count, 'half-open connections let go within': `${slowestMs} ms` },
    findings: limit(held === 0, `${held} of ${count} half-open connections were held`),
  }
}

/** Requests a long listing and does not read it. The gateway must cut the connection and free its resources. */
export async function testSlowReaders(client: Client, count: number, cutMs: number): Promise<Trial> {
  const connections = await openManyConnections(client.url, count, { reads: false })
  const target = '/api/v1/bookings?from=2026-03-02T00:00:00Z&to=2026-03-08T00:00:00Z'
  for (const { socket } of connections)
    socket.write(createRequestHead(client, `GET ${target} HTTP/1.1`, 'Connection: close'))
  await wait(cutMs)
  // Reads the buffered part of the response, which would be complete if the gateway had not cut it.
  const lengths = await Promise.all(connections.map(drain))
  closeAll(connections)
  const whole = lengths.filter(({ isCut }) => !isCut).length
  return {
    figures: { 'slow readers': count },
    findings: limit(whole === 0, `${whole} of ${count} answers were not cut although nobody read them`),
  }
}

async function drain({ socket, closed }: RawConnection): Promise<{ isCut: boolean }> {
  let tail = ''
  socket.on('data', (piece) => {
    tail = (tail + piece.toString('latin1')).slice(-16_384)
  })
  socket.resume()
  const isOver = await within(15_000, closed).then(
    () => true,
    () => false,
  )
  const isRefused = /^HTTP\/1\.1 (429|503)/.test(tail)
  return { isCut: isRefused || (isOver && !tail.endsWith('0\r\n\r\n')) }
}

/** Sends headers or a body one byte at a time. The server must end the connection after its time limit. */
export async function testSlowWriters(client: Client, count: number, endedMs: number): Promise<Trial> {
  const connections = await openManyConnections(client.url, count)
  const starts = [
    'GET /api/v1/groups HTTP/1.1\r\nX-Slow: ',
    createRequestHead(
      client,
      'POST /api/v1/bookings HTTP/1.1',
      'Content-Type: application/json',
      'Content-Length: 100000',
    ),
  ]
  for (const [number, { socket }] of connections.entries()) socket.write(starts[number % 2] ?? '')
  const drip = setInterval(() => {
    for (const { socket } of connections) if (socket.writable) socket.write('1')
  }, 1_000)
  const lives = await Promise.all(
    connections.map(({ closed }) => within(endedMs, closed).catch(() => undefined)),
  )
  clearInterval(drip)
  closeAll(connections)
  const ended = lives.filter((ms) => ms !== undefined)
  const seconds = (own: number[]) => Math.round(Math.max(0, ...own) / 1_000)
  return {
    figures: {
      'slow writers': count,
      'slow headers ended after': `${seconds(lives.filter((_, at) => at % 2 === 0).map((ms) => ms ?? 0))} s`,
      'slow bodies ended after': `${seconds(lives.filter((_, at) => at % 2 === 1).map((ms) => ms ?? 0))} s`,
    },
    findings: limit(
      ended.length === count,
      `${count - ended.length} of ${count} slow writers were never ended`,
    ),
  }
}

const BOUNDARY = 'endless'
const UPLOAD_CHUNK = Buffer.alloc(64 * 1024, 'a@example.com,Anna\n')

/** Sends endless forms and JSON bodies. The server must refuse them, read on for a while, and cut the connection. */
export async function testEndlessUploads(client: Client, count: number, cutMs: number): Promise<Trial> {
  const connections = await openManyConnections(client.url, count)
  const sent = await Promise.all(
    connections.map((connection, number) => uploadEndlessly(connection, client, number, cutMs)),
  )
  const refused = connections.filter((connection) => /^HTTP\/1\.1 413/.test(connection.text())).length
  closeAll(connections)
  const cut = sent.filter(({ isCut }) => isCut).length
  return {
    figures: {
      'uploads that never end': count,
      'taken of one at most': `${Math.round(Math.max(...sent.map(({ bytes }) => bytes)) / 1024 / 1024)} MiB`,
    },
    findings: [
      ...limit(refused === count, `${refused} of ${count} endless uploads were refused with 413`),
      ...limit(cut === count, `${cut} of ${count} endless uploads were cut`),
    ],
  }
}

async function uploadEndlessly(
  { socket, closed }: RawConnection,
  client: Client,
  number: number,
  cutMs: number,
) {
  const isForm = number % 2 === 0
  const type = isForm ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json'
  const path = isForm ? 'users/import' : 'bookings'
  const lines = [`Content-Type: ${type}`, 'Transfer-Encoding: chunked']
  socket.write(createRequestHead(client, `POST /api/v1/${path} HTTP/1.1`, ...lines))
  const start = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail,name\n`
  if (isForm) writeChunk(socket, Buffer.from(start))
  let bytes = 0
  let isCut = false
  closed.then(() => {
    isCut = true
  })
  const endsMs = Date.now() + cutMs
  while (!isCut && Date.now() < endsMs) {
    bytes += UPLOAD_CHUNK.length
    const isTaken = writeChunk(socket, UPLOAD_CHUNK)
    await (isTaken
      ? wait(0)
      : Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed, wait(1_000)]))
  }
  return { bytes, isCut }
}

function writeChunk(socket: RawConnection['socket'], piece: Buffer): boolean {
  socket.write(`${piece.length.toString(16)}\r\n`)
  socket.write(piece)
  return socket.write('\r\n')
}
