// One listening server over the app, and how it ends: no new connections, the requests under way finished.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Config } from '../shared/config.ts'
import type { Log } from '../shared/log.ts'
import type { RunningProcess } from '../shared/process.ts'
import { problemBody, Refusal } from '../shared/refusal.ts'
import { createApp } from './app.ts'
import { openServices } from './services.ts'

// Longer than the usual idle time of load balancers (60 s), which would otherwise meet connections just closed.
const KEEP_ALIVE_MS = 75_000

export type RunningServer = RunningProcess & { port: number }

export async function serve(config: Config, log: Log, now?: () => number): Promise<RunningServer> {
  const services = openServices(config, log, now)
  const server = createServer(createApp(services).callback())
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('clientError', answerClientError)
  const port = await listen(server, config).catch(async (error) => {
    await services.close()
    throw error
  })
  if (!config.gatewayDatabaseUrl) {
    log.warn(
      'GATEWAY_DATABASE_URL is not set: the gateway uses a role that may write everything (npm run grants)',
    )
  }
  log.info({ port, host: config.host }, 'listening')
  return {
    port,
    async stop() {
      await drain(server)
      await services.close()
    },
  }
}

function listen(server: Server, { port, host }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

async function drain(server: Server): Promise<void> {
  // Connections that are kept alive close after the answer under way; without this they would hold the process.
  server.on('request', (_request, response) => response.setHeader('Connection', 'close'))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const sweep = setInterval(() => server.closeIdleConnections(), 200)
  server.closeIdleConnections()
  await closed
  clearInterval(sweep)
}

// What Node refuses before Koa sees it: the same shape as every other failure.
function answerClientError(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const refusal = tooLarge
    ? new Refusal('too_large', 'The headers of the request are too large.')
    : new Refusal('malformed_body', 'The request is not valid HTTP.')
  const body = problemBody(refusal, { baseUrl: '', requestId: '' })
  const status = `${refusal.status} ${tooLarge ? 'Payload Too Large' : 'Bad Request'}`
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close\r\n`
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
