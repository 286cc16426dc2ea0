// What Postgres and Redis share as child processes: not reached by Ctrl-C, logging to a file, stopped by a
// watchdog if we are killed, and given time to stop.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EndingSteps, endProcess, signal } from './processes.ts'
import { CliError } from './terminal.ts'
import { startWatchdog } from './watchdog.ts'

export type Server = {
  url: string
  port: number
  pid: number
  /** Settles when the process has ended, for whatever reason. */
  ended: Promise<void>
  stop(): Promise<void>
  kill(signal: NodeJS.Signals): void
}

type Launch = {
  name: string
  command: string
  parameters: string[]
  environment: Record<string, string>
  uid?: number | undefined
  gid?: number | undefined
  logFile: string
  ending: EndingSteps
  /** The first and last signal that the watchdog sends once we are gone. */
  watchdogSignals: readonly [NodeJS.Signals, NodeJS.Signals]
  isReady: (pid: number) => Promise<boolean>
}

export type Launched = Omit<Server, 'url' | 'port'>

/** A server that ended before it was ready, with what it logged. */
export class LaunchFailure extends CliError {
  readonly logged: string

  constructor(message: string, logged: string) {
    super(message)
    this.logged = logged
  }
}

const READY_WAIT_MS = 60_000
const READY_POLL_MS = 25
const LOG_BYTES_MAX = 10 * 1024 * 1024

export async function launchServer(launch: Launch): Promise<Launched> {
  const logStart = rotateLog(launch.logFile)
  const child = await spawnDetached(launch)
  const pid = child.pid as number
  const stopWatchdog = startWatchdog(pid, ...launch.watchdogSignals)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve())).then(stopWatchdog)
  const stop = async () => {
    // Once ours has ended and been reaped, its pid may belong to another process.
    if (hasEnded(child)) return
    child.ref()
    if (!(await endProcess(pid, launch.ending)))
      throw new CliError(`${launch.name} (process ${pid}) did not stop.`)
    await ended
  }
  const kill = (name: NodeJS.Signals) => {
    if (!hasEnded(child)) signal(pid, name)
  }
  await waitUntilReady(launch, child, logStart, stop)
  return { pid, ended, stop, kill }
}

/** The log from a position on. */
function readLog(file: string, start = 0): string {
  try {
    return readFileSync(file).subarray(start).toString('utf8')
  } catch {
    return ''
  }
}

async function waitUntilReady(
  launch: Launch,
  child: ChildProcess,
  logStart: number,
  stop: () => Promise<void>,
) {
  const deadline = Date.now() + READY_WAIT_MS
  while (!(await launch.isReady(child.pid as number))) {
    const late = Date.now() > deadline
    if (late) await stop()
    if (late || hasEnded(child)) {
      const logged = readLog(launch.logFile, logStart)
      const reason =
        findReason(logged) ?? (late ? `not ready after ${READY_WAIT_MS / 1000} s` : 'it exited immediately')
      throw new LaunchFailure(`${launch.name} did not start: ${reason} (log: ${launch.logFile}).`, logged)
    }
    await sleep(READY_POLL_MS)
  }
}

// Logs to a file: pipes would break with us, and a server that cannot log may not shut down properly.
async function spawnDetached(launch: Launch): Promise<ChildProcess> {
  const log = openSync(launch.logFile, 'a', 0o600)
  try {
    const child = spawn(launch.command, launch.parameters, {
      cwd: '/',
      detached: true,
      env: launch.environment,
      uid: launch.uid,
      gid: launch.gid,
      stdio: ['ignore', log, log],
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error) => reject(new CliError(`${launch.name} did not start: ${error.message}.`)))
    })
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Returns where the new lines will begin. Renames a large log first; one old log is kept. */
export function rotateLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size < LOG_BYTES_MAX) return size
  renameSync(file, `${file}.1`)
  return 0
}

function findReason(logged: string): string | undefined {
  const lines = logged.split('\n').filter((line) => line.trim())
  const line =
    lines.find((text) => /FATAL|PANIC/.test(text)) ?? lines.findLast((text) => /error|fail/i.test(text))
  return (line ?? lines.at(-1))?.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, '').replace(/\.$/, '')
}
