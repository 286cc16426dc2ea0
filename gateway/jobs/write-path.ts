// Checks whether writes work by doing one: it sends a tiny job through each queue, which a worker answers
// after trying to write to its database. Results are cached for a few seconds.
import { randomUUID } from 'node:crypto'
import { PROBE } from '../../shared/jobs/jobs.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import type { QueueMonitor } from './queue-monitor.ts'
import type { Replies } from './replies.ts'

const KEPT_MS = 5_000
const ANSWER_MS_MAX = 1_000

type Parts = { queues: QueueMonitor; replies: Replies; log: Log }
type Found = { problem: Promise<string | undefined>; atMs: number }

export class WritePath {
  readonly #parts: Parts
  readonly #found = new Map<QueueName, Found>()
  readonly #faults = new Map<QueueName, FaultLog>()
  readonly #refusing = new Set<QueueName>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Redis took the last job of every queue that was tried. */
  get takesJobs(): boolean {
    return this.#refusing.size === 0
  }

  /** Describes the problem, if there is one. */
  async findProblem(name: QueueName): Promise<string | undefined> {
    const known = this.#found.get(name)
    if (known && Date.now() - known.atMs < KEPT_MS) return known.problem
    const problem = this.#probe(name)
    this.#found.set(name, { problem, atMs: Date.now() })
    return problem
  }

  async #probe(name: QueueName): Promise<string | undefined> {
    const faults = this.#faultsOf(name)
    try {
      const problem = await this.#ask(name)
      this.#refusing.delete(name)
      if (problem) faults.fault(new Error(problem), 'writes do not work')
      else faults.over()
      return problem
    } catch (error) {
      this.#refusing.add(name)
      faults.fault(error, 'the queue takes no jobs')
      return `The queue “${name}” takes no jobs.`
    }
  }

  async #ask(name: QueueName): Promise<string | undefined> {
    const { queues, replies } = this.#parts
    const attempt = randomUUID()
    const queue = queues.queue(name)
    const waiting = replies.expect<null>(attempt)
    try {
      const data = { attempt, database: queues.database, replyTo: replies.channel }
      // Goes ahead of all other jobs: how long those wait is reported elsewhere.
      await queue.add(PROBE, data, { jobId: attempt, lifo: true, removeOnComplete: true, removeOnFail: true })
      const outcome = await waiting.until(Date.now() + ANSWER_MS_MAX)
      if (waiting.isDeclined)
        return `The workers of “${name}” use another database, or are of an older release.`
      if (outcome?.refused) return `The workers of “${name}” cannot write to their database.`
      return outcome ? undefined : await this.#explainSilence(name)
    } finally {
      waiting.end()
      queue.remove(attempt).catch(() => undefined)
    }
  }

  async #explainSilence(name: QueueName): Promise<string | undefined> {
    const { queues } = this.#parts
    if ((await queues.countWorkers(name)) === 0) return noWorker(name)
    // An import may take minutes, and its worker does nothing else meanwhile.
    const isBusy = name !== 'writes' && (await queues.queue(name).getActiveCount()) > 0
    return isBusy ? undefined : `No worker answers in “${name}”.`
  }

  #faultsOf(name: QueueName): FaultLog {
    // The next check may be long in coming: until then, a fault counts as ongoing.
    const faults =
      this.#faults.get(name) ?? new FaultLog(this.#parts.log.child({ queue: name }), 'writes work again')
    this.#faults.set(name, faults)
    return faults
  }
}

export const noWorker = (name: QueueName) => `No worker is listening to “${name}”.`
