// Starts a Berth in which every part can fail: gateways, workers and hooks run in separate processes, and all their
// connections go through proxies.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { startRedis } from '../../../local/redis/redis.ts'
import { findFreePort } from '../../../local/tools/ports.ts'
import type { Server } from '../../../local/tools/servers.ts'
import { connectDatabase } from '../../../shared/database/database.ts'
import type { CalendarProviderName } from '../../../shared/room-calendars/room-calendars.ts'
import { copyDist, type Patch } from '../../harness/built-copy.ts'
import type { PostgresServer } from '../../harness/postgres.ts'
import { type Proxies, startProxies } from '../../support/faults/pipeline.ts'
import { startProxy, type TcpProxy } from '../../support/faults/proxy.ts'
import {
  type Child,
  startGatewayProcess,
  startHooksProcess,
  startWorkerProcess,
} from '../../support/processes.ts'
import { openCalendars, type StagedCalendars } from './calendars.ts'

export type StageOptions = {
  postgres: PostgresServer
  /** The time that a gateway waits for a write. */
  waitMs: number
  gateways?: number
  workers?: number
  /** The providers that have rooms with calendars. Without them, no process of hooks runs. */
  calendars?: CalendarProviderName[]
  /** Faults planted in the code of all processes. */
  patches?: Patch[]
}

export type Worker = Proxies & { child: Child }
/** Several of these processes share the calendars. */
export type Hooks = Worker
/** Clients reach a gateway only through `front`. */
export type Gateway = Proxies & { child: Child; front: TcpProxy }

// Each phase of an offer lasts three seconds instead of many minutes, because a run is short.
const SHORT_OFFER_SETTINGS = {
  file: 'shared/waits/waits.js',
  find: 'OFFER_MINUTES = 15',
  replace: 'OFFER_MINUTES = 0.05',
}
const HOOKS_COUNT = 2
const QUEUES = ['writes', 'imports', 'upkeep']

export class Stage {
  readonly waitMs: number
  readonly postgres: PostgresServer
  readonly database: Knex
  readonly gateways: Gateway[] = []
  readonly workers: Worker[] = []
  readonly hooks: Hooks[] = []
  readonly calendars: StagedCalendars
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
    const calendars = await openCalendars(options.calendars ?? [], folder)
    const patches = [SHORT_OFFER_SETTINGS, ...calendars.patches, ...(options.patches ?? [])]
    const dist = copyDist(join(folder, 'built'), patches)
    const stage = new Stage(options, { folder, databaseUrl, redis, dist, calendars })
    const started = await Promise.allSettled([
      ...Array.from({ length: options.gateways ?? 2 }, () => stage.#addGateway()),
      ...Array.from({ length: options.workers ?? 2 }, () => stage.#addWorker()),
      ...Array.from({ length: calendars.worlds.length > 0 ? HOOKS_COUNT : 0 }, () => stage.#addHooks()),
    ])
    const failed = started.find((each) => each.status === 'rejected')
    if (!failed) return stage
    await stage.close()
    throw failed.reason
  }

  private constructor(
    { waitMs, postgres }: StageOptions,
    own: { folder: string; databaseUrl: string; redis: Server; dist: string; calendars: StagedCalendars },
  ) {
    this.calendars = own.calendars
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

  /** All processes of Berth. */
  get processes(): Worker[] {
    return [...this.gateways, ...this.workers, ...this.hooks]
  }

  /** Returns the log lines with the given message, of all processes including ended ones. */
  logged(message: string): Child['lines'] {
    const living = this.processes.map(({ child }) => child)
    return [...this.#ended, ...living].flatMap(({ lines }) => lines).filter(({ msg }) => msg === message)
  }

  async restartWorker(worker: Worker): Promise<void> {
    await worker.child.ended
    this.#ended.push(worker.child)
    worker.child = await this.#startWorker(worker)
  }

  async restartHooks(hooks: Hooks): Promise<void> {
    await hooks.child.ended
    this.#ended.push(hooks.child)
    hooks.child = await this.#startHooks(hooks)
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
    const { processes } = this
    for (const { child } of processes) child.kill('SIGKILL')
    await Promise.all(processes.map(({ child }) => child.ended))
    await Promise.all(this.gateways.map(({ front }) => front.close()))
    await Promise.all(processes.flatMap(({ postgres, redis }) => [postgres.close(), redis.close()]))
    await Promise.all(this.calendars.worlds.map((world) => world.close()))
    await this.database.destroy()
    await this.#redis.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #addWorker(): Promise<void> {
    const proxies = await startProxies({ databaseUrl: this.#databaseUrl, redisUrl: this.#redis.url })
    this.workers.push({ ...proxies, child: await this.#startWorker(proxies) })
  }

  async #addHooks(): Promise<void> {
    const proxies = await startProxies({ databaseUrl: this.#databaseUrl, redisUrl: this.#redis.url })
    this.hooks.push({ ...proxies, child: await this.#startHooks(proxies) })
  }

  async #addGateway(): Promise<void> {
    const proxies = await startProxies({ databaseUrl: this.#databaseUrl, redisUrl: this.#redis.url })
    const front = await startProxy(`http://127.0.0.1:${await findFreePort()}`)
    this.gateways.push({ ...proxies, front, child: await this.#startGateway({ ...proxies, front }) })
  }

  #startWorker({ environment }: Proxies): Promise<Child> {
    return startWorkerProcess({ ...this.#settings(), ...environment }, QUEUES, this.#dist)
  }

  #startHooks({ environment }: Proxies): Promise<Child> {
    return startHooksProcess({ ...this.calendars.environment, ...environment }, this.#dist)
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
