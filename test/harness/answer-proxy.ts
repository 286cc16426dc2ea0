// An HTTP server in front of another one, which changes its answers: a suite that checks a server must find each change.
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Each byte of the text is one character, also those of a picture. */
export type ProxiedAnswer = { method: string; path: string; status: number; text: string }

/** What differs in the answer; `undefined` closes the connection without an answer. */
export type Change = (answer: ProxiedAnswer) => { status?: number; text?: string } | undefined

/** The addresses that the server puts into its answers become those of the proxy. */
export async function startAnswerProxy(url: string, change: Change) {
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '', headers } = incoming
    const own = `http://${headers.host}`
    const passed = send(url, { method, headers: forwarded(headers), path, agent: false }, async (answer) => {
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
    })
    passed.on('error', () => incoming.socket.destroy())
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

const forwarded = (headers: IncomingHttpHeaders) => ({ ...headers, 'accept-encoding': 'identity' })
