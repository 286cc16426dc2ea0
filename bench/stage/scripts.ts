// Starts Node processes for a benchmark. They log to a file, as in production, and end with the benchmark.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectDirectory } from '../../local/tools/folders.ts'
import { findFreePort } from '../../local/tools/ports.ts'

export type Script = {
  name: string
  pid: number
  /** Returns the log of the process so far. */
  log(): string
  hasEnded(): boolean
  stop(): Promise<void>
}

type ServingScript = Script & { url: string }

type ScriptOptions = {
  /** The name of the process and of its log. */
  name: string
  file: string
  parameters?: string[]
  environment: Record<string, string>
  /** The folder that the process's log is written to. */
  directory: string
}

const READY_MS_MAX = 60_000
const READY_POLL_MS = 5
const STOPPED_MS_MAX = 40_000

/** Returns the path of a file in the built Berth, of this checkout or another one. */
export const getBuiltFile = (name: string, checkout = projectDirectory) => join(checkout, 'dist', name)

/** Returns the path of a benchmark script: a source file if this file is one, or else a built file. */
export const getBenchFile = (name: string) =>
  join(import.meta.dirname, '..', name + extname(import.meta.filename))

export const listNodeOptions = (file: string) => (file.endsWith('.ts') ? ['--import', 'tsx'] : [])

export function startScript({ name, file, parameters = [], environment, directory }: ScriptOptions): Script {
  const logFile = join(directory, `${name}.log`)
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [...listNodeOptions(file), file, ...parameters], {
    cwd: projectDirectory,
    env: { PATH: process.env.PATH, ...environment },
    // The channel tells the script when the benchmark has ended.
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    name,
    pid: child.pid as number,
    log: () => readFileSync(logFile, 'utf8'),
    hasEnded,
    stop: () => (hasEnded() ? Promise.resolve() : stopChild(child, ended)),
  }
}

/** Starts a server; resolves once a GET of `path` succeeds. */
export async function startServingScript(options: ScriptOptions, path: string): Promise<ServingScript> {
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const environment = { ...options.environment, PORT: String(port), HOST: '127.0.0.1' }
  const script = startScript({ ...options, environment })
  await waitUntil(script, async () => (await fetch(url + path)).ok)
  return { ...script, url }
}

export async function waitUntil(script: Script, isReady: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX
  while (!(await Promise.resolve(isReady()).catch(() => false))) {
    if (script.hasEnded() || Date.now() > deadline)
      throw new Error(`${script.name} did not start:\n${script.log()}`)
    await sleep(READY_POLL_MS)
  }
}

async function stopChild(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOPPED_MS_MAX)
  await ended
  clearTimeout(timer)
}
