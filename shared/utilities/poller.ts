// Repeats work on a timer. Rounds never overlap, a lasting fault is logged once, and stopping waits for the current
// round.
import type { FaultLog } from './fault-log.ts'

type PollerOptions = {
  everyMs: number
  /**
   * One round of the work. May return another pause to use before the next round. Long work should end early when
   * `isStopping` returns true.
   */
  work(isStopping: () => boolean): Promise<number | undefined>
  faults: FaultLog
  /** The message to log for a fault, such as `mail cannot be sent`. */
  fault: string
  /** Whether the first round starts immediately. By default, the poller waits for `everyMs` first. */
  isFirstAtOnce?: boolean
}

export type Poller = { stop(): Promise<void> }

export function startPolling({ everyMs, work, faults, fault, isFirstAtOnce = false }: PollerOptions): Poller {
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> = Promise.resolve()
  const round = async () => {
    let pauseMs: number | undefined
    try {
      pauseMs = await work(() => isStopping)
      faults.over()
    } catch (error) {
      faults.fault(error, fault)
    }
    schedule(pauseMs ?? everyMs)
  }
  const schedule = (pauseMs: number) => {
    if (isStopping) return
    timer = setTimeout(() => {
      underWay = round()
    }, pauseMs)
  }
  if (isFirstAtOnce) underWay = round()
  else schedule(everyMs)
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      await underWay
    },
  }
}
