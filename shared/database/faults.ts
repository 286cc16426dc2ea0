// Distinguishes faults of Postgres that pass by themselves, or once a setting is fixed, from bugs.
import { explainConnectionFault } from './connection-faults.ts'

const NETWORK = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/

// Connection exceptions (class 08), shutdown and start-up, too many connections, a primary that became a replica.
const UNAVAILABLE = /^(08...|57P0[1-5]|53300|25006)$/

// The messages of node-postgres and knex that have no code; knex puts the statement before them.
const UNAVAILABLE_MESSAGE =
  /(^| - )(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Knex: Timeout acquiring a connection|Client was closed)/

// A failed attempt to connect has another message.
const POOL_EXHAUSTED = 'timeout exceeded when trying to connect'

const DISK_FULL = '53100'

const LOCK_TIMEOUT = '55P03'

// Serialization failure, deadlock, lock and statement timeouts, no room for more locks: the same transaction
// may well succeed next time.
const TRANSIENT = new Set(['40001', '40P01', LOCK_TIMEOUT, '57014', '53200'])

/** Postgres cannot be reached, cannot serve as a primary, or does not let us in. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  if (explainConnectionFault(error) !== undefined) return true
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return NETWORK.test(code) || UNAVAILABLE.test(code)
  return typeof message === 'string' && UNAVAILABLE_MESSAGE.test(message)
}

/** All connections of a pool were in use for too long: Postgres itself may be fine. */
export function isPoolExhausted(error: unknown): boolean {
  return (error as { message?: unknown } | undefined)?.message === POOL_EXHAUSTED
}

const codeOf = (error: unknown) => (error as { code?: unknown } | undefined)?.code

/** A statement waited for a lock until its timeout. */
export const isLockTimeout = (error: unknown) => codeOf(error) === LOCK_TIMEOUT

/** The disk of Postgres is full, so it has undone the statement. */
export const isDiskFull = (error: unknown) => codeOf(error) === DISK_FULL

export const isTransient = (error: unknown) =>
  isDatabaseUnavailable(error) || TRANSIENT.has(String(codeOf(error)))
