// The two that can generate a load: ours, and wrk to compare it with.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { projectDirectory } from '../../local/folders.ts'
import { cpuUsOf, endedChildrenCpuUs } from '../stage/process-table.ts'
import { benchFile, nodeOptionsFor } from '../stage/scripts.ts'
import type { Loaded, Work } from './work.ts'
import { runWrk } from './wrk.ts'

export type Loader = {
  run(work: Work): Promise<Loaded>
  /** CPU that it has used so far. */
  cpuUs(): number
  stop(): Promise<void>
}

type Message = { loaded: Loaded } | { error: string }

export async function startLoader(): Promise<Loader> {
  const file = benchFile('load/loader')
  const child = fork(file, { execArgv: nodeOptionsFor(file), cwd: projectDirectory })
  const ended = once(child, 'exit')
  await once(child, 'message')
  return {
    async run(work) {
      child.send(work)
      const [message] = (await once(child, 'message')) as [Message]
      if ('error' in message) throw new Error(message.error)
      return message.loaded
    },
    cpuUs: () => cpuUsOf([child.pid as number]),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

// It takes half the CPU of ours. What is under way when its time is over it drops, though: of a few dozen answers a
// second that is a tenth, and bookings that are dropped are made nevertheless. So it can be asked for short answers only.
export const wrkLoader: Loader = {
  run: runWrk,
  cpuUs: () => endedChildrenCpuUs(process.pid),
  stop: async () => undefined,
}
