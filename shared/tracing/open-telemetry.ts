// Creates spans with OpenTelemetry and sends them as OTLP over HTTP. Only this file uses OpenTelemetry's packages, and
// processes load it only if tracing is on. The exporter itself reads its address, headers and timeouts from environment
// variables (OTEL_EXPORTER_OTLP_…).
import {
  type Span as ApiSpan,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { RootSampler, TracingSettings } from '../settings/config.ts'
import { FaultLog } from '../utilities/fault-log.ts'
import type { Log } from '../utilities/log.ts'
import type { Span, SpanAttributes, SpanOptions, Tracer } from './tracing.ts'

const SPAN_KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
}
const SEND_EVERY_MS = 1_000
const FAULT_OVER_AFTER_MS = 60_000
const TRACEPARENT_PATTERN = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/

export function startTracer(service: string, settings: TracingSettings, log: Log): Tracer {
  reportFaults(log)
  const provider = new TracerProvider({
    sampler: createSampler(settings),
    // The operator's own description of the service takes precedence over the default.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': service }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: SEND_EVERY_MS }),
    ],
  })
  const tracer = provider.getTracer('berth')
  return {
    startSpan(name, { kind, parent, links = [], attributes = {} }: SpanOptions) {
      const span = tracer.startSpan(
        name,
        { kind: SPAN_KINDS[kind], attributes, links: links.flatMap(createLink) },
        getContext(parent),
      )
      return span.isRecording() ? new RecordedSpan(span) : undefined
    },
    stop: () => provider.shutdown(),
  }
}

class RecordedSpan implements Span {
  readonly context: Context
  readonly #span: ApiSpan

  constructor(span: ApiSpan) {
    this.#span = span
    this.context = trace.setSpan(ROOT_CONTEXT, span)
  }

  get spanContext() {
    return this.#span.spanContext()
  }

  get traceId(): string {
    return this.spanContext.traceId
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.spanContext.spanId}-01`
  }

  rename(name: string) {
    this.#span.updateName(name)
  }

  set(attributes: SpanAttributes) {
    this.#span.setAttributes(attributes)
  }

  link(other: Span) {
    this.#span.addLinks(createLink(other))
  }

  end(error?: unknown) {
    if (error !== undefined) {
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
      this.#span.setAttribute('error.type', getErrorKind(error))
    }
    this.#span.end()
  }
}

function createLink(span: Span) {
  return span instanceof RecordedSpan ? [{ context: span.spanContext }] : []
}

function getContext(parent: Span | string | undefined): Context {
  if (parent instanceof RecordedSpan) return parent.context
  const [, traceId, spanId, flags] = TRACEPARENT_PATTERN.exec(typeof parent === 'string' ? parent : '') ?? []
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

/**
 * Returns an error code of Postgres or of the system, or the name of the error. Leaves out the message, because it may
 * contain values.
 */
function getErrorKind(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  if (typeof code === 'string') return code
  return typeof name === 'string' ? name : 'Error'
}

function createSampler({ sampler, ratio }: TracingSettings): Sampler {
  const root = sampler.replace('parentbased_', '') as RootSampler
  const chosen = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }[root]()
  return root === sampler ? chosen : new ParentBasedSampler({ root: chosen })
}

// Logs a lasting fault of the exporter only once, although the exporter reports it at each attempt.
function reportFaults(log: Log) {
  const faults = new FaultLog(log, 'traces are sent again', FAULT_OVER_AFTER_MS)
  const report = (message: string) => faults.fault(new Error(message), 'could not send traces')
  const ignore = () => undefined
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
