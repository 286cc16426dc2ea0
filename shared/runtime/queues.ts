// The BullMQ queues: their names, their keys, and how each delivers.
import { Queue, type QueueOptions, type WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'
import { type Keys, queuePrefix } from '../identity/keys.ts'
import type { RedisConnections } from '../redis/connections.ts'
import type { QueueName } from '../schemas/job.ts'

type Delivery = Pick<WorkerOptions, 'lockDuration' | 'stalledInterval' | 'maxStalledCount'>

export const DELIVERY: Record<QueueName, Delivery> = {
  // A caller waits: with short locks, the callers of a killed worker get their answer within seconds.
  // Receipts make repeated deliveries of a write harmless.
  writes: { lockDuration: 2_000, stalledInterval: 1_000, maxStalledCount: 20 },
  // A caller may wait for these too, behind a router that gives up after 30 seconds.
  imports: { lockDuration: 6_000, stalledInterval: 2_000, maxStalledCount: 1_000 },
  exports: { lockDuration: 6_000, stalledInterval: 2_000, maxStalledCount: 1_000 },
  upkeep: { lockDuration: 30_000, stalledInterval: 15_000, maxStalledCount: 1 },
}

/**
 * How often a job may be taken over from a worker that went silent, even if only Redis did: it must not
 * circulate for ever. If BullMQ counts, it ends the job by itself, without a reply to the caller. A file that
 * kills its readers is found sooner: workers/jobs/imports/stage-import-file.ts.
 */
export const TAKEOVERS_MAX: Record<QueueName, number> = { writes: 20, imports: 10, exports: 10, upkeep: 1 }

/** How many finished jobs stay in Redis for the pages of the queues. */
const RETENTION: QueueOptions['defaultJobOptions'] = {
  removeOnComplete: { age: 3_600, count: 500 },
  removeOnFail: { age: 7 * 24 * 3_600, count: 1_000 },
}

export function openQueue(name: QueueName, connection: Redis, keys: Keys): Queue {
  const queue = new Queue(name, {
    connection,
    prefix: queuePrefix(keys, name),
    defaultJobOptions: RETENTION,
    // These let a queue open while Redis is down; a failed start would never be retried.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
  })
  // The connection logs its own outages.
  queue.on('error', () => undefined)
  return queue
}

/** The queues of a process, each opened on first use. */
export class Queues {
  readonly #connections: RedisConnections
  readonly #keys: Keys
  readonly #open = new Map<QueueName, Queue>()

  constructor(connections: RedisConnections, keys: Keys) {
    this.#connections = connections
    this.#keys = keys
  }

  get(name: QueueName): Queue {
    const queue = this.#open.get(name) ?? openQueue(name, this.#connections.get(name), this.#keys)
    this.#open.set(name, queue)
    return queue
  }

  async close() {
    await Promise.allSettled([...this.#open.values()].map((queue) => queue.close()))
  }
}

/** Scheduled work, and how often it runs; the jobs are named `upkeep.…`. */
export const UPKEEP_EVERY_MS = {
  sweep: 60_000,
  requeue: 15_000,
  erase: 60_000,
  figures: 60_000,
  texts: 60_000,
  anonymize: 6 * 3_600_000,
}

/** How long the oldest job has been waiting since it was due: about as long as a new one would wait. */
export async function oldestWaitMs(queue: Queue): Promise<number> {
  const [oldest] = await queue.getJobs(['waiting'], 0, 0, true)
  // `delay` itself is zero once the job is due.
  return oldest ? Math.max(0, Date.now() - oldest.timestamp - (oldest.opts.delay ?? 0)) : 0
}
