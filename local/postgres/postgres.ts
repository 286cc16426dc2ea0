// Runs PostgreSQL 18 on the loopback interface, with its data in a folder.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { commandLine, type EndingSteps, isAlive } from '../tools/processes.ts'
import { cleanEnvironment, launchServer, type Server, startInFolder, stopEarlier } from '../tools/servers.ts'
import { CliError, lastLine } from '../tools/terminal.ts'
import { chooseInstallation, commandFor, type Installation } from './installation.ts'

type PostgresOptions = { directory: string; port?: number | undefined; settings?: Record<string, string> }

const MAJOR_VERSION = '18'
const USER = 'berth'
const DATABASE = 'berth'

// Fast shutdown first: it ends connections and writes everything. Immediate shutdown costs a recovery.
const ENDING: EndingSteps = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 2_000],
]

export function startPostgres(options: PostgresOptions): Promise<Server> {
  const { settings = {} } = options
  // The user that runs it must be able to pass through; the contents have their own modes.
  return startInFolder(options.directory, 0o777, async (directory) => {
    const installation = chooseInstallation(directory)
    const data = join(directory, 'data')
    if (!existsSync(data)) await createCluster(installation, settings['fsync'] === 'off')
    checkVersion(data)
    await stopPrevious(data)
    const password = readFileSync(join(directory, 'password'), 'utf8').trim()
    const server = await launch(installation, options.port, settings)
    const address = `postgres://${USER}:${password}@127.0.0.1:${server.port}`
    await createDatabase(`${address}/postgres`)
    return { ...server, url: `${address}/${DATABASE}` }
  })
}

// The folder gets its final name when it is complete, so that a killed start leaves nothing half-done.
async function createCluster(installation: Installation, skipSync: boolean): Promise<void> {
  const { directory, programDirectory, identity } = installation
  const draft = join(directory, 'data.new')
  const password = join(directory, 'password')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(password, randomBytes(24).toString('hex'), { mode: 0o600 })
  if (identity) for (const path of [draft, password]) chownSync(path, identity.uid, identity.gid)
  const { command, parameters, ...user } = commandFor(installation, join(programDirectory, 'bin/initdb'), [
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
  ])
  try {
    await promisify(execFile)(command, parameters, { ...user, cwd: '/', env: cleanEnvironment() })
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw new CliError(`PostgreSQL could not initialize ${directory}: ${lastLine(error)}`)
  }
  renameSync(draft, join(directory, 'data'))
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
  if (/postgres/.test(line) && line.includes(data)) return stopEarlier('PostgreSQL', pid, ENDING)
  writeFileSync(join(data, 'postmaster.pid'), [process.pid, ...rest].join('\n'))
}

function launch(
  installation: Installation,
  port: number | undefined,
  settings: Record<string, string>,
): Promise<Omit<Server, 'url'>> {
  const { directory, programDirectory } = installation
  const data = join(directory, 'data')
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Otherwise its log quotes rows that violate a constraint.
    log_error_verbosity: 'terse',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const program = join(programDirectory, 'bin/postgres')
  return launchServer({
    name: 'PostgreSQL',
    port,
    commandOn: (on) => commandFor(installation, program, ['-D', data, '-p', String(on), ...flags]),
    environment: cleanEnvironment(),
    logFile: join(directory, 'postgres.log'),
    ending: ENDING,
    // If we are killed, gateway and workers can first finish their work.
    watchdogSignals: ['SIGTERM', 'SIGINT'],
    isReady: async (pid) => {
      const [ready, lines] = readPidFile(data)
      return ready === pid && lines[6]?.trim() === 'ready'
    },
    lostPort: /could not bind|could not create any TCP/,
    // Processes of a killed Postgres end soon, and one of our own counts as alive until Node notices its end.
    passing: /still in use|lock file .* already exists/,
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
