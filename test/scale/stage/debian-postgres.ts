// Runs PostgreSQL from Debian's packages, such as 15, the oldest version that Berth supports.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../../local/tools/ports.ts'
import { findOwner, findProgram, makeFolder, type Owner, runProgram, serveProgram } from './programs.ts'

const VERSIONS_FOLDER = '/usr/lib/postgresql'
const PASSWORD = 'berth'
const OLDEST_VERSION = 15

export type DebianPostgres = { url: string; port: number; pid: number; folder: string; stop(): Promise<void> }

/** Returns the folder of the PostgreSQL programs. */
export function findPostgresFolder(version: number): string {
  return join(
    findProgram('postgres', `postgresql-${version}`, [join(VERSIONS_FOLDER, String(version), 'bin')]),
    '..',
  )
}

/** Returns the newest installed version, or 15 if none is installed, so that the error names a package. */
export function findNewestPostgres(): number {
  const versions = existsSync(VERSIONS_FOLDER)
    ? readdirSync(VERSIONS_FOLDER).map(Number).filter(Number.isInteger)
    : []
  return Math.max(...versions, OLDEST_VERSION)
}

/** `prepare` may add files to the data folder before the server starts, such as certificates. */
export async function startDebianPostgres(
  version: number,
  settings: Record<string, string>,
  prepare: (data: string, owner: Owner) => void = () => undefined,
  parent?: string,
): Promise<DebianPostgres> {
  const programs = findPostgresFolder(version)
  const owner = findOwner()
  const folder = makeFolder(`postgres-${version}`, owner, parent)
  const data = join(folder, 'data')
  const password = join(folder, 'password')
  writeFileSync(password, PASSWORD, { mode: 0o644 })
  const options = ['--username=berth', `--pwfile=${password}`, '--auth=scram-sha-256', '--encoding=UTF8']
  runProgram(
    join(programs, 'initdb'),
    [`--pgdata=${data}`, ...options, '--locale=C.UTF-8', '--no-sync'],
    owner,
  )
  prepare(data, owner)
  const port = await findFreePort()
  const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = await serveProgram({
    path: join(programs, 'postgres'),
    parameters: ['-D', data, ...flags],
    owner,
    folder,
    port,
    signals: ['SIGINT', 'SIGQUIT'],
  })
  return {
    url: `postgres://berth:${PASSWORD}@127.0.0.1:${port}/postgres`,
    port,
    pid: server.pid,
    folder,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
