// A Berth in which everything can fail: gateways and workers in processes of their own, and proxies between all of
// them, their clients, Postgres and Redis.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { startRedis } from '../../../local/redis/redis.ts'
import { findFreePort } from '../../../local/tools/ports.ts'
import type { Server } from '../../../local/tools/servers.ts'
import { connectDatabase } from '../../../shared/database/database.ts'
import { copyDist, type Patch } from '../../harness/built-copy.ts'
import type { PostgresServer } from '../../harness/postgres.ts'
import { type Proxies, startProxies } from '../../support/faults/pipeline.ts'
import { startProxy, type TcpProxy } from '../../support/faults/proxy.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../../support/processes.ts'

export type StageOptions = {
  postgres: PostgresServer
  /** How long a gateway waits for a write. */
  waitMs: number
  gateways?: number
  workers?: number
  /** Planted in what is run. */
  patches?: Patch[]
}

export type Worker = Proxies & { child: Child }
/** Its clients reach it by `front` only. */
export type Gateway = Proxies & { child: Child; front: TcpProxy }

// Three seconds: no run lasts a quarter of an hour.
const SHORT_OFFERS = {
  file: 'shared/waits/waits.js',
  find: 'OFFER_MINUTES = 15',
  replace: 'OFFER_MINUTES = 0.05',
}
const QUEUES = ['writes', 'imports', 'upkeep']

export class Stage {
  readonly waitMs: number
  readonly postgres: PostgresServer
  readonly database: Knex
  readonly gateways: Gateway[] = []
  readonly workers: Worker[] = []
  readonly #folder: string
  readonly #databaseUrl: string
  readonly #dist: string
  readonly #ended: Child[] = []
  #redis: Server
  #redisFolders = 0

  static async open(options: StageOptions): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'berth-chaos-'))
    const [databaseUrl, redis] = await Promise.all([
      options.postgres.createDatabase(),
      startRedis({ directory: join(folder, 'redis-0') }),
    ])
    const dist = copyDist(join(folder, 'built'), [SHORT_OFFERS, ...(options.patches ?? [])])
    const stage = new Stage(options, { folder, databaseUrl, redis, dist })
    const started = await Promise.allSettled([
      ...Array.from({ length: options.gateways ?? 2 }, () => stage.#addGateway()),
      ...Array.from({ length: options.workers ?? 2 }, () => stage.#addWorker()),
    ])
    const failed = started.find((each) => each.status === 'rejected')
    if (!failed) return stage
    await stage.close()
    throw failed.reason
  }

  private constructor(
    { waitMs, postgres }: StageOptions,
    own: { folder: string; databaseUrl: string; redis: Server; dist: string },
  ) {
    this.waitMs = waitMs
    this.postgres = postgres
    this.#folder = own.folder
    this.#databaseUrl = own.databaseUrl
    this.#redis = own.redis
    this.#dist = own.dist
    this.database = connectDatabase(own.databaseUrl)
  }

  get redisUrl(): string {
    return this.#redis.url
  }

  /** What processes have logged of this message, those that have ended included. */
  logged(message: string): Child['lines'] {
    const living = [...this.gateways, ...this.workers].map(({ child }) => child)
    return [...this.#ended, ...living].flatMap(({ lines }) => lines).filter(({ msg }) => msg === message)
  }

  async restartWorker(worker: Worker): Promise<void> {
    await worker.child.ended
    this.#ended.push(worker.child)
    worker.child = await this.#startWorker(worker)
  }

  async restartGateway(gateway: Gateway): Promise<void> {
    await gateway.child.ended
    this.#ended.push(gateway.child)
    gateway.child = await this.#startGateway(gateway)
  }

  async restartRedis({ keepsData }: { keepsData: boolean }, pause: () => Promise<unknown>): Promise<void> {
    const { port } = this.#redis
    this.#redis.kill('SIGKILL')
    await this.#redis.ended
    await pause()
    if (!keepsData) this.#redisFolders++
    this.#redis = await startRedis({ directory: join(this.#folder, `redis-${this.#redisFolders}`), port })
  }

  async close(): Promise<void> {
    this.postgres.thaw()
    const processes = [...this.workers, ...this.gateways]
    for (const { child } of processes) child.kill('SIGKILL')
    await Promise.all(processes.map(({ child }) => child.ended))
    await Promise.all(this.gateways.map(({ front }) => front.close()))
    await Promise.all(processes.flatMap(({ postgres, redis }) => [postgres.close(), redis.close()]))
    await this.database.destroy()
    await this.#redis.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #addWorker(): Promise<void> {
    const proxies = await startProxies({ databaseUrl: this.#databaseUrl, redisUrl: this.#redis.url })
    this.workers.push({ ...proxies, child: await this.#startWorker(proxies) })
  }

  async #addGateway(): Promise<void> {
    const proxies = await startProxies({ databaseUrl: this.#databaseUrl, redisUrl: this.#redis.url })
    const front = await startProxy(`http://127.0.0.1:${await findFreePort()}`)
    this.gateways.push({ ...proxies, front, child: await this.#startGateway({ ...proxies, front }) })
  }

  #startWorker({ environment }: Proxies): Promise<Child> {
    return startWorkerProcess({ ...this.#settings(), ...environment }, QUEUES, this.#dist)
  }

  #startGateway({ environment, front }: Proxies & { front: TcpProxy }): Promise<Child> {
    const PORT = String(front.targetPort)
    return startGatewayProcess({ ...this.#settings(), ...environment, PORT }, this.#dist)
  }

  #settings(): Record<string, string> {
    return {
      WRITE_WAIT_MS: String(this.waitMs),
      RATE_LIMIT_PER_MINUTE: '1000000000',
      DRAIN_MS: '5000',
      PEOPLE_PAGES: 'on',
    }
  }
}
