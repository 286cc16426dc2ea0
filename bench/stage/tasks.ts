// A separate process that runs tasks one by one: work for a benchmark must not take time from measuring.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { projectDirectory } from '../../local/tools/folders.ts'
import { benchFile, nodeOptionsFor } from './scripts.ts'

type TaskProcess<Task, Done> = {
  pid: number
  run(task: Task): Promise<Done>
  stop(): Promise<void>
}

type Message<Done> = { done: Done } | { error: string }

/** `name` is the file of the benchmark that calls `doTasks`. */
export async function startTaskProcess<Task extends object, Done>(
  name: string,
): Promise<TaskProcess<Task, Done>> {
  const file = benchFile(name)
  const child = fork(file, { execArgv: nodeOptionsFor(file), cwd: projectDirectory })
  const ended = once(child, 'exit')
  await once(child, 'message')
  return {
    pid: child.pid as number,
    async run(task) {
      child.send(task)
      const [message] = (await once(child, 'message')) as [Message<Done>]
      if ('error' in message) throw new Error(message.error)
      return message.done
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Runs in that process. */
export function doTasks<Task, Done>(perform: (task: Task) => Promise<Done>): void {
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
