// Runs tasks one by one in a separate process, so that the preparation of a benchmark does not slow down the
// measurement.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { projectDirectory } from '../../local/tools/folders.ts'
import { getBenchFile, listNodeOptions } from './scripts.ts'

type TaskProcess<Task, Done> = {
  pid: number
  run(task: Task): Promise<Done>
  stop(): Promise<void>
}

type TaskMessage<Done> = { done: Done } | { error: string }

/** `name` is the benchmark's script that calls `performTasks`. */
export async function startTaskProcess<Task extends object, Done>(
  name: string,
): Promise<TaskProcess<Task, Done>> {
  const file = getBenchFile(name)
  const child = fork(file, { execArgv: listNodeOptions(file), cwd: projectDirectory })
  const ended = once(child, 'exit')
  await once(child, 'message')
  return {
    pid: child.pid as number,
    async run(task) {
      child.send(task)
      const [message] = (await once(child, 'message')) as [TaskMessage<Done>]
      if ('error' in message) throw new Error(message.error)
      return message.done
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Performs the tasks that arrive. Runs in the separate process. */
export function performTasks<Task, Done>(perform: (task: Task) => Promise<Done>): void {
  process.on('message', async (task: Task) => {
    try {
      process.send?.({ done: await perform(task) })
    } catch (error) {
      process.send?.({ error: String(error) })
    }
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.('ready')
}
