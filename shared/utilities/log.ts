// Writes logs as JSON lines to standard output, where any log collector can read them. Tokens, passwords, keys and
// personal data are never logged.
import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from './error-details.ts'

export type Log = Logger

const REDACTED_PATHS = ['headers.authorization', 'headers.cookie', '*.password', '*.token']

// How long lines are collected before they are written together. A system call for each line would cost as much as
// formatting the line.
const BUFFER_MS_MAX = 20
const BUFFER_LENGTH_MAX = 16 * 1024
const WARN_LEVEL = 40

export function createLog(
  name: string,
  level: string,
  destination: DestinationStream = getStandardOutput(),
): Log {
  const options = {
    name,
    level,
    base: { name, pid: process.pid },
    redact: REDACTED_PATHS,
    serializers: { err: describeError },
    formatters: { level: (label: string, number: number) => ({ level: number, severity: label }) },
  }
  return pino(options, destination)
}

/**
 * Returns a log for very frequent lines that contain no secrets. Searching a line for secrets costs more than the rest
 * of it.
 */
export function createUnredactedLog(log: Log): Log {
  return log.child({}, { redact: [] })
}

let output: Output | undefined

function getStandardOutput(): Output {
  output ??= new Output()
  return output
}

// Collects lines before writing them. Writes warnings and errors immediately, along with all lines before them. Also
// writes everything when the process exits, unless the process is killed.
class Output implements DestinationStream {
  /** With this member, pino reports the level of each line. */
  readonly [pino.symbols.needsMetadataGsym] = true
  lastLevel = 0
  readonly #file = pino.destination({ dest: 1, sync: true })
  #lines = ''
  #timer: NodeJS.Timeout | undefined

  constructor() {
    process.on('exit', () => this.#flush())
  }

  write(line: string) {
    this.#lines += line
    if (this.lastLevel >= WARN_LEVEL || this.#lines.length >= BUFFER_LENGTH_MAX) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), BUFFER_MS_MAX).unref()
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#lines
    this.#lines = ''
    if (lines) this.#file.write(lines)
  }
}
