// The consumer of one queue in a worker process: its Postgres pool, its settings for running jobs, and how it closes.
import { setTimeout as wait } from 'node:timers/promises'
import { type Job, MetricsTime, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Knex } from 'knex'
import { connectDatabase } from '../../shared/database/database.ts'
import { getQueuePrefix, type RedisKeys } from '../../shared/identity/keys.ts'
import { PROBE_JOB } from '../../shared/jobs/jobs.ts'
import { DELIVERY_SETTINGS, type Queues } from '../../shared/runtime/queues.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import { runUpkeep } from '../pollers/upkeep.ts'
import type { AttemptTools } from '../runtime/attempts.ts'
import { createWorkerBackend } from '../runtime/fetching.ts'
import { observeWork } from './observe-attempts.ts'
import { answerProbe } from './probe.ts'
import { runDelivery } from './run.ts'
import { SharedTransactions } from './shared-transactions.ts'

const DISCONNECT_TIMEOUT_MS = 2_000
// The time after which a connection fault counts as over. BullMQ retries a faulty connection four times a second and
// does not report when it recovers.
const FAULT_OVER_AFTER_MS = 5_000

// How long a connection to Postgres may be silent before it counts as dead. Clients wait for writes, and no statement
// of a write takes 4 seconds. Statements of an import may take long, and its transaction is idle while the worker reads
// a sheet.
export const SOCKET_IDLE_TIMEOUT_MS: Record<QueueName, number> = {
  writes: 5_000,
  imports: 600_000,
  exports: 600_000,
  upkeep: 600_000,
}

// The limits on statements, by queue. A stuck transaction would block a caller who abandons the attempt. Long-running
// work has its own limits.
const STATEMENT_LIMITS_MS = { writes: 4_000, imports: 900_000, exports: 900_000, upkeep: undefined }

// A statement of upkeep may take long, but a transaction of upkeep is idle only if its worker hangs. Without this limit,
// such a worker would hold up mails, pushes and the change feed.
const UPKEEP_PAUSE_MS_MAX = 60_000

// Statements of a write look up rows by id. A plan for specific values is no better than the generic plan, but Postgres
// would make one each time, because it expects a list with one id to cost less than a list of unknown length. A cached
// plan must not scan a whole table just because the table was small when Postgres made the plan.
const PLAN_SETTINGS = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

export function getConcurrency(queue: QueueName, { writesConcurrency }: Config): number {
  return { writes: writesConcurrency, imports: 1, exports: 2, upkeep: 1 }[queue]
}

export function connectWorkDatabase(queue: QueueName, concurrency: number, config: Config): Knex {
  const limitMs = STATEMENT_LIMITS_MS[queue]
  return connectDatabase(config.databaseUrl, {
    applicationName: 'berth-worker',
    poolName: queue,
    connectionsMax: Math.min(2 * concurrency + 1, config.databaseConnectionsMax + 1),
    socketIdleTimeoutMs: SOCKET_IDLE_TIMEOUT_MS[queue],
    idleInTransactionTimeoutMs: limitMs ?? UPKEEP_PAUSE_MS_MAX,
    ...(limitMs ? { statementTimeoutMs: limitMs } : {}),
    ...(queue === 'writes' ? { settings: PLAN_SETTINGS } : {}),
    // Only the other queues use COPY and cursors, which need a connection of their own.
    pipeline: queue === 'writes',
  })
}

type Consumer = { worker: Worker; underWay: Set<Promise<unknown>> }

type ConsumerOptions = { queue: QueueName; concurrency: number; connection: Redis; keys: RedisKeys }

export function openConsumer(
  { queue, concurrency, connection, keys }: ConsumerOptions,
  tools: AttemptTools,
  queues: Queues,
  config: Config,
): Consumer {
  const underWay: Consumer['underWay'] = new Set()
  const transactions = new SharedTransactions(tools)
  const start = (job: Job, token?: string): Promise<unknown> => {
    if (job.name === PROBE_JOB) return answerProbe(job, token, tools)
    if (queue !== 'upkeep') return runDelivery(job, tools, transactions)
    const task = () => runUpkeep(job.name, tools, (name) => queues.get(name), config)
    return observeWork(tools.observer, job.name, () => task().then(() => undefined))
  }
  const perform = (job: Job, token?: string) => {
    const work = start(job, token)
    underWay.add(work)
    const finish = () => underWay.delete(work)
    work.then(finish, finish)
    return work
  }
  const options = {
    ...DELIVERY_SETTINGS[queue],
    connection,
    concurrency,
    prefix: getQueuePrefix(keys, queue),
    name: `${queue}-${process.pid}`,
    // How soon the worker tries again after Redis was unreachable. The default in BullMQ is 15 seconds.
    runRetryDelay: 250,
    // How many seconds the worker waits for a new job before it asks the queue again.
    drainDelay: 10,
    // Records the number of jobs in each minute of the last hour, which the pages about queues show.
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

// Closes a consumer after its running jobs finish. Does not wait for the Redis connection to close, which may take
// forever while Redis is down or has just recovered (BullMQ waits for a connection that is still opening before it ends
// the connection). Redis redelivers jobs that were not acknowledged, and their receipts contain the outcomes.
export async function closeConsumer({ worker, underWay }: Consumer): Promise<void> {
  const closed = worker.close().then(() => true)
  let isClosed = false
  do {
    await Promise.allSettled(underWay)
    isClosed = await Promise.race([closed, wait(DISCONNECT_TIMEOUT_MS, false)])
  } while (!isClosed && underWay.size > 0)
}
