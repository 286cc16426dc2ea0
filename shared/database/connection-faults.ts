// Explains to operators why Postgres or Redis does not let Berth in. Unlike an outage, this lasts until a
// setting is fixed.

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
