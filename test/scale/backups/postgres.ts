// Runs Debian's PostgreSQL, with the backup programs that the npm package lacks: a server in a separate
// folder that archives its WAL with our script, and servers restored by our scripts.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { findFreePort } from '../../../local/tools/ports.ts'
import { connectDatabase } from '../../../shared/database/database.ts'
import { eventually } from '../../support/time.ts'

const VERSIONS_FOLDER = '/usr/lib/postgresql'
const OLDEST_VERSION = 15

// Disables fsync, because the tests are not about the disk.
const POSTGRES_SETTINGS = [
  'fsync=off',
  'wal_level=replica',
  'archive_mode=on',
  'max_connections=200',
  'jit=off',
]

// A restored server starts as a standby, which refuses fewer connections than its original had.
const RESTORED_SETTINGS = ['fsync=off', 'max_connections=200', 'jit=off']

/** Provides a folder with our backup scripts, and runs programs as the user of Postgres. */
export class BackupStage {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-backups-'))
  readonly #programs = findPrograms()
  readonly #user = findUser()
  readonly #servers = new Set<() => Promise<void>>()

  constructor() {
    cpSync(join(projectDirectory, 'deploy/backup'), join(this.folder, 'scripts'), { recursive: true })
    mkdirSync(join(this.folder, 'kept'))
    const { uid, gid } = this.#user
    if (uid !== undefined && gid !== undefined)
      for (const each of [
        '',
        'kept',
        'scripts',
        ...readdirSync(join(this.folder, 'scripts')).map((name) => `scripts/${name}`),
      ])
        chownSync(join(this.folder, each), uid, gid)
  }

  /** The folder of dumps, copies and WAL. */
  get kept(): string {
    return join(this.folder, 'kept')
  }

  /** Runs a script of deploy/backup/ as an operator would. Throws with the output if the script fails. */
  async script(
    name: string,
    parameters: string[],
    environment: Record<string, string> = {},
  ): Promise<string> {
    return (await this.#run(join(this.folder, 'scripts', name), parameters, environment)).trim()
  }

  async createServer(name: string): Promise<{ url: string; stop(): Promise<void> }> {
    const data = join(this.folder, name)
    await this.#run('initdb', [
      '-D',
      data,
      '-U',
      'berth',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ])
    const archive = `${join(this.folder, 'scripts/archive-wal.sh')} "%p" "%f" ${this.kept}`
    return this.startServer(name, [`archive_command=${archive}`, ...POSTGRES_SETTINGS])
  }

  /** Starts a server on an existing folder, and waits until it has recovered and accepts writes. */
  async startServer(
    name: string,
    settings = RESTORED_SETTINGS,
  ): Promise<{ url: string; stop(): Promise<void> }> {
    const port = await findFreePort()
    const all = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', ...settings]
    const flags = all.flatMap((setting) => ['-c', setting])
    const child = spawn(join(this.#programs, 'postgres'), ['-D', join(this.folder, name), ...flags], {
      cwd: this.folder,
      env: this.#environment(),
      stdio: ['ignore', 'ignore', process.env.TEST_LOG_LEVEL ? 'inherit' : 'ignore'],
      ...this.#user,
    })
    const ended = once(child, 'exit')
    const stop = async () => {
      this.#servers.delete(stop)
      child.kill('SIGINT')
      await ended
    }
    this.#servers.add(stop)
    const url = `postgres://berth@127.0.0.1:${port}/postgres`
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`Postgres ended with ${child.exitCode}`)
      await runStatement(url, 'CREATE TEMP TABLE takes_writes ()')
    }, 60_000)
    return { url, stop }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers].map((stop) => stop()))
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #run(
    program: string,
    parameters: string[],
    environment: Record<string, string> = {},
  ): Promise<string> {
    const options = { cwd: this.folder, env: { ...this.#environment(), ...environment }, ...this.#user }
    return (
      await promisify(execFile)(
        program.includes('/') ? program : join(this.#programs, program),
        parameters,
        options,
      )
    ).stdout
  }

  #environment(): Record<string, string> {
    return { PATH: `${this.#programs}:/usr/bin:/bin`, LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  }
}

/** Runs one statement on a separate connection. */
export async function runStatement(url: string, statement: string): Promise<Array<Record<string, unknown>>> {
  const database = connectDatabase(url, { connectionsMax: 1 })
  try {
    return (await database.raw(statement)).rows
  } finally {
    await database.destroy()
  }
}

function findPrograms(): string {
  const versions = existsSync(VERSIONS_FOLDER) ? readdirSync(VERSIONS_FOLDER).map(Number) : []
  const [newest] = versions
    .filter(
      (version) =>
        version >= OLDEST_VERSION &&
        existsSync(`${VERSIONS_FOLDER}/${version}/bin/pg_basebackup`) &&
        existsSync(`${VERSIONS_FOLDER}/${version}/bin/initdb`),
    )
    .sort((a, b) => b - a)
  if (newest === undefined)
    throw new Error('These tests need Postgres’s own tools: apt-get install postgresql')
  return `${VERSIONS_FOLDER}/${newest}/bin`
}

/** Returns an ordinary user if the tests run as root, because Postgres refuses to run as root. */
function findUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  )
  return { uid, gid }
}
