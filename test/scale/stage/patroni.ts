// Runs PostgreSQL managed by Patroni: replicated nodes, etcd for the election of the leader, and HAProxy in
// front of the writable node. All programs are Debian's packages on the loopback interface.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../../local/tools/ports.ts'
import { sendSignal } from '../../../local/tools/processes.ts'
import { eventually } from '../../support/time.ts'
import { findPostgresFolder } from './debian-postgres.ts'
import { findOwner, findProgram, makeFolder, type Owner, serveProgram } from './programs.ts'

const POSTGRES_VERSION = 15
const USER = 'berth'
const PASSWORD = 'berth'
const STARTED_MS_MAX = 300_000

type Node = {
  name: string
  port: number
  api: number
  server: Awaited<ReturnType<typeof serveProgram>>
}

/** Short timeouts, so that an election takes only seconds. The defaults are 30, 10 and 10. */
export const PATRONI_TIMEOUTS = { ttl: 20, loop_wait: 2, retry_timeout: 5 }

export class PatroniCluster {
  readonly #folder: string
  readonly #etcd: Awaited<ReturnType<typeof serveProgram>>
  readonly #proxy: Awaited<ReturnType<typeof serveProgram>>
  readonly #nodes: Node[]

  static async start(): Promise<PatroniCluster> {
    const owner = findOwner()
    const folder = makeFolder('patroni', owner)
    const etcd = await startEtcd(folder, owner)
    const nodes: Node[] = []
    for (const name of ['a', 'b']) {
      nodes.push(await startNode(name, folder, etcd.port, owner))
      await eventually(
        () => isHealthy(nodes.at(-1), nodes.length === 1 ? 'primary' : 'replica'),
        STARTED_MS_MAX,
      )
    }
    // Waits until replication is synchronous, so that a write succeeds only once both nodes have it.
    await eventually(() => isHealthy(nodes[1], 'synchronous'), STARTED_MS_MAX)
    return new PatroniCluster(folder, etcd, nodes, await startProxy(folder, nodes, owner))
  }

  private constructor(
    folder: string,
    etcd: Awaited<ReturnType<typeof serveProgram>>,
    nodes: Node[],
    proxy: Awaited<ReturnType<typeof serveProgram>>,
  ) {
    this.#folder = folder
    this.#etcd = etcd
    this.#nodes = nodes
    this.#proxy = proxy
  }

  /** The URL of HAProxy, which forwards to the leader. */
  get url(): string {
    return this.#urlOf(`127.0.0.1:${this.#proxy.port}`)
  }

  /** A connection URL with all nodes; Berth finds the leader among them. */
  get urlOfAll(): string {
    return this.#urlOf(this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(','))
  }

  /** Kills Patroni and its Postgres, so that neither can shut down properly. */
  async killLeader(): Promise<void> {
    const leader = await this.#findLeader()
    const [postmaster] = readFileSync(join(this.#folder, leader.name, 'postmaster.pid'), 'utf8').split('\n')
    leader.server.kill('SIGKILL')
    sendSignal(Number(postmaster), 'SIGKILL')
    await leader.server.ended
  }

  /** Waits until another node is the leader. */
  async elected(): Promise<void> {
    await eventually(() => this.#findLeader(), STARTED_MS_MAX)
  }

  async stop(): Promise<void> {
    await this.#proxy.stop()
    await Promise.all(this.#nodes.map(({ server }) => server.stop()))
    await this.#etcd.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #findLeader(): Promise<Node> {
    for (const node of this.#nodes) if (await answers(node.api, 'primary')) return node
    throw new Error('Nobody leads')
  }

  #urlOf(hosts: string): string {
    return `postgres://${USER}:${PASSWORD}@${hosts}/postgres`
  }
}

async function startEtcd(folder: string, owner: Owner) {
  const [port, peers] = [await findFreePort(), await findFreePort()]
  const [client, peer] = [port, peers].map((each) => `http://127.0.0.1:${each}`)
  const parameters = [
    '--name=default',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]
  return serveProgram({ path: findProgram('etcd', 'etcd-server'), parameters, owner, folder, port })
}

async function startNode(name: string, folder: string, etcdPort: number, owner: Owner): Promise<Node> {
  const [port, api] = [await findFreePort(), await findFreePort()]
  const file = join(folder, `${name}.yml`)
  // Writes JSON, because JSON is valid YAML.
  writeFileSync(file, JSON.stringify(createNodeSettings(name, folder, { port, api, etcdPort }), null, 2))
  const server = await serveProgram({
    path: findProgram('patroni', 'patroni'),
    parameters: [file],
    owner,
    folder,
    port: api,
  })
  return { name, port, api, server }
}

function createNodeSettings(
  name: string,
  folder: string,
  ports: { port: number; api: number; etcdPort: number },
) {
  const parameters = {
    max_connections: 200,
    unix_socket_directories: '',
    // Disables fsync, because the tests are not about the disk.
    fsync: 'off',
    jit: 'off',
  }
  return {
    scope: 'berth',
    name,
    restapi: { listen: `127.0.0.1:${ports.api}`, connect_address: `127.0.0.1:${ports.api}` },
    etcd3: { host: `127.0.0.1:${ports.etcdPort}` },
    bootstrap: {
      dcs: { ...PATRONI_TIMEOUTS, synchronous_mode: true, postgresql: { parameters } },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'no-sync'],
    },
    postgresql: {
      listen: `127.0.0.1:${ports.port}`,
      connect_address: `127.0.0.1:${ports.port}`,
      data_dir: join(folder, name),
      bin_dir: findPostgresFolder(POSTGRES_VERSION),
      pgpass: join(folder, `${name}.pgpass`),
      pg_hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
      authentication: {
        superuser: { username: USER, password: PASSWORD },
        replication: { username: 'replicator', password: PASSWORD },
      },
      parameters: { unix_socket_directories: '' },
    },
  }
}

// Follows Patroni's manual: connections go to the node that the health check reports as the leader, and a former leader
// loses them.
async function startProxy(folder: string, nodes: Node[], owner: Owner) {
  const port = await findFreePort()
  const file = join(folder, 'haproxy.cfg')
  const servers = nodes.map((node) => `  server ${node.name} 127.0.0.1:${node.port} check port ${node.api}`)
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout check 2s',
    '  timeout client 30m',
    '  timeout server 30m',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions',
    ...servers,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  // `-db` keeps HAProxy in the foreground.
  const parameters = ['-db', '-f', file]
  return serveProgram({ path: findProgram('haproxy', 'haproxy'), parameters, owner, folder, port })
}

async function isHealthy(node: Node | undefined, role: string): Promise<void> {
  if (!node || !(await answers(node.api, role))) throw new Error(`Node ${node?.name} is no ${role} yet`)
}

/** Returns whether Patroni answers 200, which means that its node has the given role. */
async function answers(api: number, role: string): Promise<boolean> {
  const answered = await fetch(`http://127.0.0.1:${api}/${role}`).catch(() => undefined)
  await answered?.arrayBuffer()
  return answered?.status === 200
}
