// Starts a Redis master with two replicas and three sentinels. Servers and sentinels have different passwords.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../support/time.ts'
import { RedisProcess } from './redis-servers.ts'

const MASTER = 'berth'
const PASSWORD = 'of-the-servers'
const SENTINEL_PASSWORD = 'of-the-sentinels'
const READY_MS_MAX = 60_000
// The time for which a master may be silent (docs/scaling.md).
const DOWN_AFTER_MS = 2_000
const SENTINEL_COUNT = 3

export class RedisSentinel {
  readonly #folder: string
  readonly servers: RedisProcess[]
  readonly sentinels: RedisProcess[]

  static async start(): Promise<RedisSentinel> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-sentinel-'))
    const start = (name: string, settings: string[]) =>
      RedisProcess.start({
        directory: join(folder, name),
        settings: [`requirepass ${PASSWORD}`, `masterauth ${PASSWORD}`, ...settings],
        login: { password: PASSWORD },
      })
    const master = await start('master', [])
    const replicaof = `replicaof ${master.host} ${master.port}`
    const replicas = await Promise.all(['first', 'second'].map((name) => start(name, [replicaof])))
    const sentinels = await Promise.all(
      Array.from({ length: SENTINEL_COUNT }, (_, number) =>
        RedisProcess.start({
          directory: join(folder, `sentinel-${number}`),
          mode: 'sentinel',
          settings: [
            `requirepass ${SENTINEL_PASSWORD}`,
            `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
            `sentinel monitor ${MASTER} ${master.host} ${master.port} 2`,
            `sentinel auth-pass ${MASTER} ${PASSWORD}`,
            `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
            `sentinel failover-timeout ${MASTER} 10000`,
          ],
          login: { password: SENTINEL_PASSWORD },
        }),
      ),
    )
    const set = new RedisSentinel(folder, [master, ...replicas], sentinels)
    await eventually(() => set.#expectAllKnown(), READY_MS_MAX)
    return set
  }

  private constructor(folder: string, servers: RedisProcess[], sentinels: RedisProcess[]) {
    this.#folder = folder
    this.servers = servers
    this.sentinels = sentinels
  }

  get settings(): Record<string, string> {
    const hosts = this.sentinels.map(({ address }) => address).join(',')
    return {
      REDIS_URL: `redis://:${PASSWORD}@${MASTER}/1`,
      REDIS_SENTINELS: `redis://:${SENTINEL_PASSWORD}@${hosts}`,
    }
  }

  /** The URLs of all servers, with the database in use. */
  get urls(): string[] {
    return this.servers.map(({ address }) => `redis://:${PASSWORD}@${address}/1`)
  }

  /** Returns the current master according to the sentinels. */
  async master(): Promise<RedisProcess> {
    const [sentinel] = this.sentinels
    const answer = await sentinel?.ask((redis) => redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER))
    const port = Number(Array.isArray(answer) ? answer[1] : undefined)
    const master = this.servers.find((each) => each.port === port)
    if (!master) throw new Error('The sentinels name no master of ours')
    return master
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((each) => each.kill()))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #expectAllKnown(): Promise<void> {
    for (const sentinel of this.sentinels) {
      const says = await sentinel.ask((redis) => redis.info('sentinel'))
      if (!says.includes(`slaves=2,sentinels=${SENTINEL_COUNT}`))
        throw new Error(`A sentinel does not know all: ${says}`)
    }
    for (const server of this.servers.slice(1)) {
      const says = await server.ask((redis) => redis.info('replication'))
      if (!says.includes('master_link_status:up')) throw new Error('A replica has not been copied yet')
    }
  }
}
