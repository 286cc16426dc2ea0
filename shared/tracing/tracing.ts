// A request and all the work that it causes, told as a trace. What that takes is loaded where an operator asks for traces; else
// there are no spans, and whoever would begin one goes on without.
import { AsyncLocalStorage } from 'node:async_hooks'

export type Attributes = Record<string, string | number | boolean>

export type SpanOptions = {
  kind: 'server' | 'producer' | 'consumer' | 'client'
  /** A span of this process, or the traceparent of another one's. */
  parent?: Span | string | undefined
  links?: Span[]
  /** Never what a caller has sent: nothing that says something of a person may leave in a trace. */
  attributes?: Attributes
}

export type Span = {
  readonly traceId: string
  /** What another process takes for the parent of its own spans. */
  readonly traceparent: string
  rename(name: string): void
  set(attributes: Attributes): void
  link(other: Span): void
  /** With what it failed with; only its kind is told. */
  end(error?: unknown): void
}

export type Tracer = {
  /** Undefined where the trace is not one of those that are sampled. */
  startSpan(name: string, options: SpanOptions): Span | undefined
  stop(): Promise<void>
}

const current = new AsyncLocalStorage<Span>()
let tracer: Tracer | undefined

export function setTracer(chosen: Tracer | undefined) {
  tracer = chosen
}

/** The beginning of a trace, or of this process's part of one. */
export function startTrace(name: string, options: SpanOptions): Span | undefined {
  return tracer?.startSpan(name, options)
}

/** Undefined where nothing is traced that this would be a part of. */
export function startSpan(name: string, options: SpanOptions): Span | undefined {
  const parent = options.parent ?? currentSpan()
  return parent === undefined ? undefined : tracer?.startSpan(name, { ...options, parent })
}

export function currentSpan(): Span | undefined {
  return tracer && current.getStore()
}

/** What `work` starts is a part of the span. */
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
