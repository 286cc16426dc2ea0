// Of several hosts of one Postgres the one to connect to: the primary, after a fail-over too, or a standby. It is looked for
// whenever a connection is made and none is known to be right; when one closes, nothing is known any more.
import { Socket } from 'node:net'
import pg from 'pg'
import type { DatabaseAddress, Host, Sought } from './database-address.ts'

// Less than a connection has to be made.
const ANSWER_MS_MAX = 1_500

export class Hosts {
  readonly #hosts: Host[]
  readonly #sought: Sought
  #chosen: Promise<Host> | undefined

  constructor({ hosts, sought }: DatabaseAddress) {
    this.#hosts = hosts
    this.#sought = sought
  }

  /** For a connection, which begins at whatever host is right then. */
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

  // The first that answers and is right; one that is away holds nobody up.
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
    if (this.#sought === 'any') return first(() => true)
    if (this.#sought === 'primary') return first((isStandby) => !isStandby)
    const standby = first((isStandby) => isStandby)
    return this.#sought === 'standby' ? standby : standby.catch(() => first(() => true))
  }
}

// The driver says to which host, of which it knows the first one only.
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
  // A connection that breaks between two questions.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
    return rows[0]?.standby ?? false
  } finally {
    client.end().catch(() => undefined)
  }
}

/** Of the kind that passes: Postgres says so of writes to a standby. */
function wrongKind({ host, port }: Host, isStandby: boolean): Error {
  const kind = isStandby ? 'a standby' : 'not a standby'
  return Object.assign(new Error(`${host}:${port} is ${kind}`), { code: '25006' })
}
