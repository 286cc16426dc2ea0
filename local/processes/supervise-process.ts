// Keeps one process of the Procfile running: starts it, starts it again when it dies, and ends it in good order.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { projectDirectory } from '../folders.ts'
import { turnLog } from '../servers.ts'
import { complain, say } from '../terminal.ts'
import { followLog, wordLogLine } from './log-follower.ts'
import { signal } from './processes.ts'
import type { ProcessLine } from './procfile.ts'

export type KeptProcess = {
  name: string
  /** Asks it to finish what it has begun, and waits; `hasten` cuts the waiting short. */
  stop(hasten: AbortSignal): Promise<void>
}

export type KeepOptions = { logsDirectory: string; environment: NodeJS.ProcessEnv }

const DRAIN_WAIT_MS = 30_000
const BACKOFF_MS_MAX = 30_000
const STEADY_MS_MIN = 60_000

export function keepProcess({ name, command }: ProcessLine, options: KeepOptions): KeptProcess {
  const logFile = join(options.logsDirectory, `${name}.log`)
  const follower = followLog(logFile, turnLog(logFile), (line) => {
    const words = wordLogLine(name, line)
    if (words) say(words)
  })
  let child: ChildProcess
  let pause: NodeJS.Timeout | undefined
  let stopping = false
  let failures = 0

  const start = () => {
    const startedMs = Date.now()
    child = spawnLine(command, logFile, options.environment)
    child.once('error', (error) => complain(`${name} does not start: ${error.message}.`))
    child.once('exit', (code, signalName) => {
      follower.flush()
      if (stopping) return
      failures = Date.now() - startedMs > STEADY_MS_MIN ? 1 : failures + 1
      const waitMs = Math.min(1000 * 2 ** (failures - 1), BACKOFF_MS_MAX)
      const reason = signalName ?? `exit code ${code}`
      say(`${name} ended (${reason}); it starts again in ${waitMs / 1000} s. Its log: ${logFile}`)
      pause = setTimeout(start, waitMs)
    })
  }

  const stop = async (hasten: AbortSignal) => {
    stopping = true
    clearTimeout(pause)
    if (!(await endChild(child, hasten))) say(`${name} did not finish in time; it was ended.`)
    endGroup(child)
    follower.end()
  }

  start()
  return { name, stop }
}

// Through a shell, as hosting platforms do it, so that a line may use variables; `exec` gives the shell's place, and
// with it the signals and the channel, to the program. The channel tells the program when we are gone.
function spawnLine(command: string, logFile: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const log = openSync(logFile, 'a', 0o600)
  try {
    const path = [dirname(process.execPath), environment['PATH']].join(delimiter)
    return spawn('/bin/sh', ['-c', `exec ${command}`], {
      cwd: projectDirectory,
      // Ctrl-C reaches a whole process group; these are to end when we say so, and before Redis and Postgres.
      detached: true,
      env: { ...environment, PATH: path },
      stdio: ['ignore', log, log, 'ipc'],
    })
  } finally {
    closeSync(log)
  }
}

/** False where it had to be killed for want of an end. */
async function endChild(child: ChildProcess, hasten: AbortSignal): Promise<boolean> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return true
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)))
  child.kill('SIGTERM')
  const inTime = await Promise.race([ended, timeUp(hasten)])
  if (inTime) return true
  child.kill('SIGKILL')
  await ended
  return hasten.aborted
}

function timeUp(hasten: AbortSignal): Promise<false> {
  const limit = AbortSignal.any([hasten, AbortSignal.timeout(DRAIN_WAIT_MS)])
  return new Promise((resolve) => {
    if (limit.aborted) resolve(false)
    limit.addEventListener('abort', () => resolve(false))
  })
}

/** Processes that it started itself and left behind. */
function endGroup(child: ChildProcess): void {
  if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
}
