// Writes logs as JSON lines to standard output, for any collector. Tokens, passwords, keys and personal data
// are never logged.
import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from './error-details.ts'

export type Log = Logger

const REDACTED = ['headers.authorization', 'headers.cookie', '*.password', '*.token']

// How long lines wait for others: a system call for each costs as much as making the line.
const TOGETHER_MS = 20
const TOGETHER_LENGTH = 16 * 1024
const WARN = 40

export function createLog(
  name: string,
  level: string,
  destination: DestinationStream = standardOutput(),
): Log {
  const options = {
    name,
    level,
    base: { name, pid: process.pid },
    redact: REDACTED,
    serializers: { err: describeError },
    formatters: { level: (label: string, number: number) => ({ level: number, severity: label }) },
  }
  return pino(options, destination)
}

/**
 * For very frequent lines without anything to redact: the search for it costs more than the rest of a line.
 */
export function withoutRedaction(log: Log): Log {
  return log.child({}, { redact: [] })
}

let output: Output | undefined

function standardOutput(): Output {
  output ??= new Output()
  return output
}

// Warnings and worse are written at once, with all lines before them; so is everything when the process
// exits, unless it is killed.
class Output implements DestinationStream {
  /** Makes pino report the level of each line. */
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
    if (this.lastLevel >= WARN || this.#lines.length >= TOGETHER_LENGTH) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), TOGETHER_MS).unref()
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#lines
    this.#lines = ''
    if (lines) this.#file.write(lines)
  }
}
