// Scenes in which a planted fault shows: what random faults bring about now and then, brought about for sure.
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../../support/time.ts'
import { within } from '../faults/arena.ts'
import type { Stage, Worker } from '../stage/stage.ts'

const QUEUED_MS = 400
// On a busy machine the process that reads a file takes its time.
const IMPORTED_MS_MAX = 20_000

/** Jobs outlive their deadline in the queue, and even the marks that say that they were abandoned. */
export async function overtakeAbandoned(stage: Stage): Promise<void> {
  await endWorkers(stage)
  await wait(QUEUED_MS)
  // Whoever is told 503 now cannot take the job out of the queue.
  await Promise.all(stage.gateways.map(({ redis }) => redis.cut()))
  await wait(stage.waitMs + 1_000)
  await stage.database('receipts').whereNotNull('abandoned_at').delete()
  await Promise.all(stage.gateways.map(({ redis }) => redis.restore()))
  await startWorkers(stage)
}

/** Clients lose their connections while their writes are held up, and repeat them at once: both tries are at work. */
export async function repeatAtOnce(stage: Stage): Promise<void> {
  for (const { postgres } of stage.workers) postgres.freeze()
  await wait(QUEUED_MS)
  for (const { front } of stage.gateways) for (const link of front.links) link.drop()
  await wait(2 * QUEUED_MS)
  await Promise.all(stage.workers.map(({ postgres }) => postgres.restore()))
  await wait(QUEUED_MS)
}

/** A worker dies when an import is committed and its caller does not know yet. */
export async function takeOverImport(stage: Stage): Promise<void> {
  const traps: Array<() => void> = []
  let killed: Worker | undefined
  await within(
    new Promise((resolve) => {
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

/** What was accepted is in Redis only, and then it is not. */
export async function loseAcceptedJobs(stage: Stage): Promise<void> {
  await endWorkers(stage)
  await eventually(async () => {
    const waiting = await stage.database('jobs').whereNull('finished_at')
    if (waiting.length === 0) throw new Error('Nothing has been accepted')
  })
  await stage.restartRedis({ keepsData: false }, async () => undefined)
  await startWorkers(stage)
}

/** The outbox as a dump brings it from another cluster of Postgres, whose transaction ids are higher. */
export async function comeFromAnotherCluster({ database }: Stage): Promise<void> {
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
