// Logs are JSON lines on standard output, for whatever collects them. Tokens, passwords and keys are never written.
import { type Logger, pino } from 'pino'

export type Log = Logger

export function createLog(name: string, level: string): Log {
  return pino({
    name,
    level,
    base: { name, pid: process.pid },
    redact: ['headers.authorization', 'headers.cookie', '*.password', '*.token'],
    formatters: { level: (label, number) => ({ level: number, severity: label }) },
  })
}
