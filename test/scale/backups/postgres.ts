// PostgreSQL as Debian has it, with the programs for backups that the one from npm lacks: a server in a folder of its own
// that keeps its WAL by our script, and what our scripts restore from that.
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

const VERSIONS = '/usr/lib/postgresql'
const OLDEST = 15

// The disk is not what is tested.
const SETTINGS = ['fsync=off', 'wal_level=replica', 'archive_mode=on', 'max_connections=200', 'jit=off']

// A standby, as which a restored server begins, refuses fewer connections than its original had.
const RESTORED = ['fsync=off', 'max_connections=200', 'jit=off']

/** A folder that Postgres's user may use, with our scripts, and programs that run as that user. */
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

  /** Where dumps, copies and WAL are kept. */
  get kept(): string {
    return join(this.folder, 'kept')
  }

  /** One of deploy/backup/, as an operator runs it; fails with what it said. */
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
    return this.startServer(name, [`archive_command=${archive}`, ...SETTINGS])
  }

  /** On a folder that is there; ready when it takes writes, a recovery being over. */
  async startServer(name: string, settings = RESTORED): Promise<{ url: string; stop(): Promise<void> }> {
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
      await onServer(url, 'CREATE TEMP TABLE takes_writes ()')
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

/** One statement, on a connection of its own. */
export async function onServer(url: string, statement: string): Promise<Array<Record<string, unknown>>> {
  const database = connectDatabase(url, { connectionsMax: 1 })
  try {
    return (await database.raw(statement)).rows
  } finally {
    await database.destroy()
  }
}

function findPrograms(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map(Number) : []
  const [newest] = versions
    .filter(
      (version) =>
        version >= OLDEST &&
        existsSync(`${VERSIONS}/${version}/bin/pg_basebackup`) &&
        existsSync(`${VERSIONS}/${version}/bin/initdb`),
    )
    .sort((a, b) => b - a)
  if (newest === undefined)
    throw new Error('These tests need Postgres’s own tools: apt-get install postgresql')
  return `${VERSIONS}/${newest}/bin`
}

/** Postgres does not run as root. */
function findUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  )
  return { uid, gid }
}
