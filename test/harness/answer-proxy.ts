// An HTTP proxy that changes the answers of a server, to prove that a suite detects each change.
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Each character of the text is one byte, even in a picture. */
export type ProxiedAnswer = { method: string; path: string; status: number; text: string }

/** Returns the changed parts of the response. `undefined` closes the connection without a response. */
export type Change = (answer: ProxiedAnswer) => { status?: number; text?: string } | undefined

/** Replaces the server's URLs in its answers with URLs of the proxy. */
export async function startAnswerProxy(url: string, change: Change) {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '', headers } = incoming
    const own = `http://${headers.host}`
    const passed = send(
      url,
      { method, headers: forwardHeaders(headers), path, agent: false },
      async (answer) => {
        const pieces: Buffer[] = []
        for await (const piece of answer) pieces.push(piece)
        const text = Buffer.concat(pieces).toString('latin1').replaceAll(url, own)
        const status = answer.statusCode ?? 0
        const changed = change({ method, path, status, text })
        if (!changed) return void incoming.socket.destroy()
        const { 'transfer-encoding': _chunked, 'content-length': _length, ...others } = answer.headers
        const given = { status, text, ...changed }
        outgoing.writeHead(given.status, others)
        outgoing.end([204, 304].includes(given.status) ? undefined : given.text, 'latin1')
      },
    )
    passed.on('error', () => incoming.socket.destroy())
    // The server would wait for the rest of a request whose client has left.
    incoming.on('error', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const forwardHeaders = (headers: IncomingHttpHeaders) => ({ ...headers, 'accept-encoding': 'identity' })
