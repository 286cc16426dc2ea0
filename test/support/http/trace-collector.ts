// Starts a minimal OpenTelemetry collector, and tracing that sends to the collector.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TracingSettings } from '../../../shared/settings/config.ts'
import { startTracing } from '../../../shared/tracing/start-tracing.ts'
import { createLog } from '../../../shared/utilities/log.ts'

type AttributeValue = { stringValue?: string; intValue?: number; boolValue?: boolean; doubleValue?: number }
type Attribute = { key: string; value: AttributeValue }

/** The JSON format of OTLP. */
type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
  links?: Array<{ traceId: string; spanId: string }>
  status: { code: number; message?: string }
}

export type CollectedSpan = Omit<OtlpSpan, 'attributes'> & { attributes: Record<string, unknown> }

type Collector = {
  url: string
  spans(): CollectedSpan[]
  /** The text of all requests, unchanged. */
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
    spans: () => bodies.flatMap(parseSpans),
    text: () => bodies.join('\n'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function parseSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: Array<{ scopeSpans: Array<{ spans: OtlpSpan[] }> }>
  }
  const sent = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  return sent.map((span) => ({
    ...span,
    attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }))
}

export type Traces = Collector & {
  /** Sends pending spans, and stops tracing. */
  flush(): Promise<void>
}

const ALWAYS_SAMPLE: TracingSettings = { sampler: 'parentbased_always_on', ratio: 1 }

/** Starts to trace the current process, including its gateways and workers. */
export async function startTraces(settings = ALWAYS_SAMPLE): Promise<Traces> {
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
