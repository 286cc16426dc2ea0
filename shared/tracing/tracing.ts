// Traces a request and all the work that it causes. The packages for this are only loaded if an operator
// requests traces; otherwise there are no spans, and callers go on without them.
import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Record<string, string | number | boolean>

export type SpanOptions = {
  kind: 'server' | 'producer' | 'consumer' | 'client'
  /** A span of this process, or the traceparent of another's. */
  parent?: Span | string | undefined
  links?: Span[]
  /** Never anything that a caller has sent: no personal data may leave in a trace. */
  attributes?: Attributes
}

export type Span = {
  readonly traceId: string
  /** What another process uses as the parent of its own spans. */
  readonly traceparent: string
  rename(name: string): void
  set(attributes: Attributes): void
  link(other: Span): void
  /** With the error, if it failed; only the kind of error is recorded. */
  end(error?: unknown): void
}

export type Tracer = {
  /** Undefined if the trace is not sampled. */
  startSpan(name: string, options: SpanOptions): Span | undefined
  stop(): Promise<void>
}

const current = new AsyncLocalStorage<Span>()
let tracer: Tracer | undefined

export function setTracer(chosen: Tracer | undefined) {
  tracer = chosen
}

/** Starts a trace, or this process's part of one. */
export function startTrace(name: string, options: SpanOptions): Span | undefined {
  return tracer?.startSpan(name, options)
}

/** Undefined without a trace that it would be part of. */
export function startSpan(name: string, options: SpanOptions): Span | undefined {
  const parent = options.parent ?? currentSpan()
  return parent === undefined ? undefined : tracer?.startSpan(name, { ...options, parent })
}

export function currentSpan(): Span | undefined {
  return tracer && current.getStore()
}

/** Spans that `work` starts become part of this span. */
export function within<Result>(span: Span | undefined, work: () => Result): Result {
  return span ? current.run(span, work) : work()
}

export async function traced<Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(name, options)
  if (!span) return work(undefined)
  try {
    const result = await within(span, () => work(span))
    span.end()
    return result
  } catch (error) {
    span.end(error)
    throw error
  }
}
