// Imports by a process of its own: whoever measures bookings meanwhile would else measure how long it takes to send a file.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { projectDirectory } from '../../local/folders.ts'
import { benchFile, nodeOptionsFor } from '../stage/scripts.ts'
import type { ImportRequest } from './import-process.ts'
import type { Stage } from './stage.ts'

export type Importer = { import(file: string): Promise<void>; stop(): Promise<void> }

export async function startImporter({ gateway: { url }, headers }: Stage): Promise<Importer> {
  const file = benchFile('users/import-process')
  const child = fork(file, { execArgv: nodeOptionsFor(file), cwd: projectDirectory })
  const ended = once(child, 'exit')
  await once(child, 'message')
  return {
    async import(path) {
      child.send({ url, headers, path } satisfies ImportRequest)
      const [{ error }] = await once(child, 'message')
      if (error) throw new Error(error)
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
