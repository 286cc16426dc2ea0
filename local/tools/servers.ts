// Runs Postgres and Redis as child processes. Ctrl-C does not reach them, they log to a file, a watchdog stops them if
// this process is killed, and they get time to stop.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from './ports.ts'
import { type EndingSteps, endProcess, sendSignal } from './processes.ts'
import { lockFolder } from './record.ts'
import { CliError, print } from './terminal.ts'

export type Server = {
  url: string
  port: number
  pid: number
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
  kill(signal: NodeJS.Signals): void
}

type LaunchOptions = {
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
  /** The first and the last signal that the watchdog sends to the server after this process has ended. */
  watchdogSignals: readonly [NodeJS.Signals, NodeJS.Signals]
  isReady(pid: number, port: number): Promise<boolean>
  /** Matches the server's log if another process has taken the free port. */
  lostPort?: RegExp
  /** Matches the server's log if another start shortly afterwards would succeed. */
  passing?: RegExp
}

const READY_WAIT_MS = 60_000
const READY_POLL_MS = 25
const LAUNCHES_MAX = 20
const RELAUNCH_AFTER_MS = 250
const LOG_BYTES_MAX = 10 * 1024 * 1024

/**
 * Starts a server, and locks its folder until the server has ended. Resolves links, so that every start uses the same
 * path.
 */
export async function startServerInFolder(
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

export async function stopEarlierServer(name: string, pid: number, ending: EndingSteps): Promise<void> {
  print(`${name} is still running from an earlier start (process ${pid}); stopping it.`)
  if (await endProcess(pid, ending)) return
  throw new CliError(`${name} from an earlier start (process ${pid}) did not stop. Kill it and try again.`)
}

/** Starts the server. Starts it again if another process has taken the free port, or if the log matches `passing`. */
export async function launchServer(launch: LaunchOptions): Promise<Omit<Server, 'url'>> {
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
      const reason = findFailureReason(logged) ?? problem
      throw new CliError(`${launch.name} did not start: ${reason} (log: ${launch.logFile}).`)
    }
    await sleep(RELAUNCH_AFTER_MS)
  }
}

async function spawnServer(launch: LaunchOptions, port: number) {
  const child = await spawnDetached(launch, port)
  const pid = child.pid as number
  const stopWatchdog = startWatchdog(pid, ...launch.watchdogSignals)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve())).then(stopWatchdog)
  const stop = async () => {
    // Once the child process has ended, its pid may belong to another process, so it gets no signals.
    if (hasEnded(child)) return
    child.ref()
    if (!(await endProcess(pid, launch.ending)))
      throw new CliError(`${launch.name} (process ${pid}) did not stop.`)
    await ended
  }
  const kill = (name: NodeJS.Signals) => {
    if (!hasEnded(child)) sendSignal(pid, name)
  }
  return { child, port, pid, ended, stop, kill }
}

/** Returns a clean environment: the user's PGPORT, PGOPTIONS or language must not affect a server. */
export function createCleanEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

/** Waits until the server is ready. Returns the problem if the server ends first, or is not ready in time. */
async function waitUntilReady(
  { isReady }: LaunchOptions,
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

// Starts the server. It logs to a file: pipes would break when this process ends, and a server that cannot log may not
// shut down properly.
async function spawnDetached(launch: LaunchOptions, port: number): Promise<ChildProcess> {
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

/** Returns the position in the log at which new lines will begin. Renames a large log first, and keeps one old log. */
export function rotateLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size < LOG_BYTES_MAX) return size
  renameSync(file, `${file}.1`)
  return 0
}

function findFailureReason(logged: string): string | undefined {
  const lines = logged.split('\n').filter((line) => line.trim())
  const line =
    lines.find((text) => /FATAL|PANIC/.test(text)) ?? lines.findLast((text) => /error|fail/i.test(text))
  return (line ?? lines.at(-1))?.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, '').replace(/\.$/, '')
}

// A small shell script that notices when this process ends, for whatever reason. This process holds the
// script's standard input open, so `read` returns when this process ends. `seconds` limits the wait for a
// process that nobody reaps.
const WATCHDOG_SCRIPT = `
while read -r _; do :; done
kill -s CONT "$1"; kill -s "$2" "$1"
seconds=0
while kill -s 0 "$1" && [ "$seconds" -lt 40 ]; do sleep 1; seconds=$((seconds + 1)); done
kill -s "$3" "$1"
`

function startWatchdog(pid: number, first: NodeJS.Signals, last: NodeJS.Signals): () => void {
  const names = [first, last].map((name) => name.slice('SIG'.length))
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT, 'berth-watchdog', String(pid), ...names], {
    cwd: '/',
    // Ctrl-C does not reach the watchdog, which has its own process group.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // If the watchdog fails, continues without it. In that case, nothing stops the server when this process is
  // killed.
  watchdog.on('error', () => undefined)
  watchdog.stdin.on('error', () => undefined)
  watchdog.unref()
  // A pipe to a child process can be unreferenced, although the type of a plain Writable does not say so.
  if ('unref' in watchdog.stdin && typeof watchdog.stdin.unref === 'function') watchdog.stdin.unref()
  return () => {
    if (watchdog.pid !== undefined && watchdog.exitCode === null) sendSignal(watchdog.pid, 'SIGKILL')
  }
}
