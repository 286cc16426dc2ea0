// Measures how soon callers get correct answers after a worker is killed without any other fault. The worker that takes
// over must answer every waiting caller.
import { eventually } from '../support/time.ts'
import type { History, Try } from './history.ts'
import type { Load } from './load/load.ts'
import { measureSlowness } from './slowness.ts'
import type { Stage } from './stage/stage.ts'

export type KillMeasurement = {
  /** The time until the last waiting caller got an answer. */
  tookMs: number
  /** The number of callers that waited, and the number of callers that learned that nothing was done. */
  waiting: number
  calledOff: number
}

// Berth promises four seconds. A busy machine may take longer, but every caller must get an answer.
const ANSWERED_MS_MAX = 10_000

export async function measureKill(stage: Stage, history: History, load: Load): Promise<KillMeasurement> {
  await load.recover()
  const [worker] = stage.workers
  if (!worker) throw new Error('There are no workers')
  const killedMs = Date.now()
  worker.child.kill('SIGKILL')
  const waiting = [...history.waiting].filter((each) => !each.requestId.startsWith('i'))
  await eventually(() => {
    if (waiting.some(isUnanswered)) throw new Error(`${waiting.filter(isUnanswered).length} still wait`)
  }, ANSWERED_MS_MAX * measureSlowness()).catch((error: Error) => {
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

const isUnanswered = ({ tookMs }: Try) => tookMs === undefined
