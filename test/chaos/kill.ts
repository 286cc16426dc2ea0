// How soon the truth is told when a worker is killed, where nothing else is broken: everybody who waited then has an
// answer, from a worker that has taken over.
import { eventually } from '../support/time.ts'
import type { History, Try } from './history.ts'
import type { Load } from './load/load.ts'
import type { Stage } from './stage/stage.ts'

// An answer that never comes is found by others.
const ANSWERED_MS_MAX = 30_000

export async function measureKill(stage: Stage, history: History, load: Load): Promise<number> {
  await load.recover()
  const [worker] = stage.workers
  if (!worker) throw new Error('There are no workers')
  const killedMs = Date.now()
  worker.child.kill('SIGKILL')
  const waiting = [...history.waiting].filter((each) => !each.requestId.startsWith('i'))
  await eventually(() => {
    if (waiting.some(isOpen)) throw new Error('Not everybody has been answered')
  }, ANSWERED_MS_MAX)
  const lastMs = Math.max(killedMs, ...waiting.map(({ sentMs, tookMs = 0 }) => sentMs + tookMs))
  await stage.restartWorker(worker)
  return lastMs - killedMs
}

const isOpen = ({ tookMs }: Try) => tookMs === undefined
