// Logs are JSON lines on standard output, for whatever collects them. Tokens, passwords, keys and
// whatever says something of a person are never written.
import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from './error-details.ts'

export type Log = Logger

const REDACTED = ['headers.authorization', 'headers.cookie', '*.password', '*.token']

export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  const options = {
    name,
    level,
    base: { name, pid: process.pid },
    redact: REDACTED,
    serializers: { err: describeError },
    formatters: { level: (label: string, number: number) => ({ level: number, severity: label }) },
  }
  return destination ? pino(options, destination) : pino(options)
}
