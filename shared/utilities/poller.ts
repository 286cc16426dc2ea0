// Repeats work on a timer of the process. Rounds never overlap, a fault is logged once, and stopping waits
// for the round that is under way.
import type { FaultLog } from './fault-log.ts'

type Options = {
  everyMs: number
  /** May return another pause before the next round. `isStopping` ends long work early. */
  work(isStopping: () => boolean): Promise<number | undefined>
  faults: FaultLog
  /** The message of a fault, such as `mail cannot be sent`. */
  fault: string
  /** Otherwise the first round waits for `everyMs`. */
  isFirstAtOnce?: boolean
}

export type Poller = { stop(): Promise<void> }

export function poll({ everyMs, work, faults, fault, isFirstAtOnce = false }: Options): Poller {
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
