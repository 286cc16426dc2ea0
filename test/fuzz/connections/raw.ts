// Badly behaved connections, which write in parts or do not read, and record when the server closes them.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawConnection = {
  socket: Socket
  receivedBytes(): number
  text(): string
  closed: Promise<number>
}

const RECORDED_BYTES_MAX = 64 * 1024

/** `closed` is the lifetime of the connection in ms. A connection that does not read is paused from the beginning. */
export async function openRawConnection(url: string, { reads = true } = {}): Promise<RawConnection> {
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
      if (text.length < RECORDED_BYTES_MAX) text += piece.toString('latin1')
    })
  return { socket, receivedBytes: () => bytes, text: () => text, closed }
}

/** Opens connections in groups, because the listen queue of the server is limited. */
export async function openManyConnections(
  url: string,
  count: number,
  options: { reads?: boolean } = {},
): Promise<RawConnection[]> {
  const opened: RawConnection[] = []
  while (opened.length < count) {
    const group = Math.min(200, count - opened.length)
    opened.push(...(await Promise.all(Array.from({ length: group }, () => openRawConnection(url, options)))))
  }
  return opened
}

export function closeAll(connections: RawConnection[]): void {
  for (const { socket } of connections) socket.destroy()
}

export function formatHead(lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`
}
