// The BullMQ queues: their names, their keys and their settings.
import { createRequire } from 'node:module'
import type { Queue, QueueOptions, WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'
import { getQueuePrefix, type RedisKeys } from '../identity/keys.ts'
import type { RedisConnections } from '../redis/connections.ts'
import type { QueueName } from '../schemas/job.ts'

// Loads only the class that a gateway needs. The whole package also has workers, sandboxes and a backend for Postgres, and takes
// one and a half times as long to load.
const { Queue: BullQueue }: Pick<typeof import('bullmq'), 'Queue'> = createRequire(import.meta.url)(
  'bullmq/dist/cjs/classes/queue.js',
)

type DeliverySettings = Pick<WorkerOptions, 'lockDuration' | 'stalledInterval' | 'maxStalledCount'>

export const DELIVERY_SETTINGS: Record<QueueName, DeliverySettings> = {
  // Callers wait for writes, so locks are short: if a worker is killed, its callers get their response within seconds.
  // Receipts make repeated deliveries of a write harmless.
  writes: { lockDuration: 2_000, stalledInterval: 1_000, maxStalledCount: 20 },
  // Callers may also wait for imports and exports, behind a router that gives up after 30 seconds.
  imports: { lockDuration: 6_000, stalledInterval: 2_000, maxStalledCount: 1_000 },
  exports: { lockDuration: 6_000, stalledInterval: 2_000, maxStalledCount: 1_000 },
  upkeep: { lockDuration: 30_000, stalledInterval: 15_000, maxStalledCount: 1 },
}

/**
 * The limit on how often another worker may take over a job from a worker that went silent, even if only Redis had a
 * fault: no job may circulate forever. BullMQ does not count this, because it would end the job without a reply to the
 * caller. A file that crashes the processes that read it is found earlier: workers/jobs/imports/stage-import-file.ts.
 */
export const TAKEOVERS_MAX: Record<QueueName, number> = { writes: 20, imports: 10, exports: 10, upkeep: 1 }

/** How long finished jobs stay in Redis, and the maximum number of them, for the pages about queues. */
const RETENTION_OPTIONS: QueueOptions['defaultJobOptions'] = {
  removeOnComplete: { age: 3_600, count: 500 },
  removeOnFail: { age: 7 * 24 * 3_600, count: 1_000 },
}

export function openQueue(name: QueueName, connection: Redis, keys: RedisKeys): Queue {
  const queue = new BullQueue(name, {
    connection,
    prefix: getQueuePrefix(keys, name),
    defaultJobOptions: RETENTION_OPTIONS,
    // With these options, a queue can open while Redis is down. Otherwise a failed start would never be retried.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    skipMetasUpdate: true,
  })
  // Ignores errors of the queue, because its connection logs outages.
  queue.on('error', () => undefined)
  return queue
}

/** The queues of a process. Each queue opens on first use. */
export class Queues {
  readonly #connections: RedisConnections
  readonly #keys: RedisKeys
  readonly #open = new Map<QueueName, Queue>()

  constructor(connections: RedisConnections, keys: RedisKeys) {
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

/** The intervals at which scheduled jobs run. The jobs are named `upkeep.…`. */
export const UPKEEP_INTERVALS_MS = {
  sweep: 60_000,
  requeue: 15_000,
  erase: 60_000,
  figures: 60_000,
  texts: 60_000,
  anonymize: 6 * 3_600_000,
}

/** Returns how long the oldest job that is due has been waiting. A new job would wait about as long. */
export async function findOldestJobWaitMs(queue: Queue): Promise<number> {
  const [oldest] = await queue.getJobs(['waiting'], 0, 0, true)
  // The field `delay` is zero once the job is due, so this uses the original option.
  return oldest ? Math.max(0, Date.now() - oldest.timestamp - (oldest.opts.delay ?? 0)) : 0
}
