// A collector of OpenTelemetry's, as far as Berth needs one, and the tracing of this process that sends to it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TracingSettings } from '../../../shared/settings/config.ts'
import { startTracing } from '../../../shared/tracing/start-tracing.ts'
import { createLog } from '../../../shared/utilities/log.ts'

type Value = { stringValue?: string; intValue?: number; boolValue?: boolean; doubleValue?: number }
type Attribute = { key: string; value: Value }

/** As OTLP writes it in JSON. */
type Sent = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
  links?: Array<{ traceId: string; spanId: string }>
  status: { code: number; message?: string }
}

export type CollectedSpan = Omit<Sent, 'attributes'> & { attributes: Record<string, unknown> }

type Collector = {
  url: string
  spans(): CollectedSpan[]
  /** All that was sent, as it came. */
  text(): string
  close(): Promise<void>
}

async function startCollector(): Promise<Collector> {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url === '/v1/traces') bodies.push(body)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansOf),
    text: () => bodies.join('\n'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function spansOf(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: Array<{ scopeSpans: Array<{ spans: Sent[] }> }>
  }
  const sent = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  return sent.map((span) => ({
    ...span,
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }))
}

export type Traces = Collector & {
  /** Sends what is there; nothing more is traced. */
  flush(): Promise<void>
}

const ALWAYS: TracingSettings = { sampler: 'parentbased_always_on', ratio: 1 }

/** From here on this process is traced, its gateways and workers alike. */
export async function startTraces(settings = ALWAYS): Promise<Traces> {
  const collector = await startCollector()
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
  const flush = await startTracing('test', settings, createLog('test', 'silent'))
  return {
    ...collector,
    flush,
    async close() {
      await flush()
      delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
      await collector.close()
    },
  }
}
