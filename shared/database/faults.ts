// Distinguishes faults of Postgres that pass by themselves, or once a setting is fixed, from bugs.

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

// What the server, Node's TLS or the driver reports: a code, or the beginning of a message.
const FAULTS: Array<[name: RegExp, words: string]> = [
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

/** A phrase to follow the server's name: “refuses the password”. Undefined if waiting may help. */
export function explainConnectionFault(error: unknown): string | undefined {
  // Several hosts, each of which refuses Berth.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const all = error.errors.map(explainConnectionFault)
    return all.includes(undefined) ? undefined : all[0]
  }
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  for (const [name, words] of FAULTS)
    for (const said of [code, message]) if (typeof said === 'string' && name.test(said)) return words
  return undefined
}
