// A private PostgreSQL server for a run, which may crash or freeze at any moment.
import { join } from 'node:path'
import { startPostgres } from '../../local/postgres/postgres.ts'
import type { Server } from '../../local/tools/servers.ts'
import { connectDatabase } from '../../shared/database/database.ts'
import { migrateUp } from '../../shared/database/migrations.ts'
import { withDatabaseName } from '../support/databases.ts'
import { listChildProcesses } from '../support/processes.ts'

const TEMPLATE = 'harness_template'
// The run does not test the disk: a crashing Postgres keeps everything that the operating system has received.
const POSTGRES_SETTINGS = { max_connections: '300', fsync: 'off', full_page_writes: 'off' }

export class PostgresServer {
  readonly #directory: string
  #server: Server
  #stopped: number[] = []
  #databases = 0

  static async start(folder: string): Promise<PostgresServer> {
    const directory = join(folder, 'postgres')
    const server = await startPostgres({ directory, settings: POSTGRES_SETTINGS })
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

  /** Returns the address of the new database. */
  async createDatabase(): Promise<string> {
    const name = `harness_${++this.#databases}`
    await this.#run(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`)
    return withDatabaseName(this.#server.url, name)
  }

  /** Works like `pg_ctl restart -m immediate`. */
  async crash(pause: () => Promise<unknown>): Promise<void> {
    const { port } = this.#server
    this.#server.kill('SIGQUIT')
    await this.#server.ended
    await pause()
    this.#server = await startPostgres({ directory: this.#directory, port, settings: POSTGRES_SETTINGS })
  }

  /** Stops all processes, as if the machine hung. */
  freeze(): void {
    const { pid } = this.#server
    process.kill(pid, 'SIGSTOP')
    this.#stopped = [pid, ...listChildProcesses(pid)]
    for (const each of this.#stopped) sendSignal(each, 'SIGSTOP')
  }

  thaw(): void {
    for (const each of this.#stopped.splice(0)) sendSignal(each, 'SIGCONT')
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

// A backend may have ended in the meantime.
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
