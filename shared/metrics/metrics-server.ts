// Serves metrics and health checks for a process that has no other port. A fault here never stops the process: if the
// port is taken, for example by the process that this one replaces, the server tries again.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { FaultLog } from '../utilities/fault-log.ts'
import type { Log } from '../utilities/log.ts'

const RETRY_AFTER_MS = 2_000

type ListenAddress = { host: string; port: number }
type MetricsSource = {
  registry: Registry
  /** Whether the process can do its work, as /readyz reports it. */
  isReady(): boolean | Promise<boolean>
}

type MetricsAnswer = { status: number; type?: string; text: string }

const NOT_FOUND: MetricsAnswer = { status: 404, text: '{"status":"not found"}' }

const ANSWERS_BY_PATH: Record<string, (shown: MetricsSource) => MetricsAnswer | Promise<MetricsAnswer>> = {
  '/healthz': () => ({ status: 200, text: '{"status":"ok"}' }),
  '/readyz': async ({ isReady }) =>
    (await isReady())
      ? { status: 200, text: '{"status":"ready"}' }
      : { status: 503, text: '{"status":"not ready"}' },
  '/metrics': async ({ registry }) => ({
    status: 200,
    type: registry.contentType,
    text: await registry.metrics(),
  }),
}

export class MetricsServer {
  readonly #server: Server
  readonly #address: ListenAddress
  readonly #log: Log
  readonly #faults: FaultLog
  #timer: NodeJS.Timeout | undefined

  constructor(shown: MetricsSource, address: ListenAddress, log: Log) {
    this.#address = address
    this.#log = log
    this.#faults = new FaultLog(log, 'metrics are served again')
    this.#server = createServer(async ({ url, method }, response) => {
      const isRead = method === 'GET' || method === 'HEAD'
      const answer = isRead ? ANSWERS_BY_PATH[url?.split('?')[0] ?? ''] : undefined
      try {
        const {
          status,
          type = 'application/json; charset=utf-8',
          text,
        } = (await answer?.(shown)) ?? NOT_FOUND
        response.writeHead(status, { 'Content-Type': type }).end(text)
      } catch (error) {
        log.warn({ err: error }, 'could not read the metrics')
        response.writeHead(500).end()
      }
    })
    this.#server.on('error', (error) => this.#retry(error))
    this.#server.on('listening', () => this.#announce())
    this.#listen()
  }

  stop() {
    clearTimeout(this.#timer)
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #listen() {
    this.#server.listen(this.#address.port, this.#address.host)
  }

  #announce() {
    this.#faults.over()
    const { port } = this.#server.address() as AddressInfo
    this.#log.info({ metricsPort: port }, 'showing metrics')
  }

  #retry(error: Error) {
    const { port } = this.#address
    this.#faults.fault(error, `METRICS_PORT ${port} cannot be listened on; trying again`)
    this.#timer = setTimeout(() => this.#listen(), RETRY_AFTER_MS)
  }
}
