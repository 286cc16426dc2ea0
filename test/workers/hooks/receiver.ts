// A webhook receiver: a real server with configurable responses that records its requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { useWith } from '../../support/use.ts'

export type ReceivedRequest = { headers: Record<string, string>; body: string; atMs: number; path: string }
type Answer = (response: ServerResponse, received: ReceivedRequest) => void

export type Receiver = {
  url: string
  received: ReceivedRequest[]
  /** The receiver's response to further requests. */
  answer: Answer
  close(): Promise<void>
}

export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) => {
    response.writeHead(code, headers).end(body)
  }

export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], answer: status(200), close: async () => undefined }
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const received = {
      headers,
      body: Buffer.concat(chunks).toString(),
      atMs: Date.now(),
      path: request.url ?? '',
    }
    receiver.received.push(received)
    receiver.answer(response, received)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  receiver.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return receiver
}

export const useReceiver = (world: object) => useWith(world, startReceiver, (receiver) => receiver.close())
