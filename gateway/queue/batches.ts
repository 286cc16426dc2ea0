// Batches writes on their way into the queue. While a job is under way, new writes wait, and then travel as
// one job: under load many writes cost little more than one, and a lone write goes at once.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import {
  BATCH,
  BATCH_ATTEMPTS_MAX,
  type Batch,
  type Envelope,
  type JobName,
  jobs,
} from '../../shared/jobs/jobs.ts'
import { traced } from '../../shared/tracing/tracing.ts'

// Batches stop waiting for a job that takes longer, so that other writes do not suffer from a slow one.
const SLOW_MS = 100

export type EnqueuedAttempt = {
  jobId: string
  /** Call it when the outcome is known, or no caller waits for it any more. */
  end(): void
}

type Waiting = {
  name: JobName
  envelope: Envelope
  resolve(carried: EnqueuedAttempt): void
  reject(error: unknown): void
}

export class Batches {
  readonly #waiting: Waiting[] = []
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

  async #carry(queue: Queue, attempts: Waiting[]) {
    const endJob = this.#begin(queue)
    let open = attempts.length
    try {
      const jobId = await addJob(queue, attempts)
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

  /** Holds the next job back until this one is over or slow. Returns a function to call when it is over. */
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
    const timer = setTimeout(end, SLOW_MS)
    return end
  }
}

/** Returns the id of the job. A single attempt is sent without a batch. */
async function addJob(queue: Queue, attempts: Waiting[]): Promise<string> {
  const [first] = attempts
  if (first && attempts.length === 1) {
    const { name, envelope } = first
    await queue.add(name, envelope, { jobId: envelope.attempt })
    return envelope.attempt
  }
  const jobId = randomUUID()
  const batch: Batch = { attempts: attempts.map(({ name, envelope }) => ({ ...envelope, job: name })) }
  await queue.add(BATCH, batch, { jobId })
  return jobId
}

/** Resolves once the job is in Redis; fails as `queue.add` does. */
export function sendJob(
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
  return traced(`send ${queueName}`, { kind: 'producer', attributes }, async (span) => {
    const sent = span ? { ...envelope, traceparent: span.traceparent } : envelope
    if (queueName === 'writes') return batches.add(queue, name, sent)
    await queue.add(name, sent, { jobId })
    return { jobId, end: () => undefined }
  })
}
