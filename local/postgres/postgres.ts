// Runs PostgreSQL 18 on the loopback interface, with its data in a folder.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { lockFolder } from '../tools/folder-lock.ts'
import { lastLine } from '../tools/last-line.ts'
import { findFreePort } from '../tools/ports.ts'
import { commandLine, type EndingSteps, endProcess, isAlive } from '../tools/processes.ts'
import { type Launched, LaunchFailure, launchServer, type Server } from '../tools/servers.ts'
import { CliError, print } from '../tools/terminal.ts'
import { chooseInstallation, commandFor, type Installation } from './installation.ts'
import { findPostgresProgram } from './program.ts'

type PostgresOptions = { directory: string; port?: number; settings?: Record<string, string> }

const MAJOR_VERSION = '18'
const USER = 'berth'
const DATABASE = 'berth'

// Fast shutdown first: it ends connections and writes everything. Immediate shutdown costs a recovery.
const ENDING: EndingSteps = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 2_000],
]

export async function startPostgres(options: PostgresOptions): Promise<Server> {
  const program = findPostgresProgram()
  mkdirSync(options.directory, { recursive: true })
  // Resolves links, so that every start uses the same name for the folder.
  const directory = realpathSync(options.directory)
  const release = lockFolder(directory)
  try {
    const installation = chooseInstallation(directory, program)
    const data = join(installation.homeDirectory, 'data')
    if (!existsSync(data)) await createCluster(installation, options.settings?.['fsync'] === 'off')
    checkVersion(data)
    await stopPrevious(data)
    const password = readFileSync(join(installation.homeDirectory, 'password'), 'utf8').trim()
    const { server, port } = await launchOnPort(installation, directory, options)
    const address = `postgres://${USER}:${password}@127.0.0.1:${port}`
    await createDatabase(`${address}/postgres`)
    server.ended.then(release)
    return { ...server, port, url: `${address}/${DATABASE}` }
  } catch (error) {
    release()
    throw error
  }
}

// The folder gets its final name when it is complete, so that a killed start leaves nothing half-done.
async function createCluster(installation: Installation, skipSync: boolean): Promise<void> {
  const draft = join(installation.homeDirectory, 'data.new')
  const password = join(installation.homeDirectory, 'password')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(password, randomBytes(24).toString('hex'), { mode: 0o600 })
  if (installation.identity)
    for (const path of [draft, password])
      chownSync(path, installation.identity.uid, installation.identity.gid)
  const { command, parameters, uid, gid } = commandFor(
    installation,
    join(installation.programDirectory, 'bin/initdb'),
    [
      `--pgdata=${draft}`,
      `--username=${USER}`,
      `--pwfile=${password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same sort order on every machine, whatever locales are installed.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(skipSync ? ['--no-sync'] : []),
    ],
  )
  try {
    await promisify(execFile)(command, parameters, { cwd: '/', uid, gid, env: environment() })
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw new CliError(`PostgreSQL could not initialize ${installation.homeDirectory}: ${lastLine(error)}`)
  }
  renameSync(draft, join(installation.homeDirectory, 'data'))
}

function checkVersion(data: string): void {
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (version === MAJOR_VERSION) return
  throw new CliError(
    `${data} was created by PostgreSQL ${version}, but Berth runs PostgreSQL ${MAJOR_VERSION}. Set BERTH_DIR to a new folder.`,
  )
}

// Stops a Postgres that outlived its Berth. If the pid in postmaster.pid now belongs to another process,
// Postgres would refuse to start; it ignores our own pid, which is its parent's. Removing the file instead
// would also remove Postgres's own check that no earlier process has the data open.
async function stopPrevious(data: string): Promise<void> {
  const [pid, rest] = readPidFile(data)
  if (pid === 0 || !isAlive(pid)) return
  const line = commandLine(pid)
  if (/postgres/.test(line) && line.includes(data)) {
    print(`PostgreSQL is still running from an earlier start (process ${pid}); stopping it.`)
    if (await endProcess(pid, ENDING)) return
    throw new CliError(
      `PostgreSQL from an earlier start (process ${pid}) did not stop. Kill it and try again.`,
    )
  }
  writeFileSync(join(data, 'postmaster.pid'), [process.pid, ...rest].join('\n'))
}

async function launchOnPort(installation: Installation, directory: string, options: PostgresOptions) {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort())
    try {
      return { port, server: await launch(installation, directory, port, options.settings ?? {}) }
    } catch (error) {
      const logged = error instanceof LaunchFailure ? error.logged : ''
      // Another process may have taken the free port. Processes of a killed Postgres end soon.
      const lostPort = options.port === undefined && /could not bind|could not create any TCP/.test(logged)
      // One of our own counts as alive until Node has noticed its end.
      const lingering = /still in use|lock file .* already exists/.test(logged)
      if (attempt >= 20 || !(lostPort || lingering)) throw error
      await sleep(250)
    }
  }
}

function launch(
  installation: Installation,
  directory: string,
  port: number,
  settings: Record<string, string>,
): Promise<Launched> {
  const data = join(installation.homeDirectory, 'data')
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Otherwise its log quotes rows that violate a constraint.
    log_error_verbosity: 'terse',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return launchServer({
    name: 'PostgreSQL',
    ...commandFor(installation, join(installation.programDirectory, 'bin/postgres'), ['-D', data, ...flags]),
    environment: environment(),
    logFile: join(directory, 'postgres.log'),
    ending: ENDING,
    // If we are killed, gateway and workers can first finish their work.
    watchdogSignals: ['SIGTERM', 'SIGINT'],
    isReady: async (pid) => {
      const [ready, lines] = readPidFile(data)
      return ready === pid && lines[6]?.trim() === 'ready'
    },
  })
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (!rowCount) await client.query(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
}

/** The pid in the file (0 if there is none) and the following lines; the seventh is the state. */
function readPidFile(data: string): [pid: number, rest: string[]] {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return [0, []]
  const [pid, ...rest] = readFileSync(file, 'utf8').split('\n')
  return [Number(pid) || 0, rest]
}

// A clean environment: the user's PGPORT, PGOPTIONS or language must not affect Postgres.
function environment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}
