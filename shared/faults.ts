// Tells the faults of Postgres that pass by themselves, or when a setting is mended, from those that mean a bug.
import { explainConnectionFault } from './connections/connection-faults.ts'

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
])

// Connection exceptions (class 08), shutdown and start-up, too many connections, a primary that became a replica.
const UNAVAILABLE = /^(08...|57P0[1-5]|53300|25006)$/

// What node-postgres and knex say without a code; knex puts the statement before it.
const UNAVAILABLE_MESSAGE =
  /(^| - )(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Knex: Timeout acquiring a connection|Client was closed)/

// A connection that cannot be made says something else.
const POOL_EXHAUSTED = 'timeout exceeded when trying to connect'

const DISK_FULL = '53100'

const LOCK_TIMEOUT = '55P03'

// Serialization failure, deadlock, lock and statement timeouts, no room for more locks: the same transaction may well
// succeed again.
const TRANSIENT = new Set(['40001', '40P01', LOCK_TIMEOUT, '57014', '53200'])

/** Postgres cannot be reached, is not itself, or does not let us in. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  if (explainConnectionFault(error) !== undefined) return true
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return NETWORK.has(code) || UNAVAILABLE.test(code)
  return typeof message === 'string' && UNAVAILABLE_MESSAGE.test(message)
}

/** All connections of a pool were taken, and for too long: Postgres may be well. */
export function isPoolExhausted(error: unknown): boolean {
  return (error as { message?: unknown } | undefined)?.message === POOL_EXHAUSTED
}

/** It waited for a lock as long as it was allowed to. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === LOCK_TIMEOUT
}

/** Postgres has no room left for what it was to write, and has undone the statement. */
export function isDiskFull(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === DISK_FULL
}

export function isTransient(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return isDatabaseUnavailable(error) || (typeof code === 'string' && TRANSIENT.has(code))
}
