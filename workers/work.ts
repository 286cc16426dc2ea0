// One worker a queue, in this process, on common connections; and how they end: the jobs under way are finished.
import { type Job, type Queue, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Config } from '../shared/config.ts'
import type { QueueName } from '../shared/contracts/job.ts'
import { connectDatabase } from '../shared/database.ts'
import type { Log } from '../shared/log.ts'
import type { RunningProcess } from '../shared/process.ts'
import { DELIVERY, openQueue, prefixOf } from '../shared/queues.ts'
import { connectRedis } from '../shared/redis.ts'
import { run, type Tools } from './run.ts'
import { keepUp, scheduleUpkeep } from './upkeep.ts'

const SCHEDULE_EVERY_MS = 60_000

export async function work(queues: QueueName[], config: Config, log: Log): Promise<RunningProcess> {
  const concurrency = { writes: config.writesConcurrency, imports: 1, exports: 2, upkeep: 1 }
  const jobsAtOnce = queues.reduce((sum, queue) => sum + concurrency[queue], 0)
  const database = connectDatabase(config.databaseUrl, {
    applicationName: 'berth-worker',
    connectionsMax: Math.min(jobsAtOnce + 1, config.databaseConnectionsMax + 1),
  })
  const redis = connectRedis(config.redisUrl, 'working', log)
  // Replies are sent on a connection that fails fast: a job must not hang on one while Redis is away.
  const replies = connectRedis(config.redisUrl, 'asking', log)
  const tools: Tools = { database, redis: replies, log }
  const producers = openQueues(redis)
  const workers = queues.map((queue) => listen(queue, concurrency[queue], redis, tools, producers))
  const schedule = queues.includes('upkeep') ? keepSchedule(producers, log) : undefined
  log.info({ queues }, 'working')

  return {
    async stop() {
      schedule?.stop()
      await Promise.all(workers.map((worker) => worker.close()))
      await producers.close()
      redis.disconnect()
      replies.disconnect()
      await database.destroy()
    },
  }
}

function listen(
  queue: QueueName,
  concurrency: number,
  connection: Redis,
  tools: Tools,
  queues: Queues,
): Worker {
  const { database, log } = tools
  const work = (job: Job) =>
    queue === 'upkeep' ? keepUp(job.name, database, queues.get, log) : run(job, tools)
  const worker = new Worker(queue, work, {
    ...DELIVERY[queue],
    connection,
    concurrency,
    prefix: prefixOf(queue),
    name: `${queue}-${process.pid}`,
    // How soon it asks again after Redis was away; the default is 15 seconds.
    runRetryDelay: 250,
    drainDelay: 5,
  })
  worker.on('error', (error) => log.debug({ err: error, queue }, 'the queue has a fault'))
  worker.on('stalled', (attempt) => log.warn({ queue, attempt }, 'taken over from a worker that went silent'))
  return worker
}

type Queues = { get(name: QueueName): Queue; close(): Promise<void> }

/** For what upkeep puts into queues. */
function openQueues(redis: Redis): Queues {
  const open = new Map<QueueName, Queue>()
  return {
    get(name) {
      const queue = open.get(name) ?? openQueue(name, redis)
      open.set(name, queue)
      return queue
    },
    async close() {
      await Promise.all([...open.values()].map((queue) => queue.close()))
    },
  }
}

function keepSchedule(queues: Queues, log: Log) {
  const assert = () =>
    scheduleUpkeep(queues.get('upkeep')).catch((error) => log.warn({ err: error }, 'upkeep is not scheduled'))
  const timer = setInterval(assert, SCHEDULE_EVERY_MS)
  assert()
  return { stop: () => clearInterval(timer) }
}
