// Reports attempts to the metrics, and as spans in the traces of their requests. A job may carry attempts of several traces: each gets a span
// in its own trace, and shared work goes to the first sampled trace, linked to all others.
import { type Envelope, type JobName, jobs } from '../../shared/jobs/jobs.ts'
import { type Span, startSpan, within } from '../../shared/tracing/tracing.ts'
import type { Ended, WorkObserver } from '../runtime/attempts.ts'

/** Undefined if its trace is not sampled. */
export function startAttemptSpan(name: JobName, { traceparent, attempt }: Envelope): Span | undefined {
  // Work that no request has asked for does not begin a trace.
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

export function endAttemptSpan(span: Span | undefined, ended: Ended) {
  if (!span) return
  if (ended instanceof Error) return span.end(ended)
  span.set({ 'berth.outcome': 'skipped' in ended ? 'skipped' : (ended.refused ?? 'done') })
  span.end()
}

export async function traceTogether<Result>(
  attempts: Array<{ span?: Span | undefined }>,
  work: () => Promise<Result>,
): Promise<Result> {
  const links = attempts.flatMap(({ span }) => span ?? [])
  const [parent] = links
  if (!parent) return work()
  if (attempts.length === 1) return within(parent, work)
  const batch = startSpan('process batch', {
    kind: 'consumer',
    parent,
    links,
    attributes: { 'messaging.system': 'bullmq', 'messaging.batch.message_count': attempts.length },
  })
  for (const link of links) if (batch) link.link(batch)
  try {
    const result = await within(batch, work)
    batch?.end()
    return result
  } catch (error) {
    batch?.end(error)
    throw error
  }
}

const DONE: Ended = { status: 204 }

/** Reports the outcome and duration of work to the metrics. */
export async function observed<Done extends Ended | undefined>(
  observer: WorkObserver | undefined,
  job: string,
  work: () => Promise<Done>,
): Promise<Done> {
  if (!observer) return work()
  const startedMs = performance.now()
  const tell = (ended: Ended) => observer.ended(job, ended, (performance.now() - startedMs) / 1_000)
  try {
    const done = await work()
    tell(done ?? DONE)
    return done
  } catch (error) {
    tell(error as Error)
    throw error
  }
}
