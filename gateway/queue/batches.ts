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

// Jobs that take longer than this do not hold back the next batch, so that a slow write does not delay other
// writes.
const SLOW_JOB_MS = 100

export type EnqueuedAttempt = {
  jobId: string
  /** Call this function when the outcome is known, or when no caller waits for it any more. */
  end(): void
}

type WaitingWrite = {
  name: JobName
  envelope: Envelope
  resolve(carried: EnqueuedAttempt): void
  reject(error: unknown): void
}

export class Batches {
  readonly #waiting: WaitingWrite[] = []
  #isUnderWay = false

  add(queue: Queue, name: JobName, envelope: Envelope): Promise<EnqueuedAttempt> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ name, envelope, resolve, reject })
      this.#send(queue)
    })
  }

  #send(queue: Queue) {
    if (this.#isUnderWay || this.#waiting.length === 0) return
    this.#carry(queue, this.#waiting.splice(0, BATCH_ATTEMPTS_MAX))
  }

  async #carry(queue: Queue, attempts: WaitingWrite[]) {
    const endJob = this.#begin(queue)
    let open = attempts.length
    try {
      const jobId = await queueJob(queue, attempts)
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

  /** Holds the next job back until the current job has ended or turns out to be slow. Returns a function to
   * call when the current job has ended. */
  #begin(queue: Queue): () => void {
    this.#isUnderWay = true
    let isWaitedFor = true
    const end = () => {
      if (!isWaitedFor) return
      isWaitedFor = false
      clearTimeout(timer)
      this.#isUnderWay = false
      this.#send(queue)
    }
    const timer = setTimeout(end, SLOW_JOB_MS)
    return end
  }
}

/** Queues a job, and returns its id. A single attempt is queued without a batch. */
async function queueJob(queue: Queue, attempts: WaitingWrite[]): Promise<string> {
  const [first] = attempts
  if (first && attempts.length === 1) {
    const { name, envelope } = first
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
