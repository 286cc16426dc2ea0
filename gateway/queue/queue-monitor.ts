// Tracks the queues for a gateway process: whether they are up, and how long jobs wait. To check that writes work,
// sends a tiny job through each queue, whose worker tries to write to its database and then answers.
import { randomUUID } from 'node:crypto'
import type { Queue } from 'bullmq'
import type { Heartbeat } from '../../shared/identity/heartbeat.ts'
import type { RedisKeys, RedisPart } from '../../shared/identity/keys.ts'
import { PROBE_JOB } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import type { RedisConnections } from '../../shared/redis/connections.ts'
import { findOldestJobWaitMs, Queues } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { databaseUnavailable, serviceUnavailable } from '../overload/refusals.ts'
import type { Replies } from './replies.ts'

const SAMPLE_EVERY_MS = 500
// The maximum age of a sample.
const SAMPLE_AGE_MS_MAX = 2_000
// How long a process waits for its first connection to Redis. Until then it cannot write, but even without Redis it
// serves reads.
const FIRST_CONNECTION_MS_MAX = 1_000

/** What the jobs of each queue are called in sentences. */
export const WORK_NOUNS: Record<QueueName, string> = {
  writes: 'write',
  imports: 'import',
  exports: 'export',
  upkeep: 'upkeep job',
}

export type QueueFigures = Awaited<ReturnType<QueueMonitor['figures']>>[number]

type WaitSample = { waitMs: number; sampledAtMs: number; sampling: boolean }

export class QueueMonitor {
  readonly #redis: RedisConnections
  readonly #heartbeat: Heartbeat
  #queues: Queues | undefined
  readonly #samples = new Map<QueueName, WaitSample>()

  constructor(redis: RedisConnections, heartbeat: Heartbeat) {
    this.#redis = redis
    this.#heartbeat = heartbeat
    for (const name of QUEUES) redis.get(name)
  }

  queue(name: QueueName): Queue {
    this.#queues ??= new Queues(this.#redis, this.keys)
    return this.#queues.get(name)
  }

  get keys(): RedisKeys {
    const { keys } = this.#heartbeat
    if (keys) return keys
    throw databaseUnavailable()
  }

  get database(): string {
    return this.#heartbeat.database
  }

  /** Refuses a caller that cannot expect an answer within `waitMs`. Call this before queueing anything. */
  async requireOpen(name: QueueName, waitMs: number): Promise<Queue> {
    if (!this.isUp(name)) {
      throw serviceUnavailable(
        this.isRedisUp(name) ? 'database_away' : 'redis_away',
        message`The ${WORK_NOUNS[name]} queue is unavailable. Nothing was changed; try again shortly.`,
      )
    }
    const queue = this.queue(name)
    if (this.#waitMs(name, queue) > waitMs / 2) {
      throw serviceUnavailable(
        'queue_too_long',
        message`Too many ${WORK_NOUNS[name]}s are waiting. Nothing was changed; try again shortly.`,
      )
    }
    return queue
  }

  /** Whether the names of the Redis keys are known and Redis responds. Without `part`, checks all of Redis. */
  isUp(part?: RedisPart): boolean {
    return this.#heartbeat.keys !== undefined && this.isRedisUp(part)
  }

  isRedisUp(part?: RedisPart): boolean {
    return this.#redis.isResponding(part)
  }

  /** Waits a moment for the first connection to Redis and for the identity of the database. */
  async begin(): Promise<void> {
    const begun = Promise.all([this.#redis.ready(), this.#heartbeat.ready])
    await withTimeout(begun, FIRST_CONNECTION_MS_MAX, () => undefined)
  }

  async figures() {
    return Promise.all(
      QUEUES.map(async (name) => {
        const queue = this.queue(name)
        const [counts, waitMs, workers] = await Promise.all([
          queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
          findOldestJobWaitMs(queue),
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

  // Returns how long jobs of the queue wait. The waiting time is sampled in the background, so that requests
  // need not wait for the sample.
  #waitMs(name: QueueName, queue: Queue): number {
    const sample = this.#samples.get(name) ?? { waitMs: 0, sampledAtMs: 0, sampling: false }
    this.#samples.set(name, sample)
    const ageMs = Date.now() - sample.sampledAtMs
    if (!sample.sampling && ageMs > SAMPLE_EVERY_MS) this.#sample(sample, queue)
    return ageMs > SAMPLE_AGE_MS_MAX ? 0 : sample.waitMs
  }

  async #sample(sample: WaitSample, queue: Queue) {
    sample.sampling = true
    // Ignores errors: isUp reports when Redis is down.
    const waitMs = await findOldestJobWaitMs(queue).catch(() => undefined)
    if (waitMs !== undefined) Object.assign(sample, { waitMs, sampledAtMs: Date.now() })
    sample.sampling = false
  }
}

const PROBE_RESULT_KEPT_MS = 5_000
const PROBE_ANSWER_MS_MAX = 1_000

type ProbeServices = { queues: QueueMonitor; replies: Replies; log: Log }

export class QueueProbe {
  readonly #parts: ProbeServices
  readonly #found = new Map<QueueName, { problem: Promise<string | undefined>; atMs: number }>()
  readonly #faults = new Map<QueueName, FaultLog>()
  readonly #refusing = new Set<QueueName>()

  constructor(parts: ProbeServices) {
    this.#parts = parts
  }

  /** Whether Redis accepted the last job of every queue that was tried. */
  get takesJobs(): boolean {
    return this.#refusing.size === 0
  }

  async findProblem(name: QueueName): Promise<string | undefined> {
    const known = this.#found.get(name)
    if (known && Date.now() - known.atMs < PROBE_RESULT_KEPT_MS) return known.problem
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
      // The probe job goes ahead of all other jobs, because their waiting time is reported elsewhere.
      await queue.add(PROBE_JOB, data, {
        jobId: attempt,
        lifo: true,
        removeOnComplete: true,
        removeOnFail: true,
      })
      const outcome = await waiting.until(Date.now() + PROBE_ANSWER_MS_MAX)
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
    if ((await queues.countWorkers(name)) === 0) return describeMissingWorker(name)
    // A busy worker is not a fault: an import may take minutes, and its worker cannot answer meanwhile.
    const isBusy = name !== 'writes' && (await queues.queue(name).getActiveCount()) > 0
    return isBusy ? undefined : `No worker answers in “${name}”.`
  }

  #faultsOf(name: QueueName): FaultLog {
    // The next probe may come much later. Until then, a fault counts as ongoing.
    const faults =
      this.#faults.get(name) ?? new FaultLog(this.#parts.log.child({ queue: name }), 'writes work again')
    this.#faults.set(name, faults)
    return faults
  }
}

export const describeMissingWorker = (name: QueueName) => `No worker is listening to “${name}”.`
