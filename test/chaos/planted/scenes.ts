// Scenes that reveal a planted fault: they reliably cause what random faults cause only sometimes.
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../support/time.ts'
import { within } from '../faults/arena.ts'
import type { Stage, Worker } from '../stage/stage.ts'

const QUEUED_MS = 400
// The process that reads a file may take long on a busy machine.
const IMPORTED_MS_MAX = 20_000

/** Keeps jobs in the queue until after their deadline, and until the marks of abandoned jobs have expired. */
export async function delayAbandonedJobs(stage: Stage): Promise<void> {
  await endWorkers(stage)
  await wait(QUEUED_MS)
  // Prevents gateways that answer 503 from removing their jobs from the queue.
  await Promise.all(stage.gateways.map(({ redis }) => redis.cut()))
  await wait(stage.waitMs + 1_000)
  await stage.database('receipts').whereNotNull('abandoned_at').delete()
  await Promise.all(stage.gateways.map(({ redis }) => redis.restore()))
  await startWorkers(stage)
}

/** Breaks client connections while writes are delayed. Clients repeat the writes immediately, so both attempts run. */
export async function repeatBothTries(stage: Stage): Promise<void> {
  for (const { postgres } of stage.workers) postgres.freeze()
  await wait(QUEUED_MS)
  for (const { front } of stage.gateways) for (const link of front.links) link.drop()
  await wait(2 * QUEUED_MS)
  await Promise.all(stage.workers.map(({ postgres }) => postgres.restore()))
  await wait(QUEUED_MS)
}

/** Kills a worker when an import is committed, before the caller receives the outcome. */
export async function killWorkerAfterImportCommit(stage: Stage): Promise<void> {
  const traps: Array<() => void> = []
  let killed: Worker | undefined
  await within(
    new Promise<void>((resolve) => {
      for (const worker of stage.workers) {
        const remove = worker.redis.trap('server', 'dryRun', () => {
          for (const each of traps) each()
          killed = worker
          worker.child.kill('SIGKILL')
          resolve()
          return 'drop'
        })
        traps.push(remove)
      }
    }),
    IMPORTED_MS_MAX,
  )
  if (killed) await stage.restartWorker(killed)
  await eventually(async () => {
    const { rows } = await stage.database.raw(
      'SELECT 1 FROM audit_log GROUP BY request_id HAVING count(*) > 1',
    )
    if (rows.length === 0) throw new Error('Nothing was done twice')
  }, 12_000).catch(() => undefined)
}

/** Makes Redis lose accepted jobs. */
export async function loseAcceptedJobs(stage: Stage): Promise<void> {
  await endWorkers(stage)
  await eventually(async () => {
    const waiting = await stage.database('jobs').whereNull('finished_at')
    if (waiting.length === 0) throw new Error('Nothing has been accepted')
  })
  await stage.restartRedis({ keepsData: false }, async () => undefined)
  await startWorkers(stage)
}

/** Simulates the outbox of a dump from another Postgres cluster with higher transaction ids. */
export async function simulateClusterMove({ database }: Stage): Promise<void> {
  await database.raw('UPDATE changes SET horizon = horizon + 1000000000')
  await database.raw("UPDATE identity SET cluster = 'another'")
}

async function endWorkers({ workers }: Stage): Promise<void> {
  for (const { child } of workers) child.kill('SIGKILL')
  await Promise.all(workers.map(({ child }) => child.ended))
}

async function startWorkers(stage: Stage): Promise<void> {
  await Promise.all(stage.workers.map((worker) => stage.restartWorker(worker)))
}
