// Traces a request and all the work that it causes. The packages for tracing are only loaded if an operator turns it
// on. If tracing is off, there are no spans, and callers continue without them.
import { AsyncLocalStorage } from 'node:async_hooks'

export type SpanAttributes = Record<string, string | number | boolean>

export type SpanOptions = {
  kind: 'server' | 'producer' | 'consumer' | 'client'
  /** The parent of the new span: a span of this process, or the traceparent of a span of another process. */
  parent?: Span | string | undefined
  links?: Span[]
  /**
   * The attributes of a span. They must not contain anything that a caller has sent, because no personal data may leave
   * in a trace.
   */
  attributes?: SpanAttributes
}

export type Span = {
  readonly traceId: string
  /** The traceparent of this span, which another process uses as the parent of its own spans. */
  readonly traceparent: string
  rename(name: string): void
  set(attributes: SpanAttributes): void
  link(other: Span): void
  /** Ends the span. If the work failed, only the kind of its error is recorded. */
  end(error?: unknown): void
}

export type Tracer = {
  /** Starts a span. Returns undefined if the trace is not sampled. */
  startSpan(name: string, options: SpanOptions): Span | undefined
  stop(): Promise<void>
}

const currentSpanStorage = new AsyncLocalStorage<Span>()
let tracer: Tracer | undefined

export function setTracer(chosen: Tracer | undefined) {
  tracer = chosen
}

/** Starts a trace, or continues in this process the trace of another process. */
export function startTrace(name: string, options: SpanOptions): Span | undefined {
  return tracer?.startSpan(name, options)
}

/** Starts a span as part of the current trace. Returns undefined if there is no current trace. */
export function startSpan(name: string, options: SpanOptions): Span | undefined {
  const parent = options.parent ?? getCurrentSpan()
  return parent === undefined ? undefined : tracer?.startSpan(name, { ...options, parent })
}

export function getCurrentSpan(): Span | undefined {
  return tracer && currentSpanStorage.getStore()
}

/** Runs `work`. Spans that it starts become children of this span. */
export function runWithinSpan<Result>(span: Span | undefined, work: () => Result): Result {
  return span ? currentSpanStorage.run(span, work) : work()
}

export async function runTraced<Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, options)
  if (!span) return work(undefined)
  try {
    const result = await runWithinSpan(span, () => work(span))
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
