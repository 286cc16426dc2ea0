// Writes on their way into the queue. While a job is under way, what comes meanwhile waits, and then travels as one job:
// under load many writes cost little more than one, and one that comes alone goes at once.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import { BATCH, BATCH_ATTEMPTS_MAX, type Batch, type Envelope, type JobName } from '../../shared/jobs.ts'

// A job that takes longer is not waited for: others must not suffer from a slow one.
const SLOW_MS = 100

/** An attempt that was handed over, until its outcome is known. */
export type EnqueuedAttempt = {
  /** The job that carries it. */
  jobId: string
  /** Its outcome is known, or nobody waits for it any more. */
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

  /** Resolves once Redis has it; fails as `queue.add` does. */
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
      for (const { resolve } of attempts) {
        resolve({
          jobId,
          end: () => {
            open--
            if (open === 0) endJob()
          },
        })
      }
    } catch (error) {
      endJob()
      for (const { reject } of attempts) reject(error)
    }
  }

  /** The next job waits for this one, until it is over or slow. Returns what is to be called when it is over. */
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

/** Returns the id of the job. One attempt travels as it is. */
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
