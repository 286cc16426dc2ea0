// Tracks the queues for a gateway process: whether they are up, how long jobs wait, and whether
// writes work: a tiny job, which a worker answers after trying to write to its database, goes through each queue.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import type { Heartbeat } from '../../shared/identity/heartbeat.ts'
import type { Keys, RedisPart } from '../../shared/identity/keys.ts'
import { PROBE } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import type { RedisConnections } from '../../shared/redis/connections.ts'
import { oldestWaitMs, Queues } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { databaseAway, unavailable } from '../overload/refusals.ts'
import type { Replies } from './replies.ts'

const SAMPLE_EVERY_MS = 500
// An older sample is out of date.
const SAMPLE_AGE_MS_MAX = 2_000
// A process that has just started cannot write before its first connection; without Redis it serves reads.
const FIRST_CONNECTION_MS = 1_000

/** The name of a queue's job in sentences. */
export const WORK_NOUNS: Record<QueueName, string> = {
  writes: 'write',
  imports: 'import',
  exports: 'export',
  upkeep: 'upkeep job',
}

export type QueueFigures = Awaited<ReturnType<QueueMonitor['figures']>>[number]

type Sample = { waitMs: number; sampledAtMs: number; sampling: boolean }

export class QueueMonitor {
  readonly #redis: RedisConnections
  readonly #heartbeat: Heartbeat
  #queues: Queues | undefined
  readonly #samples = new Map<QueueName, Sample>()

  constructor(redis: RedisConnections, heartbeat: Heartbeat) {
    this.#redis = redis
    this.#heartbeat = heartbeat
    for (const name of QUEUES) redis.get(name)
  }

  queue(name: QueueName): Queue {
    this.#queues ??= new Queues(this.#redis, this.keys)
    return this.#queues.get(name)
  }

  get keys(): Keys {
    const { keys } = this.#heartbeat
    if (keys) return keys
    throw databaseAway()
  }

  get database(): string {
    return this.#heartbeat.database
  }

  /** Refuses, before anything is queued, a caller that cannot expect an answer within `waitMs`. */
  async requireOpen(name: QueueName, waitMs: number): Promise<Queue> {
    if (!this.isUp(name)) {
      throw unavailable(
        this.isRedisUp(name) ? 'database_away' : 'redis_away',
        message`The ${WORK_NOUNS[name]} queue is unavailable. Nothing was changed; try again shortly.`,
      )
    }
    const queue = this.queue(name)
    if (this.#waitMs(name, queue) > waitMs / 2) {
      throw unavailable(
        'queue_too_long',
        message`Too many ${WORK_NOUNS[name]}s are waiting. Nothing was changed; try again shortly.`,
      )
    }
    return queue
  }

  /** Whether the names of the keys are known and Redis responds; without `part`, all of Redis. */
  isUp(part?: RedisPart): boolean {
    return this.#heartbeat.keys !== undefined && this.isRedisUp(part)
  }

  isRedisUp(part?: RedisPart): boolean {
    return this.#redis.isResponding(part)
  }

  /** Waits a moment for the first connection, and for the identity of the database. */
  async begin(): Promise<void> {
    const begun = Promise.all([this.#redis.ready(), this.#heartbeat.ready])
    await withTimeout(begun, FIRST_CONNECTION_MS, () => undefined)
  }

  async figures() {
    return Promise.all(
      QUEUES.map(async (name) => {
        const queue = this.queue(name)
        const [counts, waitMs, workers] = await Promise.all([
          queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
          oldestWaitMs(queue),
          this.#heartbeat.countWorkers(name),
        ])
        return { queue: name, counts, oldestWaitMs: waitMs, workers }
      }),
    )
  }

  countWorkers(name: QueueName): Promise<number> {
    return this.#heartbeat.countWorkers(name)
  }

  async close() {
    await this.#queues?.close()
  }

  // Sampled in the background, so that requests need not wait for it.
  #waitMs(name: QueueName, queue: Queue): number {
    const sample = this.#samples.get(name) ?? { waitMs: 0, sampledAtMs: 0, sampling: false }
    this.#samples.set(name, sample)
    const ageMs = Date.now() - sample.sampledAtMs
    if (!sample.sampling && ageMs > SAMPLE_EVERY_MS) this.#sample(sample, queue)
    return ageMs > SAMPLE_AGE_MS_MAX ? 0 : sample.waitMs
  }

  async #sample(sample: Sample, queue: Queue) {
    sample.sampling = true
    // If Redis is down, isUp reports that.
    const waitMs = await oldestWaitMs(queue).catch(() => undefined)
    if (waitMs !== undefined) Object.assign(sample, { waitMs, sampledAtMs: Date.now() })
    sample.sampling = false
  }
}

const KEPT_MS = 5_000
const ANSWER_MS_MAX = 1_000

type Parts = { queues: QueueMonitor; replies: Replies; log: Log }

export class QueueProbe {
  readonly #parts: Parts
  readonly #found = new Map<QueueName, { problem: Promise<string | undefined>; atMs: number }>()
  readonly #faults = new Map<QueueName, FaultLog>()
  readonly #refusing = new Set<QueueName>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Redis took the last job of every queue that was tried. */
  get takesJobs(): boolean {
    return this.#refusing.size === 0
  }

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
      replies.forget(attempt)
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
