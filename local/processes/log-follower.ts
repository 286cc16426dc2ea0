// Follows the log files of gateway and workers, and prints what a person should see. The processes log to
// files, because a pipe would break when we are killed, while they still finish their work.
import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs'

type LogFollower = { flush(): void; end(): void }

const WARN = 40
const ERROR = 50
const POLL_MS = 250
const PIECE_BYTES = 256 * 1024
const FILE_BYTES_MAX = 50 * 1024 * 1024
const LINE_LENGTH_MAX = 300

// What Node prints around the message of a crash.
const NOISE = /^(\s|\^|file:|node:|Node\.js |\(node:|\(Use )/

export function followLog(file: string, start: number, onLine: (line: string) => void): LogFollower {
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
    if (position > FILE_BYTES_MAX && rotateWhileWritten(file)) position = 0
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

// The process keeps its file open for appending, so the file must stay in place. Lines written between the
// two steps are lost, which is better than a full disk.
function rotateWhileWritten(file: string): boolean {
  copyFileSync(file, `${file}.1`)
  truncateSync(file, 0)
  return true
}
