// Runs a Redis Cluster of three masters with optional replicas, like `redis-cli --cluster create`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../local/tools/ports.ts'
import { getHashTag, type RedisPart } from '../../../shared/identity/keys.ts'
import { eventually } from '../../support/time.ts'
import { RedisProcess } from './redis-servers.ts'

const MASTER_COUNT = 3
const SLOTS = 16_384
const READY_MS_MAX = 60_000
// The time for which a master may be silent before another master is elected (docs/scaling.md).
const NODE_TIMEOUT_MS = 2_000

type Node = { redis: RedisProcess; busPort: number }

export class RedisCluster {
  readonly #folder: string
  readonly masters: RedisProcess[]
  readonly replicas: RedisProcess[]

  /** `replicas` is the number of replicas of each master. */
  static async start({ replicas = 0 } = {}): Promise<RedisCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-cluster-'))
    const nodes: Node[] = []
    for (let number = 0; number < MASTER_COUNT * (1 + replicas); number++)
      nodes.push(await startNode(join(folder, String(number))))
    const masters = nodes.slice(0, MASTER_COUNT)
    await joinMasters(masters)
    const others = nodes.slice(MASTER_COUNT)
    for (const [index, node] of others.entries())
      await addReplica(node, masters[index % MASTER_COUNT] as Node)
    return new RedisCluster(
      folder,
      masters.map(({ redis }) => redis),
      others.map(({ redis }) => redis),
    )
  }

  private constructor(folder: string, masters: RedisProcess[], replicas: RedisProcess[]) {
    this.#folder = folder
    this.masters = masters
    this.replicas = replicas
  }

  /** The settings of the processes. Two nodes are enough to find all others. */
  get settings(): Record<string, string> {
    const hosts = this.masters.slice(0, 2).map(({ address }) => address)
    return { REDIS_URL: `redis://${hosts.join(',')}` }
  }

  get servers(): RedisProcess[] {
    return [...this.masters, ...this.replicas]
  }

  /** Returns the master that currently stores a key. */
  async masterOf(
    part: RedisPart,
    asked: RedisProcess = this.servers[0] as RedisProcess,
  ): Promise<RedisProcess> {
    const port = await asked.ask(async (redis) => {
      const slot = await redis.cluster('KEYSLOT', getHashTag('berth', part))
      const ranges = await redis.cluster('SLOTS')
      return ranges.find(([from, to]) => from <= slot && slot <= to)?.[2]?.[1]
    })
    const master = this.servers.find((each) => each.port === port)
    if (!master) throw new Error(`Nobody holds ${part}`)
    return master
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()))
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function startNode(directory: string): Promise<Node> {
  const busPort = await findFreePort()
  const settings = [
    'cluster-enabled yes',
    `cluster-port ${busPort}`,
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    'cluster-replica-validity-factor 0',
  ]
  return { redis: await RedisProcess.start({ directory, settings }), busPort }
}

async function joinMasters(masters: Node[]): Promise<void> {
  const share = Math.ceil(SLOTS / MASTER_COUNT)
  for (const [index, { redis }] of masters.entries()) {
    await redis.ask(async (node) => {
      await node.cluster('SET-CONFIG-EPOCH', index + 1)
      await node.call('CLUSTER', 'ADDSLOTSRANGE', index * share, Math.min((index + 1) * share, SLOTS) - 1)
    })
  }
  for (const node of masters.slice(1)) await introduceNodes(node, masters[0] as Node)
  for (const { redis } of masters)
    await waitUntil(redis, 'cluster_state:ok', `cluster_known_nodes:${MASTER_COUNT}`)
}

async function addReplica(node: Node, master: Node): Promise<void> {
  await introduceNodes(node, master)
  const id = await master.redis.ask((redis) => redis.cluster('MYID'))
  await eventually(() => node.redis.ask((redis) => redis.cluster('REPLICATE', id)), READY_MS_MAX)
  await eventually(async () => {
    const facts = await node.redis.ask((redis) => redis.info('replication'))
    if (!facts.includes('master_link_status:up')) throw new Error('The replica has not been copied yet')
  }, READY_MS_MAX)
}

async function introduceNodes(node: Node, other: Node): Promise<void> {
  const { host, port } = other.redis
  await node.redis.ask((redis) => redis.call('CLUSTER', 'MEET', host, port, other.busPort))
}

async function waitUntil(redis: RedisProcess, ...says: string[]): Promise<void> {
  await eventually(async () => {
    const facts = await redis.ask((node) => node.cluster('INFO'))
    for (const each of says) if (!facts.includes(each)) throw new Error(`The cluster does not say ${each}`)
  }, READY_MS_MAX)
}
