// Finds the master to connect to: the one that sentinels name, or the one in a cluster that holds a key. It
// searches for every new connection, so that after a fail-over the next connection leads to the new master.
// All keys of a queue are on one master, so that a connection to it behaves like one to a single Redis.
import { createConnection, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress, RedisHost } from './address.ts'

const ANSWER_MS_MAX = 1_000

type Found = { master: RedisHost; known?: RedisHost[] }
/** A range of slots in a cluster, and the nodes that hold it, the master first. */
export type Shard = { from: number; to: number; nodes: RedisHost[] }

export class Masters {
  readonly #address: Exclude<RedisAddress, { kind: 'server' }>
  /** A key of the slot to find; sentinels need none. */
  readonly #key: string
  /** The hosts to ask: those in the settings, and the last known nodes of the cluster. */
  #hosts: RedisHost[]
  #next: number

  constructor(address: Exclude<RedisAddress, { kind: 'server' }>, key: string) {
    this.#address = address
    this.#key = key
    this.#hosts = firstHosts(address)
    this.#next = Math.floor(Math.random() * this.#hosts.length)
  }

  async find(): Promise<RedisHost> {
    const hosts = this.#hosts
    // Asks the hosts in turn, so that one with stale data does not name the former master every time.
    this.#next = (this.#next + 1) % hosts.length
    const turn = [...hosts.slice(this.#next), ...hosts.slice(0, this.#next)]
    const { master, known } = await firstAnswer(turn, (host) => this.#ask(host))
    if (known) this.#hosts = distinct([...firstHosts(this.#address), ...known])
    return master
  }

  #ask(host: RedisHost): Promise<Found> {
    const address = this.#address
    if (address.kind === 'sentinel') return askSentinel(host, address)
    return askRedis({ ...host, ...address.login }, ANSWER_MS_MAX, async (redis) => {
      const [shards, slot] = await Promise.all([readShards(redis, host), redis.cluster('KEYSLOT', this.#key)])
      const [master] = shards.find(({ from, to }) => from <= slot && slot <= to)?.nodes ?? []
      if (!master) throw new Error(`No master of the cluster holds slot ${slot}`)
      return { master, known: shards.flatMap(({ nodes }) => nodes) }
    })
  }
}

export function askSentinel(
  host: RedisHost,
  { master, sentinelLogin }: Extract<RedisAddress, { kind: 'sentinel' }>,
): Promise<Found> {
  return askRedis({ ...host, ...sentinelLogin, enableReadyCheck: false }, ANSWER_MS_MAX, async (redis) => {
    const answer: unknown = await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)
    if (!Array.isArray(answer)) throw new Error(`The sentinels know no master “${master}”`)
    return { master: { host: String(answer[0]), port: Number(answer[1]) } }
  })
}

/** A node that does not know its own name is the node that answered. */
export async function readShards(redis: Redis, asked: RedisHost): Promise<Shard[]> {
  const ranges = await redis.cluster('SLOTS')
  return ranges.map(([from, to, ...nodes]) => ({
    from,
    to,
    nodes: nodes.map(([host, port]) => ({ host: host || asked.host, port })),
  }))
}

/** For ioredis: opens the stream of a connection. */
export function connectorTo(masters: Masters): NonNullable<RedisOptions['Connector']> {
  return class extends AbstractConnector {
    readonly #tls: RedisOptions['tls']

    constructor(options: unknown) {
      const { disconnectTimeout, tls } = options as RedisOptions
      super(disconnectTimeout ?? 0)
      this.#tls = tls
    }

    // Disconnects from a server that was a master until just now, and asks the next host.
    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === 'master'
    }

    // ioredis gives up for good if this fails, but retries if the stream breaks.
    override async connect(): Promise<Socket> {
      this.connecting = true
      try {
        const { host, port } = await masters.find()
        if (!this.connecting) throw new Error('The connection is no longer needed')
        const stream = this.#tls ? connectTls({ host, port, ...this.#tls }) : createConnection({ host, port })
        stream.once('error', (error: Error) => {
          this.firstError = error
        })
        this.stream = stream
      } catch (error) {
        this.firstError = error instanceof Error ? error : new Error(String(error))
        this.stream = new Socket().destroy()
      }
      return this.stream
    }
  }
}

/** Returns the first host's answer that succeeds. Throws the last host's error. */
export async function firstAnswer<Answer>(
  hosts: RedisHost[],
  ask: (host: RedisHost) => Promise<Answer>,
): Promise<Answer> {
  let failure: unknown = new Error('There are no hosts to ask')
  for (const host of hosts) {
    try {
      return await ask(host)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function firstHosts(address: Exclude<RedisAddress, { kind: 'server' }>): RedisHost[] {
  return address.kind === 'sentinel' ? address.sentinels : address.nodes
}

function distinct(hosts: RedisHost[]): RedisHost[] {
  return [...new Map(hosts.map((each) => [`${each.host}:${each.port}`, each])).values()]
}

const QUICK: RedisOptions = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
}

/**
 * `to` is a URL, or options of ioredis. Throws the reason why it could not connect, not just that it could
 * not.
 */
export async function askRedis<Answer>(
  to: string | RedisOptions,
  timeoutMs: number,
  ask: (redis: Redis) => Promise<Answer>,
): Promise<Answer> {
  const options = { ...QUICK, connectTimeout: timeoutMs, commandTimeout: timeoutMs }
  const redis = typeof to === 'string' ? new Redis(to, options) : new Redis({ ...to, ...options })
  // The error event has the cause; the thrown error only says that the connection is closed.
  let cause: Error | undefined
  redis.on('error', (error: Error) => {
    cause ??= error
  })
  try {
    await redis.connect()
    // If there is no database with this number, ioredis continues with number 0.
    if (cause) throw cause
    return await ask(redis)
  } catch (error) {
    throw cause ?? error
  } finally {
    redis.disconnect()
  }
}
