// Reads the Procfile, which hosting platforms use too, and supervises its processes: starts them, restarts those that
// die, stops them gracefully, and prints the important lines of their logs. The processes log to files, because a pipe
// would break if this process were killed while they finish their work.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { projectDirectory } from '../tools/folders.ts'
import { sendSignal } from '../tools/processes.ts'
import { rotateLog } from '../tools/servers.ts'
import { print, printError } from '../tools/terminal.ts'

type ProcessLine = { name: string; command: string }

export type SupervisedProcess = ReturnType<typeof superviseProcess>

const DRAIN_WAIT_MS = 30_000
const BACKOFF_MS_MAX = 30_000
const STEADY_RUN_MS_MIN = 60_000

export function superviseProcess(
  { name, command }: ProcessLine,
  options: {
    logsDirectory: string
    environment: NodeJS.ProcessEnv
    /** Whether to print warnings. While processes start, they warn about those that are not there yet. */
    printsWarnings?: () => boolean
  },
) {
  const logFile = join(options.logsDirectory, `${name}.log`)
  const follower = followLog(logFile, rotateLog(logFile), (line) => {
    const text = formatLogLine(name, line, options.printsWarnings?.() ?? true)
    if (text) print(text)
  })
  let child: ChildProcess
  let pause: NodeJS.Timeout | undefined
  let state: 'running' | 'restarting' | 'stopped' = 'running'
  let failures = 0

  const start = () => {
    const startedMs = Date.now()
    child = spawnCommand(command, logFile, options.environment)
    child.once('error', (error) => printError(`Could not start ${name}: ${error.message}.`))
    child.once('exit', (code, signalName) => {
      follower.flush()
      if (state !== 'running') return
      failures = Date.now() - startedMs > STEADY_RUN_MS_MIN ? 1 : failures + 1
      const waitMs = Math.min(1000 * 2 ** (failures - 1), BACKOFF_MS_MAX)
      const reason = signalName ? `was killed by ${signalName}` : `exited with code ${code}`
      print(`${name} ${reason}; restarting in ${waitMs / 1000} s. Log: ${logFile}`)
      pause = setTimeout(start, waitMs)
    })
  }

  /** Lets the process finish its work, and then starts it again immediately. */
  const restart = async () => {
    state = 'restarting'
    clearTimeout(pause)
    await endChild(child, AbortSignal.timeout(DRAIN_WAIT_MS))
    if (state !== 'restarting') return
    state = 'running'
    failures = 0
    start()
  }

  /** Asks the process to finish its work, and waits for its end. `forced` ends the wait early. */
  const stop = async (forced: AbortSignal) => {
    state = 'stopped'
    clearTimeout(pause)
    if (!(await endChild(child, forced))) print(`${name} did not stop in time and was killed.`)
    // Kills the child processes that the process left behind.
    if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL')
    follower.end()
  }

  start()
  return { name, restart, stop }
}

// Runs a line of the Procfile through a shell, as hosting platforms do, so that the line may use variables. Its `exec`
// replaces the shell with the program. The program then gets the signals, and the channel that tells it when this
// process has ended.
function spawnCommand(command: string, logFile: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const log = openSync(logFile, 'a', 0o600)
  try {
    const path = [dirname(process.execPath), environment['PATH']].join(delimiter)
    return spawn('/bin/sh', ['-c', command], {
      cwd: projectDirectory,
      // A separate process group keeps Ctrl-C from the process, which must end only after a request, and
      // before the services end.
      detached: true,
      env: { ...environment, PATH: path },
      stdio: ['ignore', log, log, 'ipc'],
    })
  } finally {
    closeSync(log)
  }
}

/** Ends the process. Returns false if it had to be killed. */
async function endChild(child: ChildProcess, forced: AbortSignal): Promise<boolean> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return true
  const ended = new Promise<true>((resolve) => child.once('exit', () => resolve(true)))
  child.kill('SIGTERM')
  const limit = AbortSignal.any([forced, AbortSignal.timeout(DRAIN_WAIT_MS)])
  const timeUp = new Promise<false>((resolve) => {
    if (limit.aborted) resolve(false)
    limit.addEventListener('abort', () => resolve(false))
  })
  if (await Promise.race([ended, timeUp])) return true
  child.kill('SIGKILL')
  await ended
  return forced.aborted
}

export function parseProcfile(text: string): ProcessLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, command] = /^([A-Za-z0-9_-]+):\s*(.+?)\s*$/.exec(line) ?? []
    return name && command ? [{ name, command }] : []
  })
}

const WARN_LEVEL = 40
const ERROR_LEVEL = 50
const POLL_MS = 1_000
const READ_BYTES_MAX = 256 * 1024
const LOG_BYTES_MAX = 50 * 1024 * 1024
const LINE_LENGTH_MAX = 300

// Matches lines that Node prints around the message of a crash.
const CRASH_NOISE_PATTERN = /^(\s|\^|file:|node:|Node\.js |\(node:|\(Use )/

function followLog(file: string, start: number, onLine: (line: string) => void) {
  let position = start
  let partial = Buffer.alloc(0)
  const flush = () => {
    for (let piece = readLogPart(file, position); piece.length > 0; piece = readLogPart(file, position)) {
      position += piece.length
      const text = Buffer.concat([partial, piece])
      const end = text.lastIndexOf('\n') + 1
      partial = text.subarray(end)
      if (end > 0) for (const line of text.toString('utf8', 0, end).trimEnd().split('\n')) onLine(line)
    }
    if (position <= LOG_BYTES_MAX) return
    // Copies the log, and then empties the file, which must stay in place because the process keeps it open for
    // appending. Lines written between the two steps are lost, which is better than a full disk.
    copyFileSync(file, `${file}.1`)
    truncateSync(file, 0)
    position = 0
  }
  const timer = setInterval(flush, POLL_MS)
  const end = () => {
    clearInterval(timer)
    flush()
  }
  return { flush, end }
}

/** Formats warnings, errors and lines that are not JSON as one readable line. Returns undefined for all other lines. */
export function formatLogLine(name: string, line: string, hasWarnings = true): string | undefined {
  const entry = parseLogEntry(line)
  if (!entry)
    return line.trim() && !CRASH_NOISE_PATTERN.test(line) ? shortenText(`${name}: ${line}`) : undefined
  const level = Number(entry['level'])
  if (!(level >= (hasWarnings ? WARN_LEVEL : ERROR_LEVEL))) return undefined
  const detail = entry['err'] as { message?: unknown } | undefined
  const parts = [entry['msg'], detail?.message].filter((part) => typeof part === 'string' && part !== '')
  const kind = level >= ERROR_LEVEL ? 'error' : 'warning'
  return shortenText(`${name}: ${kind}: ${[...new Set(parts)].join(': ') || 'see the log'}`)
}

function parseLogEntry(line: string): { [key: string]: unknown } | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as { [key: string]: unknown }
  } catch {
    return undefined
  }
}

function shortenText(text: string): string {
  const plain = text.replace(/\p{Cc}+/gu, ' ')
  return plain.length > LINE_LENGTH_MAX ? `${plain.slice(0, LINE_LENGTH_MAX)} …` : plain
}

function readLogPart(file: string, position: number): Buffer {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= position) return Buffer.alloc(0)
  const descriptor = openSync(file, 'r')
  try {
    const piece = Buffer.allocUnsafe(READ_BYTES_MAX)
    return piece.subarray(0, readSync(descriptor, piece, 0, READ_BYTES_MAX, position))
  } finally {
    closeSync(descriptor)
  }
}
