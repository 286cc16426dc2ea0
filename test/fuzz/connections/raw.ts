// Connections that behave badly: opened, written to in parts, read or not, and watched until the server lets them go.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type Raw = { socket: Socket; receivedBytes(): number; text(): string; closed: Promise<number> }

const KEPT_BYTES_MAX = 64 * 1024

/** `closed` is how long it lived, in ms. Whoever does not read is paused from the beginning. */
export async function openRaw(url: string, { reads = true } = {}): Promise<Raw> {
  const { hostname, port } = new URL(url)
  const startedMs = Date.now()
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let bytes = 0
  let text = ''
  socket.on('error', () => undefined)
  const closed = new Promise<number>((resolve) => {
    const note = () => resolve(Date.now() - startedMs)
    socket.on('close', note).on('end', () => {
      note()
      socket.end()
    })
  })
  await once(socket, 'connect')
  if (reads)
    socket.on('data', (piece) => {
      bytes += piece.length
      if (text.length < KEPT_BYTES_MAX) text += piece.toString('latin1')
    })
  return { socket, receivedBytes: () => bytes, text: () => text, closed }
}

/** In groups: a listening queue is only so long. */
export async function openMany(
  url: string,
  count: number,
  options: { reads?: boolean } = {},
): Promise<Raw[]> {
  const opened: Raw[] = []
  while (opened.length < count) {
    const group = Math.min(200, count - opened.length)
    opened.push(...(await Promise.all(Array.from({ length: group }, () => openRaw(url, options)))))
  }
  return opened
}

export function closeAll(connections: Raw[]): void {
  for (const { socket } of connections) socket.destroy()
}

export function head(lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`
}
