// Chooses among several hosts of one Postgres: either the primary, even after a failover, or a standby. Until a
// suitable host is known, each new connection searches for one. When a connection closes, its host is forgotten.

import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import pg from 'pg'

// The time limit for a host to respond. Must be less than the connection timeout.
const ANSWER_MS_MAX = 1_500

export class HostFinder {
  readonly #hosts: Host[]
  readonly #targetServer: TargetServer
  #chosen: Promise<Host> | undefined

  constructor({ hosts, targetServer }: DatabaseAddress) {
    this.#hosts = hosts
    this.#targetServer = targetServer
  }

  /** Returns a socket that connects to the currently suitable host and ignores the host that the driver asks for. */
  socket(): Socket {
    const socket = new Socket()
    const connect = socket.connect.bind(socket) as (port: number, host: string) => Socket
    socket.connect = () => {
      this.#choose().then(
        ({ host, port }) => socket.destroyed || connect(port, host),
        (error) => socket.destroy(error),
      )
      return socket
    }
    return socket.once('close', () => this.#forget())
  }

  #choose(): Promise<Host> {
    this.#chosen ??= this.#find().catch((error) => {
      this.#forget()
      throw error
    })
    return this.#chosen
  }

  #forget() {
    this.#chosen = undefined
  }

  // Finds the first host that responds and is of the right kind. A host that is down delays nothing.
  #find(): Promise<Host> {
    const checks = this.#hosts.map(async (host) => ({ host, isStandby: await isStandby(host) }))
    const first = (isRight: (isStandby: boolean) => boolean) =>
      Promise.any(
        checks.map(async (look) => {
          const { host, isStandby } = await look
          if (isRight(isStandby)) return host
          throw createWrongHostError(host, isStandby)
        }),
      )
    if (this.#targetServer === 'any') return first(() => true)
    if (this.#targetServer === 'primary') return first((isStandby) => !isStandby)
    const standby = first((isStandby) => isStandby)
    return this.#targetServer === 'standby' ? standby : standby.catch(() => first(() => true))
  }
}

async function isStandby({ url }: Host): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'berth-hosts',
    connectionTimeoutMillis: ANSWER_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
  })
  // Catches the error of a connection that breaks between two queries.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    return rows[0]?.standby ?? false
  } finally {
    client.end().catch(() => undefined)
  }
}

/** An error that counts as a temporary fault: Postgres reports this code for writes to a standby. */
function createWrongHostError({ host, port }: Host, isStandby: boolean): Error {
  const kind = isStandby ? 'a standby' : 'not a standby'
  return Object.assign(new Error(`${host}:${port} is ${kind}`), { code: '25006' })
}

export type Host = { host: string; port: number; url: string }
export type TargetServer = 'any' | 'primary' | 'standby' | 'prefer-standby'
export type DatabaseAddress = {
  hosts: [Host, ...Host[]]
  /** The kind of host to connect to. */
  targetServer: TargetServer
  /** Whether statements may be prepared by name and reused on the same connection. */
  preparesStatements: boolean
}

const SCHEME_PATTERN = /^postgres(ql)?:\/\//
const URL_PARTS_PATTERN = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/
const HOST_PATTERN = /^(?<host>\[[\da-f:.]+\]|[^:[\]]*)(?::(?<port>\d{1,5}))?$/i
const DEFAULT_PORT = 5432

// The name of Berth's own URL parameter. libpq has no such parameter; Rails uses the same name.
const PREPARED_STATEMENTS_PARAMETER = 'prepared_statements'

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const FILE_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey']
// The values that libpq uses. If there are several hosts, libpq connects to any of them by default, but Berth connects
// to the one that accepts writes.
const TARGET_SERVERS: Record<string, TargetServer> = {
  any: 'any',
  'read-write': 'primary',
  primary: 'primary',
  'read-only': 'standby',
  standby: 'standby',
  'prefer-standby': 'prefer-standby',
}

/**
 * Returns a phrase for what is wrong with a database URL, to follow the name of its setting. The phrase never quotes
 * the URL, which may contain a password.
 */
export function findAddressProblem(text: string): string | undefined {
  if (!SCHEME_PATTERN.test(text)) return 'must be a URL that starts with postgres:// or postgresql://'
  const urls = splitHosts(text)
  if (!urls?.every((url) => URL.canParse(url)))
    return 'must look like postgres://user:password@host:5432/name'
  const options = parseOptions(text)
  const mode = options.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    return `may have an sslmode of ${SSL_MODES.slice(0, -1).join(', ')}`
  if (mode === 'verify-ca' && !options.has('sslrootcert'))
    return 'needs the file of a certificate authority for verify-ca: sslrootcert=…'
  const missing = FILE_PARAMETERS.find((name) => options.has(name) && !existsSync(options.get(name) ?? ''))
  if (missing) return `names a file for ${missing} that is not there`
  const targetServer = options.get('target_session_attrs')
  if (targetServer !== null && !Object.hasOwn(TARGET_SERVERS, targetServer))
    return `may have target_session_attrs of ${Object.keys(TARGET_SERVERS).join(', ')}`
  if (!['true', 'false'].includes(options.get(PREPARED_STATEMENTS_PARAMETER) ?? 'true'))
    return `may have ${PREPARED_STATEMENTS_PARAMETER} of true or false`
  return undefined
}

export function parseDatabaseAddress(text: string): DatabaseAddress {
  const [first, ...others] = (splitHosts(text) ?? [text]).map(parseHost)
  if (!first) throw new Error('The address has no host')
  const options = parseOptions(text)
  return {
    hosts: [first, ...others],
    targetServer: TARGET_SERVERS[options.get('target_session_attrs') ?? 'read-write'] ?? 'primary',
    preparesStatements: options.get(PREPARED_STATEMENTS_PARAMETER) !== 'false',
  }
}

/** Splits a database URL into one URL for each of its hosts. */
function splitHosts(text: string): string[] | undefined {
  const [, start = '', hosts = '', rest = ''] = URL_PARTS_PATTERN.exec(text) ?? []
  const all = hosts.split(',')
  return all.every((host) => HOST_PATTERN.test(host)) ? all.map((host) => start + host + rest) : undefined
}

function parseHost(url: string): Host {
  const [, , text = ''] = URL_PARTS_PATTERN.exec(url) ?? []
  const { host = '', port = String(DEFAULT_PORT) } = HOST_PATTERN.exec(text)?.groups ?? {}
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port), url: withLibpqModes(url) }
}

// By default, the driver treats `require` as `verify-full`, and warns about that on stderr.
function withLibpqModes(url: string): string {
  const mode = parseOptions(url).get('sslmode')
  return mode === null || mode === 'no-verify' ? url : `${url}&uselibpqcompat=true`
}

function parseOptions(text: string): URLSearchParams {
  const [, , , rest = ''] = URL_PARTS_PATTERN.exec(text) ?? []
  return new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1])
}
