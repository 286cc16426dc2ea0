// A PostgreSQL of a run's own: it may be ended at once, and stopped in the middle of everything.
import { join } from 'node:path'
import { startPostgres } from '../../local/postgres/postgres.ts'
import type { Server } from '../../local/tools/servers.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { withDatabaseName } from '../support/databases.ts'
import { childrenOf } from '../support/processes.ts'

const TEMPLATE = 'harness_template'
// What is put to the test is not the disk: a Postgres that crashes loses nothing that the system has been given.
const SETTINGS = { max_connections: '300', fsync: 'off', full_page_writes: 'off' }

export class PostgresServer {
  readonly #directory: string
  #server: Server
  #stopped: number[] = []
  #databases = 0

  static async start(folder: string): Promise<PostgresServer> {
    const directory = join(folder, 'postgres')
    const server = await startPostgres({ directory, settings: SETTINGS })
    const postgres = new PostgresServer(directory, server)
    await postgres.#run(`CREATE DATABASE ${TEMPLATE}`)
    const template = connectDatabase(withDatabaseName(server.url, TEMPLATE))
    await migrateUp(template)
    await template.destroy()
    return postgres
  }

  private constructor(directory: string, server: Server) {
    this.#directory = directory
    this.#server = server
  }

  /** Returns its address. */
  async createDatabase(): Promise<string> {
    const name = `harness_${++this.#databases}`
    await this.#run(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
    return withDatabaseName(this.#server.url, name)
  }

  /** As by `pg_ctl restart -m immediate`. */
  async crash(pause: () => Promise<unknown>): Promise<void> {
    const { port } = this.#server
    this.#server.kill('SIGQUIT')
    await this.#server.ended
    await pause()
    this.#server = await startPostgres({ directory: this.#directory, port, settings: SETTINGS })
  }

  /** All of its processes, as if the machine hung. */
  freeze(): void {
    const { pid } = this.#server
    process.kill(pid, 'SIGSTOP')
    this.#stopped = [pid, ...childrenOf(pid)]
    for (const each of this.#stopped) signal(each, 'SIGSTOP')
  }

  thaw(): void {
    for (const each of this.#stopped.splice(0)) signal(each, 'SIGCONT')
  }

  async stop(): Promise<void> {
    this.thaw()
    await this.#server.stop()
  }

  async #run(statement: string): Promise<void> {
    const connection = connectDatabase(this.#server.url, { connectionsMax: 1 })
    try {
      await connection.raw(statement)
    } finally {
      await connection.destroy()
    }
  }
}

// A backend may have ended meanwhile.
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
