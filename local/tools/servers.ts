// What Postgres and Redis share as child processes: not reached by Ctrl-C, logging to a file, stopped by a
// watchdog if we are killed, and given time to stop.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from './ports.ts'
import { type EndingSteps, endProcess, signal } from './processes.ts'
import { lockFolder } from './record.ts'
import { CliError, print } from './terminal.ts'

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
  port: number | undefined
  commandOn(port: number): {
    command: string
    parameters: string[]
    uid?: number | undefined
    gid?: number | undefined
  }
  environment: Record<string, string>
  logFile: string
  ending: EndingSteps
  /** The first and last signal that the watchdog sends once we are gone. */
  watchdogSignals: readonly [NodeJS.Signals, NodeJS.Signals]
  isReady(pid: number, port: number): Promise<boolean>
  /** What it logs if another process took the free port. */
  lostPort?: RegExp
  /** What it logs if it would start a moment later. */
  passing?: RegExp
}

const READY_WAIT_MS = 60_000
const READY_POLL_MS = 25
const LAUNCHES_MAX = 20
const RELAUNCH_AFTER_MS = 250
const LOG_BYTES_MAX = 10 * 1024 * 1024

/** Locks the folder until the server has ended. Links are resolved, so that every start uses the same name. */
export async function startInFolder(
  folder: string,
  mode: number,
  start: (directory: string) => Promise<Server>,
): Promise<Server> {
  mkdirSync(folder, { recursive: true, mode })
  const directory = realpathSync(folder)
  const release = lockFolder(directory)
  try {
    const server = await start(directory)
    server.ended.then(release)
    return server
  } catch (error) {
    release()
    throw error
  }
}

export async function stopEarlier(name: string, pid: number, ending: EndingSteps): Promise<void> {
  print(`${name} is still running from an earlier start (process ${pid}); stopping it.`)
  if (await endProcess(pid, ending)) return
  throw new CliError(`${name} from an earlier start (process ${pid}) did not stop. Kill it and try again.`)
}

/** Launches again if another process took the free port, or if the log matches `passing`. */
export async function launchServer(launch: Launch): Promise<Omit<Server, 'url'>> {
  for (let attempt = 1; ; attempt++) {
    const port = launch.port ?? (await findFreePort())
    const logStart = rotateLog(launch.logFile)
    const { child, ...server } = await spawnServer(launch, port)
    const problem = await waitUntilReady(launch, child, port, server.stop)
    if (problem === undefined) return server
    const logged = readFileSync(launch.logFile).subarray(logStart).toString('utf8')
    const mayWork =
      (launch.port === undefined && launch.lostPort?.test(logged)) || launch.passing?.test(logged)
    if (attempt >= LAUNCHES_MAX || !mayWork) {
      const reason = findReason(logged) ?? problem
      throw new CliError(`${launch.name} did not start: ${reason} (log: ${launch.logFile}).`)
    }
    await sleep(RELAUNCH_AFTER_MS)
  }
}

async function spawnServer(launch: Launch, port: number) {
  const child = await spawnDetached(launch, port)
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
  return { child, port, pid, ended, stop, kill }
}

/** A clean environment: the user's PGPORT, PGOPTIONS or language must not affect a server. */
export function cleanEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

/** Returns the problem if it ends before it is ready, or is not ready in time. */
async function waitUntilReady(
  { isReady }: Launch,
  child: ChildProcess,
  port: number,
  stop: () => Promise<void>,
): Promise<string | undefined> {
  const deadline = Date.now() + READY_WAIT_MS
  while (!(await isReady(child.pid as number, port))) {
    if (hasEnded(child)) return 'it exited immediately'
    if (Date.now() > deadline) {
      await stop()
      return `not ready after ${READY_WAIT_MS / 1000} s`
    }
    await sleep(READY_POLL_MS)
  }
}

// Logs to a file: pipes would break with us, and a server that cannot log may not shut down properly.
async function spawnDetached(launch: Launch, port: number): Promise<ChildProcess> {
  const log = openSync(launch.logFile, 'a', 0o600)
  const { command, parameters, ...user } = launch.commandOn(port)
  try {
    const child = spawn(command, parameters, {
      ...user,
      cwd: '/',
      detached: true,
      env: launch.environment,
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

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

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

// A small shell whose standard input we hold open, and which therefore notices our end in any case. `read`
// returns when its input ends. `seconds` limits the wait for a process that nobody reaps.
const WATCHDOG = `
while read -r _; do :; done
kill -s CONT "$1"; kill -s "$2" "$1"
seconds=0
while kill -s 0 "$1" && [ "$seconds" -lt 40 ]; do sleep 1; seconds=$((seconds + 1)); done
kill -s "$3" "$1"
`

function startWatchdog(pid: number, first: NodeJS.Signals, last: NodeJS.Signals): () => void {
  const names = [first, last].map((name) => name.slice('SIG'.length))
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'berth-watchdog', String(pid), ...names], {
    cwd: '/',
    // Its own process group is out of reach of Ctrl-C.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a watchdog, only the protection for this case is missing.
  watchdog.on('error', () => undefined)
  watchdog.stdin.on('error', () => undefined)
  watchdog.unref()
  // A pipe to a child can be unreferenced, though the type of a plain Writable does not say so.
  if ('unref' in watchdog.stdin && typeof watchdog.stdin.unref === 'function') watchdog.stdin.unref()
  return () => {
    if (watchdog.pid !== undefined && watchdog.exitCode === null) signal(watchdog.pid, 'SIGKILL')
  }
}
