// Runs Berth like `npm start` in a separate folder: starts it, waits until it reports that it is up, and stops it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { type LocalRecord, readRecord } from '../../../local/tools/record.ts'

export type StartedBerth = { main: ChildProcess; output: string; record: LocalRecord }

export const LOCAL_MAIN = join(projectDirectory, 'dist/local/main.js')

/** Returns the environment of a Berth with its own Postgres and Redis instead of the suite's servers. */
export function createLocalEnvironment(directory: string, changes: Record<string, string> = {}) {
  const { DATABASE_URL, REDIS_URL, GATEWAY_DATABASE_URL, ...rest } = process.env
  return { ...rest, PORT: '0', BERTH_DIR: directory, ...changes }
}

export async function startBerth(directory: string, changes: Record<string, string>): Promise<StartedBerth> {
  const environment = createLocalEnvironment(directory, changes)
  const main = spawn(process.execPath, [LOCAL_MAIN], { cwd: projectDirectory, env: environment })
  let output = ''
  for (const stream of [main.stdout, main.stderr]) stream.on('data', (data) => (output += data))
  while (!output.includes('Press Ctrl-C to stop.')) {
    if (main.exitCode !== null) throw new Error(`It ended: ${output}`)
    await sleep(50)
  }
  return { main, output, record: readRecord(directory) as LocalRecord }
}

/** Stops Berth, and returns its exit code. */
export async function stopBerth({ main }: StartedBerth, name: NodeJS.Signals = 'SIGTERM') {
  const ended = once(main, 'exit')
  main.kill(name)
  const [code] = (await ended) as [number | null]
  return code
}
