// Reports attempts to the metrics, and as spans in the traces of their requests. A job may contain attempts from
// several traces: each attempt gets a span in its own trace, and shared work goes to the first sampled trace, with
// links to all others.
import { type Envelope, type JobName, jobs } from '../../shared/jobs/jobs.ts'
import { runWithinSpan, type Span, startSpan } from '../../shared/tracing/tracing.ts'
import type { EndedAttempt, WorkObserver } from '../runtime/attempts.ts'

/** Starts the span of an attempt. Returns undefined if the trace of the attempt is not sampled. */
export function startAttemptSpan(name: JobName, { traceparent, attempt }: Envelope): Span | undefined {
  // Work that no request caused does not start a trace.
  if (traceparent === undefined) return undefined
  const { queue } = jobs[name]
  return startSpan(`process ${queue}`, {
    kind: 'consumer',
    parent: traceparent,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.destination.name': queue,
      'messaging.operation.type': 'process',
      'berth.job': name,
      'berth.attempt': attempt,
    },
  })
}

export function endAttemptSpan(span: Span | undefined, ended: EndedAttempt) {
  if (!span) return
  if (ended instanceof Error) return span.end(ended)
  span.set({ 'berth.outcome': 'skipped' in ended ? 'skipped' : (ended.refused ?? 'done') })
  span.end()
}

export async function traceBatch<Result>(
  attempts: Array<{ span?: Span | undefined }>,
  work: () => Promise<Result>,
): Promise<Result> {
  const links = attempts.flatMap(({ span }) => span ?? [])
  const [parent] = links
  if (!parent) return work()
  if (attempts.length === 1) return runWithinSpan(parent, work)
  const batch = startSpan('process batch', {
    kind: 'consumer',
    parent,
    links,
    attributes: { 'messaging.system': 'bullmq', 'messaging.batch.message_count': attempts.length },
  })
  for (const link of links) if (batch) link.link(batch)
  try {
    const result = await runWithinSpan(batch, work)
    batch?.end()
    return result
  } catch (error) {
    batch?.end(error)
    throw error
  }
}

const DONE_ATTEMPT: EndedAttempt = { status: 204 }

/** Reports the outcome and duration of work to the metrics. */
export async function observeWork<HandlerReply extends EndedAttempt | undefined>(
  observer: WorkObserver | undefined,
  job: string,
  work: () => Promise<HandlerReply>,
): Promise<HandlerReply> {
  if (!observer) return work()
  const startedMs = performance.now()
  const tell = (ended: EndedAttempt) => observer.ended(job, ended, (performance.now() - startedMs) / 1_000)
  try {
    const done = await work()
    tell(done ?? DONE_ATTEMPT)
    return done
  } catch (error) {
    tell(error as Error)
    throw error
  }
}
