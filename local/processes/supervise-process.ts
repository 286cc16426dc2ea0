// Reads the Procfile, whose lines hosting platforms run too, and supervises its processes: starts them, restarts
// one that dies, and stops them gracefully.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { projectDirectory } from '../tools/folders.ts'
import { signal } from '../tools/processes.ts'
import { rotateLog } from '../tools/servers.ts'
import { print, printError } from '../tools/terminal.ts'
import { followLog, formatLogLine } from './log-follower.ts'

type ProcessLine = { name: string; command: string }

export type SupervisedProcess = {
  name: string
  /** Lets it finish its work, and starts it again at once. */
  restart(): Promise<void>
  /** Asks it to finish its work and waits; `forced` cuts the wait short. */
  stop(forced: AbortSignal): Promise<void>
}

type SuperviseOptions = { logsDirectory: string; environment: NodeJS.ProcessEnv }

const DRAIN_WAIT_MS = 30_000
const BACKOFF_MS_MAX = 30_000
const STEADY_MS_MIN = 60_000

export function superviseProcess(
  { name, command }: ProcessLine,
  options: SuperviseOptions,
): SupervisedProcess {
  const logFile = join(options.logsDirectory, `${name}.log`)
  const follower = followLog(logFile, rotateLog(logFile), (line) => {
    const text = formatLogLine(name, line)
    if (text) print(text)
  })
  let child: ChildProcess
  let pause: NodeJS.Timeout | undefined
  let state: 'running' | 'restarting' | 'stopped' = 'running'
  let failures = 0

  const start = () => {
    const startedMs = Date.now()
    child = spawnLine(command, logFile, options.environment)
    child.once('error', (error) => printError(`Could not start ${name}: ${error.message}.`))
    child.once('exit', (code, signalName) => {
      follower.flush()
      if (state !== 'running') return
      failures = Date.now() - startedMs > STEADY_MS_MIN ? 1 : failures + 1
      const waitMs = Math.min(1000 * 2 ** (failures - 1), BACKOFF_MS_MAX)
      const reason = signalName ? `was killed by ${signalName}` : `exited with code ${code}`
      print(`${name} ${reason}; restarting in ${waitMs / 1000} s. Log: ${logFile}`)
      pause = setTimeout(start, waitMs)
    })
  }

  const restart = async () => {
    state = 'restarting'
    clearTimeout(pause)
    await endChild(child, AbortSignal.timeout(DRAIN_WAIT_MS))
    if (state !== 'restarting') return
    state = 'running'
    failures = 0
    start()
  }

  const stop = async (forced: AbortSignal) => {
    state = 'stopped'
    clearTimeout(pause)
    if (!(await endChild(child, forced))) print(`${name} did not stop in time and was killed.`)
    endGroup(child)
    follower.end()
  }

  start()
  return { name, restart, stop }
}

// Runs through a shell, as on hosting platforms, so that a line may use variables. Its `exec` replaces the
// shell by the program, so that the program gets the signals, and the channel that tells it when we are gone.
function spawnLine(command: string, logFile: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const log = openSync(logFile, 'a', 0o600)
  try {
    const path = [dirname(process.execPath), environment['PATH']].join(delimiter)
    return spawn('/bin/sh', ['-c', command], {
      cwd: projectDirectory,
      // Ctrl-C reaches a whole process group, but these end when we tell them, before the services.
      detached: true,
      env: { ...environment, PATH: path },
      stdio: ['ignore', log, log, 'ipc'],
    })
  } finally {
    closeSync(log)
  }
}

/** False if it had to be killed. */
async function endChild(child: ChildProcess, forced: AbortSignal): Promise<boolean> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return true
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)))
  child.kill('SIGTERM')
  const inTime = await Promise.race([ended, timeUp(forced)])
  if (inTime) return true
  child.kill('SIGKILL')
  await ended
  return forced.aborted
}

function timeUp(forced: AbortSignal): Promise<false> {
  const limit = AbortSignal.any([forced, AbortSignal.timeout(DRAIN_WAIT_MS)])
  return new Promise((resolve) => {
    if (limit.aborted) resolve(false)
    limit.addEventListener('abort', () => resolve(false))
  })
}

/** Kills the child processes that it left behind. */
function endGroup(child: ChildProcess): void {
  if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
}

/** Every line except `release`, which is for deployments. */
export function readProcfile(file: string): ProcessLine[] {
  return parseProcfile(readFileSync(file, 'utf8')).filter(({ name }) => name !== 'release')
}

export function parseProcfile(text: string): ProcessLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, command] = /^([A-Za-z0-9_-]+):\s*(.+?)\s*$/.exec(line) ?? []
    return name && command ? [{ name, command }] : []
  })
}
