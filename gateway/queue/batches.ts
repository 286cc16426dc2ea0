// Batches writes on their way into the queue. While a job is being performed, new writes wait, and then become one job
// together. Under load many writes then cost little more than one, and a single write is queued at once.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import {
  BATCH_ATTEMPTS_MAX,
  BATCH_JOB,
  type Batch,
  type Envelope,
  type JobName,
  jobs,
} from '../../shared/jobs/jobs.ts'
import { runTraced } from '../../shared/tracing/tracing.ts'
import { Batcher } from '../../shared/utilities/batcher.ts'

const SLOW_JOB_MS = 100

export type EnqueuedAttempt = {
  jobId: string
  /** Call this function when the outcome is known, or when no caller waits for it any more. */
  end(): void
}

type WaitingWrite = {
  queue: Queue
  name: JobName
  envelope: Envelope
  resolve(carried: EnqueuedAttempt): void
  reject(error: unknown): void
}

export class Batches {
  readonly #batcher = new Batcher<WaitingWrite>({
    sizeMax: BATCH_ATTEMPTS_MAX,
    slowMs: SLOW_JOB_MS,
    start: carry,
  })

  add(queue: Queue, name: JobName, envelope: Envelope): Promise<EnqueuedAttempt> {
    return new Promise((resolve, reject) => {
      this.#batcher.add([{ queue, name, envelope, resolve, reject }])
    })
  }
}

/** Queues attempts as one job. Calls `endJob` when all of them have ended, or when the job cannot be queued. */
async function carry(attempts: WaitingWrite[], endJob: () => void): Promise<void> {
  let open = attempts.length
  try {
    const jobId = await queueJob(attempts)
    const end = () => {
      open--
      if (open === 0) endJob()
    }
    for (const { resolve } of attempts) resolve({ jobId, end })
  } catch (error) {
    endJob()
    for (const { reject } of attempts) reject(error)
  }
}

/** Queues a job, and returns its id. A single attempt is queued without a batch. */
async function queueJob(attempts: WaitingWrite[]): Promise<string> {
  const [first] = attempts
  if (!first) throw new Error('A job has no attempts')
  const { queue, name, envelope } = first
  if (attempts.length === 1) {
    await queue.add(name, envelope, { jobId: envelope.attempt })
    return envelope.attempt
  }
  const jobId = randomUUID()
  const batch: Batch = { attempts: attempts.map(({ name, envelope }) => ({ ...envelope, job: name })) }
  await queue.add(BATCH_JOB, batch, { jobId })
  return jobId
}

/** Queues an attempt, and resolves once the job is in Redis. Rejects as `queue.add` does. */
export function queueAttempt(
  batches: Batches,
  queue: Queue,
  name: JobName,
  envelope: Envelope,
): Promise<EnqueuedAttempt> {
  const { queue: queueName } = jobs[name]
  const { attempt: jobId } = envelope
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queueName,
    'messaging.operation.type': 'send',
    'berth.job': name,
    'berth.attempt': jobId,
  }
  return runTraced(`send ${queueName}`, { kind: 'producer', attributes }, async (span) => {
    const sent = span ? { ...envelope, traceparent: span.traceparent } : envelope
    if (queueName === 'writes') return batches.add(queue, name, sent)
    await queue.add(name, sent, { jobId })
    return { jobId, end: () => undefined }
  })
}
