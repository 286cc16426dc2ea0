// Runs a Postgres primary and its streaming replica, each in its own folder, as an operator would. The
// replica may be paused, stopped and restarted.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '../../../local/postgres/postgres.ts'
import type { Server } from '../../../local/tools/servers.ts'
import { connectDatabase } from '../../../shared/database/database.ts'
import { migrateUp } from '../../../shared/database/migrations.ts'

// Disables fsync, because the tests are not about the disk.
const POSTGRES_SETTINGS = {
  fsync: 'off',
  wal_level: 'replica',
  max_wal_senders: '4',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '100ms',
  max_connections: '200',
  shared_buffers: '32MB',
  autovacuum: 'off',
  io_method: 'sync',
  jit: 'off',
}

export class ReplicatedPostgres {
  readonly #folder: string
  readonly #primary: Server
  #replica: Server

  /**
   * Starts a migrated primary and its replica. With `synchronous`, a commit waits until the replica has stored it, and
   * with `applied` until the replica shows it.
   */
  static async start({ synchronous = false, applied = false } = {}): Promise<ReplicatedPostgres> {
    const folder = await mkdtemp(join(tmpdir(), 'berth-replica-'))
    const directory = join(folder, 'primary')
    const first = await startPostgres({ directory, settings: POSTGRES_SETTINGS })
    const database = connectDatabase(first.url)
    await migrateUp(database)
    const { rows } = await database.raw<{ rows: Array<{ data_directory: string }> }>('SHOW data_directory')
    await database.destroy()
    // The folder of a stopped Postgres is a base backup.
    await first.stop()
    await mkdir(join(folder, 'replica'))
    const data = rows[0]?.data_directory ?? ''
    await promisify(execFile)('cp', ['-a', data, join(data, '../password'), join(folder, 'replica')])
    await writeFile(join(folder, 'replica/data/standby.signal'), '')
    const settings = {
      ...POSTGRES_SETTINGS,
      ...(synchronous || applied ? { synchronous_standby_names: '*' } : {}),
      ...(applied ? { synchronous_commit: 'remote_apply' } : {}),
    }
    const primary = await startPostgres({ directory, port: first.port, settings })
    return new ReplicatedPostgres(folder, primary, await startReplica(folder, primary))
  }

  private constructor(folder: string, primary: Server, replica: Server) {
    this.#folder = folder
    this.#primary = primary
    this.#replica = replica
  }

  get url(): string {
    return this.#primary.url
  }

  get replicaUrl(): string {
    return this.#replica.url
  }

  /** A connection URL with both hosts; connections use the writable host. */
  get urlOfBoth(): string {
    return this.url.replace(/@[^/]+/, (host) => `${host},127.0.0.1:${this.#replica.port}`)
  }

  /** Makes the replica receive changes without showing them. */
  async pauseReplay(): Promise<void> {
    await this.#onReplica('SELECT pg_wal_replay_pause()')
  }

  async resumeReplay(): Promise<void> {
    await this.#onReplica('SELECT pg_wal_replay_resume() WHERE pg_is_in_recovery()')
  }

  async killPrimary(): Promise<void> {
    this.#primary.kill('SIGKILL')
    await this.#primary.ended
  }

  async killReplica(): Promise<void> {
    this.#replica.kill('SIGQUIT')
    await this.#replica.ended
  }

  async restartReplica(): Promise<void> {
    this.#replica = await startReplica(this.#folder, this.#primary, this.#replica.port)
  }

  /** Promotes the replica, so that it accepts writes. */
  async promoteReplica(): Promise<void> {
    await this.#onReplica('SELECT pg_promote()')
  }

  async stop(): Promise<void> {
    await this.#replica.stop()
    await this.#primary.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #onReplica(statement: string): Promise<void> {
    const database = connectDatabase(this.#replica.url, { connectionsMax: 1 })
    try {
      await database.raw(statement)
    } finally {
      await database.destroy()
    }
  }
}

function startReplica(folder: string, primary: Server, port?: number): Promise<Server> {
  const { username, password } = new URL(primary.url)
  return startPostgres({
    directory: join(folder, 'replica'),
    ...(port === undefined ? {} : { port }),
    settings: {
      ...POSTGRES_SETTINGS,
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${username} password=${password}`,
    },
  })
}
