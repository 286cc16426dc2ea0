// Adds an attempt to its queue: a write in a batch, anything else as its own job. If the request is traced,
// the worker's part of the trace continues from here.
import type { Queue } from 'bullmq'
import { type Envelope, type JobName, jobs } from '../../shared/jobs/jobs.ts'
import { traced } from '../../shared/tracing/tracing.ts'
import type { Batches, EnqueuedAttempt } from './batches.ts'

/** Resolves once the job is in Redis; fails as `queue.add` does. */
export function sendJob(
  batches: Batches,
  queue: Queue,
  name: JobName,
  envelope: Envelope,
): Promise<EnqueuedAttempt> {
  return traceSending(name, envelope, async (sent) => {
    if (jobs[name].queue === 'writes') return batches.add(queue, name, sent)
    await queue.add(name, sent, { jobId: sent.attempt })
    return { jobId: sent.attempt, end: () => undefined }
  })
}

function traceSending<Result>(
  name: JobName,
  envelope: Envelope,
  send: (envelope: Envelope) => Promise<Result>,
): Promise<Result> {
  const { queue } = jobs[name]
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.operation.type': 'send',
    'berth.job': name,
    'berth.attempt': envelope.attempt,
  }
  return traced(`send ${queue}`, { kind: 'producer', attributes }, (span) =>
    send(span ? { ...envelope, traceparent: span.traceparent } : envelope),
  )
}
