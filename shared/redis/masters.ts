// Finds the Redis master to connect to: the one that sentinels name, or the one in a cluster that holds a key. Searches
// again for every new connection, so that after a failover the next connection goes to the new master. All keys of a
// queue are on one master, so a connection to this master behaves like one to a single Redis.
import { createConnection, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress, RedisHost } from './address.ts'

const ANSWER_MS_MAX = 1_000

type FoundMaster = { master: RedisHost; known?: RedisHost[] }
/** A range of slots in a Redis Cluster, and the nodes that hold the range. The master is the first node. */
export type ClusterShard = { from: number; to: number; nodes: RedisHost[] }

export class MasterFinder {
  readonly #address: Exclude<RedisAddress, { kind: 'server' }>
  /** A key in the slot to find. Not used with sentinels. */
  readonly #key: string
  /** The hosts to query: those in the settings, and the last known nodes of the Redis Cluster. */
  #hosts: RedisHost[]
  #next: number

  constructor(address: Exclude<RedisAddress, { kind: 'server' }>, key: string) {
    this.#address = address
    this.#key = key
    this.#hosts = listFirstHosts(address)
    this.#next = Math.floor(Math.random() * this.#hosts.length)
  }

  async find(): Promise<RedisHost> {
    const hosts = this.#hosts
    // Queries a different host first each time, so that a host with stale data does not return the former master every
    // time.
    this.#next = (this.#next + 1) % hosts.length
    const turn = [...hosts.slice(this.#next), ...hosts.slice(0, this.#next)]
    const { master, known } = await findFirstAnswer(turn, (host) => this.#ask(host))
    if (known) this.#hosts = removeDuplicateHosts([...listFirstHosts(this.#address), ...known])
    return master
  }

  #ask(host: RedisHost): Promise<FoundMaster> {
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
): Promise<FoundMaster> {
  return askRedis({ ...host, ...sentinelLogin, enableReadyCheck: false }, ANSWER_MS_MAX, async (redis) => {
    const answer: unknown = await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)
    if (!Array.isArray(answer)) throw new Error(`The sentinels know no master “${master}”`)
    return { master: { host: String(answer[0]), port: Number(answer[1]) } }
  })
}

/** Reads which nodes hold which slots. A node without a known address is the node that was queried. */
export async function readShards(redis: Redis, asked: RedisHost): Promise<ClusterShard[]> {
  const ranges = await redis.cluster('SLOTS')
  return ranges.map(([from, to, ...nodes]) => ({
    from,
    to,
    nodes: nodes.map(([host, port]) => ({ host: host || asked.host, port })),
  }))
}

/** Returns the class that ioredis uses to connect to the current master. */
export function createConnectorClass(masters: MasterFinder): NonNullable<RedisOptions['Connector']> {
  return class extends AbstractConnector {
    readonly #tls: RedisOptions['tls']

    constructor(options: unknown) {
      const { disconnectTimeout, tls } = options as RedisOptions
      super(disconnectTimeout ?? 0)
      this.#tls = tls
    }

    // Disconnects from a server that is no longer a master, so that ioredis queries the next host.
    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === 'master'
    }

    // Returns a stream that breaks instead of failing: ioredis gives up for good if this method fails, but retries if
    // the stream breaks.
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

/** Returns the result of the first host for which `ask` succeeds. Throws the last host's error if all hosts fail. */
export async function findFirstAnswer<Answer>(
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

function listFirstHosts(address: Exclude<RedisAddress, { kind: 'server' }>): RedisHost[] {
  return address.kind === 'sentinel' ? address.sentinels : address.nodes
}

function removeDuplicateHosts(hosts: RedisHost[]): RedisHost[] {
  return [...new Map(hosts.map((each) => [`${each.host}:${each.port}`, each])).values()]
}

const QUICK_OPTIONS: RedisOptions = {
  lazyConnect: true,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
}

/**
 * Runs commands on a new connection. `to` is a URL or the options of ioredis. If connecting fails, throws the
 * underlying error.
 */
export async function askRedis<Answer>(
  to: string | RedisOptions,
  timeoutMs: number,
  ask: (redis: Redis) => Promise<Answer>,
): Promise<Answer> {
  const options = { ...QUICK_OPTIONS, connectTimeout: timeoutMs, commandTimeout: timeoutMs }
  const redis = typeof to === 'string' ? new Redis(to, options) : new Redis({ ...to, ...options })
  // The error event contains the cause of a failure. The thrown error only says that the connection is closed.
  let cause: Error | undefined
  redis.on('error', (error: Error) => {
    cause ??= error
  })
  try {
    await redis.connect()
    // If Redis has no database with this number, ioredis reports an error event and continues with database 0.
    if (cause) throw cause
    return await ask(redis)
  } catch (error) {
    throw cause ?? error
  } finally {
    redis.disconnect()
  }
}
