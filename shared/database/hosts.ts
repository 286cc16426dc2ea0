// Chooses among several hosts of one Postgres: the primary, even after a fail-over, or a standby. It searches
// for each new connection until it knows the right host; when a connection closes, it forgets that host.
import { Socket } from 'node:net'
import pg from 'pg'
import type { DatabaseAddress, Host, TargetServer } from './database-address.ts'

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

  /** A socket for a connection, which connects to whichever host is right then. */
  socket(): Socket {
    const socket = new HostSocket(this)
    socket.once('close', () => this.#forget())
    return socket
  }

  choose(): Promise<Host> {
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

// Ignores the host that the driver passes, which is always the first one.
class HostSocket extends Socket {
  readonly #hosts: Hosts

  constructor(hosts: Hosts) {
    super()
    this.#hosts = hosts
  }

  override connect(): this {
    this.#hosts.choose().then(
      ({ host, port }) => this.destroyed || super.connect(port, host),
      (error) => this.destroy(error),
    )
    return this
  }
}

async function isStandby({ url }: Host): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'berth-hosts',
    connectionTimeoutMillis: ANSWER_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
  })
  // For a connection that breaks between two queries.
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
