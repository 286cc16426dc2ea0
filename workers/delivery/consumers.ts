// The consumer of one queue in a worker process: its Postgres pool, how it runs jobs, and how it closes.
import { setTimeout as wait } from 'node:timers/promises'
import { type Job, MetricsTime, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { connectDatabase } from '../../shared/database/database.ts'
import { type Keys, queuePrefix } from '../../shared/identity/keys.ts'
import { PROBE } from '../../shared/jobs/jobs.ts'
import { DELIVERY, type Queues } from '../../shared/runtime/queues.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import { runUpkeep } from '../pollers/upkeep.ts'
import type { Tools } from '../runtime/attempts.ts'
import { createWorkerBackend } from '../runtime/fetching.ts'
import { observed } from './observe-attempts.ts'
import { answerProbe } from './probe.ts'
import { run } from './run.ts'

const DISCONNECT_TIMEOUT_MS = 2_000
// BullMQ retries four times a second and does not report when it succeeds.
const FAULT_OVER_AFTER_MS = 5_000

// A client waits for a write, and no statement of a write takes 4 seconds. Statements of an import may take
// long, and its transaction is idle while a sheet is read.
export const SOCKET_IDLE_TIMEOUT_MS: Record<QueueName, number> = {
  writes: 5_000,
  imports: 600_000,
  exports: 600_000,
  upkeep: 600_000,
}

// A stuck transaction would leave a caller who calls it off without an answer. Long work has its own limits.
const LIMITS_MS = { writes: 4_000, imports: 900_000, exports: 900_000, upkeep: undefined }

// The statements of a write look up rows by ids. A plan for specific values is no better than the generic
// one, but Postgres makes one each time, because it estimates a list of one id as cheaper than a list of
// unknown length. A cached plan must not scan a whole table because the table was small at the time.
const PLANS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

export function concurrencyOf(queue: QueueName, { writesConcurrency }: Config): number {
  return { writes: writesConcurrency, imports: 1, exports: 2, upkeep: 1 }[queue]
}

export function connectWorkDatabase(queue: QueueName, concurrency: number, config: Config): Knex {
  const limitMs = LIMITS_MS[queue]
  return connectDatabase(config.databaseUrl, {
    applicationName: 'berth-worker',
    poolName: queue,
    connectionsMax: Math.min(2 * concurrency + 1, config.databaseConnectionsMax + 1),
    socketIdleTimeoutMs: SOCKET_IDLE_TIMEOUT_MS[queue],
    ...(limitMs ? { statementTimeoutMs: limitMs, idleInTransactionTimeoutMs: limitMs } : {}),
    ...(queue === 'writes' ? { settings: PLANS } : {}),
    // COPY and cursors, which only the other queues use, need a connection to themselves.
    pipeline: queue === 'writes',
  })
}

type Consumer = { worker: Worker; underWay: Set<Promise<unknown>> }

type Options = { queue: QueueName; concurrency: number; connection: Redis; keys: Keys }

export function openConsumer(
  { queue, concurrency, connection, keys }: Options,
  tools: Tools,
  queues: Queues,
  config: Config,
): Consumer {
  const underWay: Consumer['underWay'] = new Set()
  const start = (job: Job, token?: string): Promise<unknown> => {
    if (job.name === PROBE) return answerProbe(job, token, tools)
    if (queue !== 'upkeep') return run(job, tools)
    const task = () => runUpkeep(job.name, tools, (name) => queues.get(name), config)
    return observed(tools.observer, job.name, () => task().then(() => undefined))
  }
  const perform = (job: Job, token?: string) => {
    const work = start(job, token)
    underWay.add(work)
    const finish = () => underWay.delete(work)
    work.then(finish, finish)
    return work
  }
  const options = {
    ...DELIVERY[queue],
    connection,
    concurrency,
    prefix: queuePrefix(keys, queue),
    name: `${queue}-${process.pid}`,
    // How soon it asks again after Redis was unreachable; the default is 15 seconds.
    runRetryDelay: 250,
    // How many seconds it waits for a job before it looks whether there is one.
    drainDelay: 10,
    // Jobs per minute of the last hour, for the queue pages.
    metrics: { maxDataPoints: MetricsTime.ONE_HOUR },
  }
  const worker = new Worker(queue, perform, options, createWorkerBackend)
  const faults = new FaultLog(tools.log.child({ queue }), 'the queue works again', FAULT_OVER_AFTER_MS)
  worker.on('error', (error) => faults.fault(error, 'the queue has a fault'))
  worker.on('stalled', (attempt) => {
    tools.observer?.tookOver()
    tools.log.warn({ queue, attempt }, 'took over a job from a worker that stopped responding')
  })
  return { worker, underWay }
}

// Jobs under way always finish. Closing the Redis connection may take forever while Redis is down or has just
// come back (BullMQ ends a connection that is still being made, and then waits for its end). Redis redelivers
// jobs that were not acknowledged, and the receipts hold their outcomes.
export async function closeConsumer({ worker, underWay }: Consumer): Promise<void> {
  const closed = worker.close().then(() => true)
  let isClosed = false
  do {
    await Promise.allSettled(underWay)
    isClosed = await Promise.race([closed, wait(DISCONNECT_TIMEOUT_MS, false)])
  } while (!isClosed && underWay.size > 0)
}
