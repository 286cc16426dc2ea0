// Sends the form of an import by hand, over a bare socket: whole or in part, for callers that go away.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Client } from './http.ts'
import { type Opened, readHead } from './reading.ts'

const BOUNDARY = 'a-boundary'

/** What is sent of the form: its file, and perhaps its end. Whoever leaves the end out may go away in the middle. */
export async function beginImport(
  { url, token }: Client,
  list: string,
  { isWhole = true }: { isWhole?: boolean } = {},
): Promise<Socket> {
  const start = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="users.csv"\r\n\r\n`
  const end = `\r\n--${BOUNDARY}--\r\n`
  const length = Buffer.byteLength(start + list + end)
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = [
    'POST /api/v1/users/import HTTP/1.1',
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    `Content-Length: ${length}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${start}${list}${isWhole ? end : ''}`)
  return socket
}

/** The answer when its head is there. */
export async function openImport(client: Client, list: string): Promise<Opened> {
  return readHead(await beginImport(client, list))
}
