// Small HTTP servers for the test servers of calendars, and a proxy that makes a provider fail.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export type TestRequest = {
  method: string
  url: URL
  headers: http.IncomingHttpHeaders
  body: string
}
export type TestAnswer = { status: number; headers?: Record<string, string>; body?: string | object }

export type TestServer = { url: string; close(): Promise<void> }

/** Starts a server. A handler that throws answers 500, which names the error. */
export async function startHttp(
  handle: (request: TestRequest, response: http.ServerResponse) => Promise<TestAnswer | undefined>,
): Promise<TestServer> {
  const server = http.createServer(async (incoming, response) => {
    const body = await readBody(incoming)
    const request: TestRequest = {
      method: incoming.method ?? '',
      url: new URL(incoming.url ?? '/', `http://${incoming.headers.host}`),
      headers: incoming.headers,
      body,
    }
    const answer = await handle(request, response).catch((error) => ({
      status: 500,
      body: { error: { code: 'TestServer', message: String(error) } },
    }))
    if (answer) send(response, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(response: http.ServerResponse, { status, headers, body }: TestAnswer) {
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
  response.writeHead(status, {
    ...(typeof body === 'object' && { 'Content-Type': 'application/json; charset=utf-8' }),
    ...headers,
  })
  response.end(status === 204 ? undefined : text)
}

async function readBody(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export type Fault = {
  /** Says which requests get the fault. Without it, all do. */
  matches?: (request: TestRequest) => boolean
  /** Whether each request that matches gets the fault as long as it is in the list, and not only the first one. */
  isLasting?: boolean
  /** Whether the provider carries the request out before its answer is lost or replaced. */
  isCarriedOut?: boolean
  /** Replaces the answer. Without it the connection ends. */
  answer?: TestAnswer | ((response: http.ServerResponse) => void)
}

export type FaultProxy = TestServer & { requests: TestRequest[]; faults: Fault[] }

/** Starts a proxy before a server. It passes on what no fault matches. */
export async function startFaultProxy(targetUrl: string): Promise<FaultProxy> {
  const requests: TestRequest[] = []
  const faults: Fault[] = []
  const server = await startHttp(async (request, response) => {
    requests.push(request)
    const fault = faults.find(({ matches }) => !matches || matches(request))
    if (fault && !fault.isLasting) faults.splice(faults.indexOf(fault), 1)
    const passed = fault && !fault.isCarriedOut ? undefined : await pass(request, targetUrl)
    if (!fault) return passed
    if (typeof fault.answer === 'function') fault.answer(response)
    else if (fault.answer) return fault.answer
    else response.destroy()
    return undefined
  })
  return { ...server, requests, faults }
}

async function pass({ method, url, headers, body }: TestRequest, targetUrl: string): Promise<TestAnswer> {
  const target = new URL(url.pathname + url.search, targetUrl)
  const request = http.request(target, {
    method,
    // Keeps Host, so that the links of the provider lead to the proxy.
    headers: { ...headers, connection: 'close' },
    agent: false,
  })
  request.end(body)
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage]
  const kept = Object.entries(answer.headers).filter(
    ([name]) => !['connection', 'transfer-encoding', 'content-length', 'keep-alive'].includes(name),
  )
  return {
    status: answer.statusCode ?? 502,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    body: await readBody(answer),
  }
}
