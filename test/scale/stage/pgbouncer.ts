// Runs PgBouncer in transaction mode in front of a Postgres, as an operator configures it.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../../local/tools/ports.ts'
import { findOwner, findProgram, makeFolder, runProgram, serveProgram } from './programs.ts'

export type Pooler = {
  url: string
  version: string
  /** Whether PgBouncer supports prepared statements, as it does since version 1.21. */
  keepsStatements: boolean
  stop(): Promise<void>
}

// Startup parameters of Berth's connections that PgBouncer cannot keep per connection.
export const IGNORED_STARTUP_PARAMETERS =
  'statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options'

export async function startPgBouncer(
  postgresUrl: string,
  settings: Record<string, string> = {},
): Promise<Pooler> {
  const path = findProgram('pgbouncer', 'pgbouncer')
  const owner = findOwner()
  const folder = makeFolder('pgbouncer', owner)
  const { hostname, port: postgresPort, username, password, pathname } = new URL(postgresUrl)
  const port = await findFreePort()
  const version = /\d+\.\d+/.exec(runProgram(path, ['--version'], owner))?.[0] ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const keepsStatements = major > 1 || (major === 1 && minor >= 21)
  const users = join(folder, 'users.txt')
  writeFileSync(users, `"${username}" "${password}"\n`, { mode: 0o644 })
  const all: Record<string, string> = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
    pool_mode: 'transaction',
    max_client_conn: '1000',
    default_pool_size: '20',
    ...(keepsStatements ? { max_prepared_statements: '200' } : {}),
    ignore_startup_parameters: IGNORED_STARTUP_PARAMETERS,
    tcp_keepidle: '30',
    tcp_keepintvl: '10',
    tcp_keepcnt: '3',
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]\n* = host=${hostname} port=${postgresPort}\n[pgbouncer]\n${lines.join('\n')}\n`,
    { mode: 0o644 },
  )
  const server = await serveProgram({ path, parameters: [file], owner, folder, port })
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`,
    version,
    keepsStatements,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
