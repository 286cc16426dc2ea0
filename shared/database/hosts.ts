// Chooses among several hosts of one Postgres: the primary, even after a fail-over, or a standby. It searches
// for each new connection until it knows the right host; when a connection closes, it forgets that host.

import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import pg from 'pg'

// Less than the timeout of a connection.
const ANSWER_MS_MAX = 1_500

export class Hosts {
  readonly #hosts: Host[]
  readonly #targetServer: TargetServer
  #chosen: Promise<Host> | undefined

  constructor({ hosts, targetServer }: DatabaseAddress) {
    this.#hosts = hosts
    this.#targetServer = targetServer
  }

  /** A socket that connects to whichever host is right then, whatever host the driver asks for. */
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

  // The first host that answers and is of the right kind; one that is down delays nothing.
  #find(): Promise<Host> {
    const looks = this.#hosts.map(async (host) => ({ host, isStandby: await isStandby(host) }))
    const first = (isRight: (isStandby: boolean) => boolean) =>
      Promise.any(
        looks.map(async (look) => {
          const { host, isStandby } = await look
          if (isRight(isStandby)) return host
          throw wrongKind(host, isStandby)
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
  // Handles a connection that breaks between two queries.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    return rows[0]?.standby ?? false
  } finally {
    client.end().catch(() => undefined)
  }
}

/** Counts as a passing fault: Postgres reports this code for writes to a standby. */
function wrongKind({ host, port }: Host, isStandby: boolean): Error {
  const kind = isStandby ? 'a standby' : 'not a standby'
  return Object.assign(new Error(`${host}:${port} is ${kind}`), { code: '25006' })
}

export type Host = { host: string; port: number; url: string }
export type TargetServer = 'any' | 'primary' | 'standby' | 'prefer-standby'
export type DatabaseAddress = {
  hosts: [Host, ...Host[]]
  /** Which kind of host to connect to. */
  targetServer: TargetServer
  /** Whether statements may be prepared by name and reused on the same connection. */
  preparesStatements: boolean
}

const START = /^postgres(ql)?:\/\//
const PARTS = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/
const HOST = /^(?<host>\[[\da-f:.]+\]|[^:[\]]*)(?::(?<port>\d{1,5}))?$/i
const PORT = 5432

// Our own parameter; libpq does not have it, and Rails uses the same name.
const PREPARED_STATEMENTS = 'prepared_statements'

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const FILES = ['sslrootcert', 'sslcert', 'sslkey']
// The names of libpq. Its default is any host; of several hosts, ours is the one that accepts writes.
const TARGET_SERVERS: Record<string, TargetServer> = {
  any: 'any',
  'read-write': 'primary',
  primary: 'primary',
  'read-only': 'standby',
  standby: 'standby',
  'prefer-standby': 'prefer-standby',
}

/**
 * Describes what is wrong with the address, as a phrase to follow its name, without quoting it: it may
 * contain a password.
 */
export function findAddressProblem(text: string): string | undefined {
  if (!START.test(text)) return 'must be a URL that starts with postgres:// or postgresql://'
  const urls = split(text)
  if (!urls?.every((url) => URL.canParse(url)))
    return 'must look like postgres://user:password@host:5432/name'
  const options = optionsOf(text)
  const mode = options.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode))
    return `may have an sslmode of ${SSL_MODES.slice(0, -1).join(', ')}`
  if (mode === 'verify-ca' && !options.has('sslrootcert'))
    return 'needs the file of a certificate authority for verify-ca: sslrootcert=…'
  const missing = FILES.find((name) => options.has(name) && !existsSync(options.get(name) ?? ''))
  if (missing) return `names a file for ${missing} that is not there`
  const targetServer = options.get('target_session_attrs')
  if (targetServer !== null && !Object.hasOwn(TARGET_SERVERS, targetServer))
    return `may have target_session_attrs of ${Object.keys(TARGET_SERVERS).join(', ')}`
  if (!['true', 'false'].includes(options.get(PREPARED_STATEMENTS) ?? 'true'))
    return `may have ${PREPARED_STATEMENTS} of true or false`
  return undefined
}

export function parseDatabaseAddress(text: string): DatabaseAddress {
  const [first, ...others] = (split(text) ?? [text]).map(hostOf)
  if (!first) throw new Error('The address has no host')
  const options = optionsOf(text)
  return {
    hosts: [first, ...others],
    targetServer: TARGET_SERVERS[options.get('target_session_attrs') ?? 'read-write'] ?? 'primary',
    preparesStatements: options.get(PREPARED_STATEMENTS) !== 'false',
  }
}

/** Splits the address into one for each of its hosts. */
function split(text: string): string[] | undefined {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(text) ?? []
  const all = hosts.split(',')
  return all.every((host) => HOST.test(host)) ? all.map((host) => start + host + rest) : undefined
}

function hostOf(url: string): Host {
  const [, , text = ''] = PARTS.exec(url) ?? []
  const { host = '', port = String(PORT) } = HOST.exec(text)?.groups ?? {}
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port), url: withLibpqModes(url) }
}

// The driver on its own treats `require` as `verify-full`, and warns about it on stderr.
function withLibpqModes(url: string): string {
  const mode = optionsOf(url).get('sslmode')
  return mode === null || mode === 'no-verify' ? url : `${url}&uselibpqcompat=true`
}

function optionsOf(text: string): URLSearchParams {
  const [, , , rest = ''] = PARTS.exec(text) ?? []
  return new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1])
}
