// Berth as `npm start` runs it, from a folder of its own: started until it says that it is up, and stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { type LocalRecord, readRecord } from '../../../local/tools/record.ts'

export type StartedBerth = { main: ChildProcess; output: string; record: LocalRecord }

export const LOCAL_MAIN = join(projectDirectory, 'dist/local/main.js')

/** What it is told; a service of its own for everything, whatever the suite has. */
export function localEnvironment(directory: string, changes: Record<string, string> = {}) {
  const { DATABASE_URL, REDIS_URL, GATEWAY_DATABASE_URL, ...rest } = process.env
  return { ...rest, PORT: '0', BERTH_DIR: directory, ...changes }
}

export async function startBerth(directory: string, changes: Record<string, string>): Promise<StartedBerth> {
  const environment = localEnvironment(directory, changes)
  const main = spawn(process.execPath, [LOCAL_MAIN], { cwd: projectDirectory, env: environment })
  let output = ''
  for (const stream of [main.stdout, main.stderr]) stream.on('data', (data) => (output += data))
  while (!output.includes('Press Ctrl-C to stop.')) {
    if (main.exitCode !== null) throw new Error(`It ended: ${output}`)
    await sleep(50)
  }
  return { main, output, record: readRecord(directory) as LocalRecord }
}

/** Returns its exit code. */
export async function stopBerth({ main }: StartedBerth, name: NodeJS.Signals = 'SIGTERM') {
  const ended = once(main, 'exit')
  main.kill(name)
  const [code] = (await ended) as [number | null]
  return code
}
