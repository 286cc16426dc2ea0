// Opens the queue of writes for the jobs of calendars. The names of its keys contain the identity of the database, so the queue
// opens once that identity has been read.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import { formatIdentity, readIdentity } from '../../../shared/identity/identity.ts'
import { RedisConnections } from '../../../shared/redis/connections.ts'
import { Queues } from '../../../shared/runtime/queues.ts'
import type { Config } from '../../../shared/settings/config.ts'
import type { Log } from '../../../shared/utilities/log.ts'

export type QueueSettings = Pick<Config, 'redisUrl' | 'redisSentinels' | 'redisCluster' | 'redisPrefix'>

type OpenQueue = { queue: Queue; database: string; close(): Promise<void> }

export class JobQueue {
  readonly #settings: QueueSettings
  readonly #database: Knex
  readonly #redis: RedisConnections
  #open: OpenQueue | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(settings: QueueSettings, database: Knex, log: Log) {
    this.#settings = settings
    this.#database = database
    // Commands fail at once while Redis is down: the entries stay pending, and are queued later.
    this.#redis = new RedisConnections(settings, 'fail-fast', log)
    this.#redis.get('writes')
  }

  /** Throws if the database cannot be asked which one it is. */
  async open(): Promise<{ queue: Queue; database: string }> {
    const identity = await readIdentity(async (sql) => (await this.#database.raw(sql)).rows)
    const database = formatIdentity(identity)
    if (this.#open && this.#open.database !== database) {
      await this.#open.close()
      this.#open = undefined
    }
    this.#open ??= this.#createQueue(identity.id, database)
    return this.#open
  }

  /** Runs work after all work that was passed earlier. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  #createQueue(id: string, database: string): OpenQueue {
    const queues = new Queues(this.#redis, { prefix: this.#settings.redisPrefix, database: id })
    return { queue: queues.get('writes'), database, close: () => queues.close() }
  }

  async close() {
    await this.#open?.close().catch(() => undefined)
    this.#redis.disconnect()
  }
}
