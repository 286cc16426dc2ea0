// Reads the Procfile, whose lines hosting platforms run too, and supervises its processes: starts them, restarts
// one that dies, stops them gracefully, and prints what a person should see of their logs. They log to files,
// because a pipe would break when we are killed, while they still finish their work.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { projectDirectory } from '../tools/folders.ts'
import { signal } from '../tools/processes.ts'
import { rotateLog } from '../tools/servers.ts'
import { print, printError } from '../tools/terminal.ts'

type ProcessLine = { name: string; command: string }

export type SupervisedProcess = ReturnType<typeof superviseProcess>

const DRAIN_WAIT_MS = 30_000
const BACKOFF_MS_MAX = 30_000
const STEADY_MS_MIN = 60_000

export function superviseProcess(
  { name, command }: ProcessLine,
  options: { logsDirectory: string; environment: NodeJS.ProcessEnv },
) {
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

  /** Lets it finish its work, and starts it again at once. */
  const restart = async () => {
    state = 'restarting'
    clearTimeout(pause)
    await endChild(child, AbortSignal.timeout(DRAIN_WAIT_MS))
    if (state !== 'restarting') return
    state = 'running'
    failures = 0
    start()
  }

  /** Asks it to finish its work and waits; `forced` cuts the wait short. */
  const stop = async (forced: AbortSignal) => {
    state = 'stopped'
    clearTimeout(pause)
    if (!(await endChild(child, forced))) print(`${name} did not stop in time and was killed.`)
    // Kills the child processes that it left behind.
    if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
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

const WARN = 40
const ERROR = 50
const POLL_MS = 1_000
const PIECE_BYTES = 256 * 1024
const FILE_BYTES_MAX = 50 * 1024 * 1024
const LINE_LENGTH_MAX = 300

// What Node prints around the message of a crash.
const NOISE = /^(\s|\^|file:|node:|Node\.js |\(node:|\(Use )/

function followLog(file: string, start: number, onLine: (line: string) => void) {
  let position = start
  let partial = Buffer.alloc(0)
  const flush = () => {
    for (let piece = readPiece(file, position); piece.length > 0; piece = readPiece(file, position)) {
      position += piece.length
      const text = Buffer.concat([partial, piece])
      const end = text.lastIndexOf('\n') + 1
      partial = text.subarray(end)
      if (end > 0) for (const line of text.toString('utf8', 0, end).trimEnd().split('\n')) onLine(line)
    }
    if (position <= FILE_BYTES_MAX) return
    // The process keeps its file open for appending, so the file must stay in place. Lines written between the
    // two steps are lost, which is better than a full disk.
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

/** One readable line for a warning or worse, and for lines that are not JSON; undefined for the rest. */
export function formatLogLine(name: string, line: string): string | undefined {
  const entry = parseEntry(line)
  if (!entry) return line.trim() && !NOISE.test(line) ? shorten(`${name}: ${line}`) : undefined
  const level = Number(entry['level'])
  if (!(level >= WARN)) return undefined
  const detail = entry['err'] as { message?: unknown } | undefined
  const parts = [entry['msg'], detail?.message].filter((part) => typeof part === 'string' && part !== '')
  const kind = level >= ERROR ? 'error' : 'warning'
  return shorten(`${name}: ${kind}: ${[...new Set(parts)].join(': ') || 'see the log'}`)
}

function parseEntry(line: string): { [key: string]: unknown } | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as { [key: string]: unknown }
  } catch {
    return undefined
  }
}

function shorten(text: string): string {
  const plain = text.replace(/\p{Cc}+/gu, ' ')
  return plain.length > LINE_LENGTH_MAX ? `${plain.slice(0, LINE_LENGTH_MAX)} …` : plain
}

function readPiece(file: string, position: number): Buffer {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= position) return Buffer.alloc(0)
  const descriptor = openSync(file, 'r')
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    return piece.subarray(0, readSync(descriptor, piece, 0, PIECE_BYTES, position))
  } finally {
    closeSync(descriptor)
  }
}
