// Sends the form of an import by hand over a plain socket, whole or in part, for callers that disconnect.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Client } from './http.ts'
import { type OpenedResponse, readHead } from './reading.ts'

const BOUNDARY = 'a-boundary'

/** Sends the file of the form, and optionally its end. A caller that omits the end can disconnect in the middle. */
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

/** Sends an import, and returns when the headers of the response have arrived. */
export async function openImport(client: Client, list: string): Promise<OpenedResponse> {
  return readHead(await beginImport(client, list))
}
