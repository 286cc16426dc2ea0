// Logs are JSON lines on standard output, for whatever collects them. Tokens, passwords and keys are never written.
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

// A refusal of Redis quotes the whole command, and with it the job: names, e-mails and plates.
const REDACTED = ['headers.authorization', 'headers.cookie', '*.password', '*.token', 'err.command.args']

export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  const options = {
    name,
    level,
    base: { name, pid: process.pid },
    redact: REDACTED,
    formatters: { level: (label: string, number: number) => ({ level: number, severity: label }) },
  }
  return destination ? pino(options, destination) : pino(options)
}
