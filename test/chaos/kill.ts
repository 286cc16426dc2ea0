// How soon the truth is told when a worker is killed, where nothing else is broken: everybody who waited then has an
// answer, from a worker that has taken over.
import { eventually } from '../support/time.ts'
import type { History, Try } from './history.ts'
import type { Load } from './load/load.ts'
import type { Stage } from './stage/stage.ts'

export type Kill = {
  /** Until the last of those who waited had an answer. */
  tookMs: number
  /** How many waited, and to how many of them it was said that nothing was done. */
  waiting: number
  calledOff: number
}

// Promised are four seconds; a busy machine may take longer, but nobody may be forgotten.
const ANSWERED_MS_MAX = 10_000

export async function measureKill(stage: Stage, history: History, load: Load): Promise<Kill> {
  await load.recover()
  const [worker] = stage.workers
  if (!worker) throw new Error('There are no workers')
  const killedMs = Date.now()
  worker.child.kill('SIGKILL')
  const waiting = [...history.waiting].filter((each) => !each.requestId.startsWith('i'))
  await eventually(() => {
    if (waiting.some(isOpen)) throw new Error(`${waiting.filter(isOpen).length} still wait`)
  }, ANSWERED_MS_MAX).catch((error: Error) => {
    history.find('no answer within 10 s of a worker’s kill', undefined, error.message)
  })
  const answeredMs = waiting.map(({ sentMs, tookMs = ANSWERED_MS_MAX }) => sentMs + tookMs)
  await stage.restartWorker(worker)
  return {
    tookMs: Math.max(killedMs, ...answeredMs) - killedMs,
    waiting: waiting.length,
    calledOff: waiting.filter(({ status }) => status === 503).length,
  }
}

const isOpen = ({ tookMs }: Try) => tookMs === undefined
