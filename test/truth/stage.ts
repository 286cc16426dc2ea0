// A Berth in which everything can fail: a Redis of its own, workers in processes of their own, and proxies between all
// of them and Postgres.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '../../local/redis/redis.ts'
import type { Server } from '../../local/servers.ts'
import { openWrites, type Proxies, startProxies } from '../support/faults/pipeline.ts'
import { startProxy, type TcpProxy } from '../support/faults/proxy.ts'
import { Client } from '../support/http/http.ts'
import { type Child, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { createWorld, type World } from '../support/world.ts'

const WORKERS = 2
export const WRITE_WAIT_MS = 2_000
const SETTINGS = { WRITE_WAIT_MS: String(WRITE_WAIT_MS), RATE_LIMIT_PER_MINUTE: '1000000' }

export type Worker = Proxies & { child: Child }

export class Stage {
  readonly world: World
  readonly client: Client
  readonly gatewayPostgres: TcpProxy
  readonly workers: Worker[] = []
  readonly #folder: string
  #redis: Server
  #redisFolders = 0

  static async open(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'berth-truth-'))
    const redis = await startRedis({ directory: join(folder, '0') })
    const world = await createWorld({ workers: [], environment: { ...SETTINGS, REDIS_URL: redis.url } })
    const postgres = await startProxy(world.databaseUrl)
    const { url } = await world.startGateway({ DATABASE_URL: postgres.url })
    const { token } = await world.client()
    const stage = new Stage({ world, client: new Client(url, token), postgres, folder, redis })
    await Promise.all(Array.from({ length: WORKERS }, () => stage.#addWorker()))
    return stage
  }

  private constructor(parts: {
    world: World
    client: Client
    postgres: TcpProxy
    folder: string
    redis: Server
  }) {
    this.world = parts.world
    this.client = parts.client
    this.gatewayPostgres = parts.postgres
    this.#folder = parts.folder
    this.#redis = parts.redis
  }

  async restartWorker(worker: Worker): Promise<void> {
    await worker.child.ended
    worker.child = await startWorkerProcess({ ...SETTINGS, ...worker.environment })
  }

  async restartRedis({ keepsData }: { keepsData: boolean }, away: () => Promise<void>): Promise<void> {
    const { port } = this.#redis
    this.#redis.kill('SIGKILL')
    await this.#redis.ended
    await away()
    if (!keepsData) this.#redisFolders++
    this.#redis = await startRedis({ directory: join(this.#folder, String(this.#redisFolders)), port })
  }

  /** Until nothing is left that could still happen. */
  async settle(): Promise<void> {
    const { queue, close } = openWrites({ ...this.world, redisUrl: this.#redis.url })
    await eventually(async () => {
      const { waiting, active } = await queue.getJobCounts('waiting', 'active')
      if ((waiting ?? 0) + (active ?? 0) > 0) throw new Error('There is still work')
    }, 20_000)
    await close()
  }

  async close(): Promise<void> {
    for (const { child } of this.workers) child.kill('SIGKILL')
    await Promise.all(this.workers.map(({ child }) => child.ended))
    await Promise.all(this.workers.flatMap(({ postgres, redis }) => [postgres.close(), redis.close()]))
    await this.world.close()
    await this.gatewayPostgres.close()
    await this.#redis.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #addWorker(): Promise<void> {
    const proxies = await startProxies({ databaseUrl: this.world.databaseUrl, redisUrl: this.#redis.url })
    this.workers.push({
      ...proxies,
      child: await startWorkerProcess({ ...SETTINGS, ...proxies.environment }),
    })
  }
}
