// After the faults, repeats every undecided write with its idempotency key, and waits until all pending work is done.
import { setTimeout as wait } from 'node:timers/promises'
import { QUEUES } from '../../shared/schemas/job.ts'
import { openQueueOf } from '../support/faults/pipeline.ts'
import { eventually } from '../support/time.ts'
import { determineVerdict, type History } from './history.ts'
import { forEachConcurrently, type Load } from './load/load.ts'
import { measureSlowness } from './slowness.ts'
import type { Stage } from './stage/stage.ts'

const RESOLVED_MS_MAX = 120_000

export async function resolveUndecidedWrites(history: History, { sender }: Load): Promise<void> {
  const open = history.writes.filter((write) => determineVerdict(write) === 'unknown')
  await forEachConcurrently(open, (write) => sender.perform(write, RESOLVED_MS_MAX * measureSlowness()))
}

/** Waits until nothing is queued, every accepted job has ended, and every deadline has passed. */
export async function settle(stage: Stage, history: History, forMs: number): Promise<void> {
  const deadlinesMs = Date.now() + stage.waitMs
  const { id } = await stage.database('identity').first()
  const keys = { prefix: 'berth', database: id }
  const queues = QUEUES.map((name) => ({ name, ...openQueueOf({ config: stage }, name, keys) }))
  try {
    // Upkeep would queue lost jobs again, but not soon enough for this run.
    await stage
      .database('jobs')
      .update({ created_at: stage.database.raw(`created_at - interval '1 minute'`) })
    const upkeep = queues.find(({ name }) => name === 'upkeep')
    await upkeep?.queue.add('upkeep.requeue', {})
    await eventually(async () => {
      for (const { name, queue } of queues) {
        const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active')
        if (waiting + active > 0) throw new Error(`There is still work in ${name}`)
      }
      const unfinished = await stage.database('jobs').whereNull('finished_at')
      if (unfinished.length > 0) throw new Error(`${unfinished.length} accepted jobs have not ended`)
    }, forMs * measureSlowness())
  } catch (error) {
    history.find('not recovered after the faults', undefined, (error as Error).message)
  } finally {
    for (const { close } of queues) await close()
  }
  await wait(deadlinesMs - Date.now())
}
