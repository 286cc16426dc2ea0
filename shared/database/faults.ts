// Distinguishes bugs from Postgres faults that pass by themselves or once somebody fixes a setting.

const NETWORK_ERROR_PATTERN = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/

// The error codes for connection exceptions (class 08), shutdown and start-up, too many connections, and a primary that
// became a replica.
const UNAVAILABLE_CODE_PATTERN = /^(08...|57P0[1-5]|53300|25006)$/

// The error messages of node-postgres and knex for faults without a code. Knex puts the statement before the message.
const UNAVAILABLE_MESSAGE_PATTERN =
  /(^| - )(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Knex: Timeout acquiring a connection|Client was closed)/

// The message for a full pool. The message for a failed connection attempt is different.
const POOL_EXHAUSTED_MESSAGE = 'timeout exceeded when trying to connect'

const DISK_FULL_CODE = '53100'

const LOCK_TIMEOUT_CODE = '55P03'

const FOREIGN_KEY_CODE = '23503'

// The error codes for serialization failures, deadlocks, lock and statement timeouts, and too many locks: the
// transaction may well succeed when it is repeated.
const TRANSIENT_CODES = new Set(['40001', '40P01', LOCK_TIMEOUT_CODE, '57014', '53200'])

/** Whether the error means that Postgres cannot be reached, cannot serve as a primary, or refuses access. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  if (explainConnectionFault(error) !== undefined) return true
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return NETWORK_ERROR_PATTERN.test(code) || UNAVAILABLE_CODE_PATTERN.test(code)
  return typeof message === 'string' && UNAVAILABLE_MESSAGE_PATTERN.test(message)
}

/**
 * Whether the caller waited too long for a connection because the pool's connections were all in use. Postgres itself
 * may be fine.
 */
export function isPoolExhausted(error: unknown): boolean {
  return (error as { message?: unknown } | undefined)?.message === POOL_EXHAUSTED_MESSAGE
}

const getErrorCode = (error: unknown) => (error as { code?: unknown } | undefined)?.code

/** Whether a statement failed because it waited too long for a lock. */
export const isLockTimeout = (error: unknown) => getErrorCode(error) === LOCK_TIMEOUT_CODE

/** Whether a statement failed because it refers to a row that does not exist, or deletes a row that others refer to. */
export const isForeignKeyViolation = (error: unknown) => getErrorCode(error) === FOREIGN_KEY_CODE

/** Whether a statement failed because the disk of Postgres is full. */
export const isDiskFull = (error: unknown) => getErrorCode(error) === DISK_FULL_CODE

export const isTransient = (error: unknown) =>
  isDatabaseUnavailable(error) || TRANSIENT_CODES.has(String(getErrorCode(error)))

// The codes, or the beginnings of messages, that the server, Node's TLS or the driver reports.
const CONNECTION_FAULTS: Array<[name: RegExp, words: string]> = [
  [/^(28P01$|WRONGPASS )/, 'refuses the password'],
  [/^(NOAUTH |SASL: .*client password must be)/, 'asks for a password'],
  [/^28000$/, 'refuses this user, database or machine'],
  [/^3D000$/, 'does not have this database'],
  [/^NOPERM /, 'refuses this user what Berth needs'],
  [/^The server does not support SSL connections/, 'offers no TLS'],
  [/^(ERR_SSL_|EPROTO$)/, 'does not speak TLS as we do'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'has a certificate for another name'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'has a certificate that is not valid at this time'],
  [
    /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|CERT_)/,
    'has a certificate of an authority that is not trusted here (sslrootcert, NODE_EXTRA_CA_CERTS)',
  ],
  [/^ERR This instance has cluster support disabled/, 'is no cluster'],
  [/^REDIS_URL names a node of a Redis Cluster/, 'is a cluster'],
  [/^The sentinels know no master/, 'has no master of this name'],
  [/^ENOTFOUND$/, 'cannot be found by its name'],
]

/**
 * Returns a phrase that follows the server's name, such as “refuses the password”, or undefined if waiting may help.
 */
export function explainConnectionFault(error: unknown): string | undefined {
  // An AggregateError means that all of several hosts refuse Berth.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const all = error.errors.map(explainConnectionFault)
    return all.includes(undefined) ? undefined : all[0]
  }
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  for (const [name, words] of CONNECTION_FAULTS)
    for (const said of [code, message]) if (typeof said === 'string' && name.test(said)) return words
  return undefined
}
