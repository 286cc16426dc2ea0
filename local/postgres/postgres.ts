// Runs PostgreSQL 18 on the loopback interface, with its data in a folder.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type EndingSteps, isAlive, readCommandLine } from '../tools/processes.ts'
import {
  createCleanEnvironment,
  launchServer,
  type Server,
  startServerInFolder,
  stopEarlierServer,
} from '../tools/servers.ts'
import { CliError, findLastLine } from '../tools/terminal.ts'
import { chooseInstallation, createCommand, type Installation } from './installation.ts'

type PostgresOptions = { directory: string; port?: number | undefined; settings?: Record<string, string> }

const MAJOR_VERSION = '18'
const DATABASE_USER = 'berth'
const DATABASE_NAME = 'berth'

// How to stop Postgres. A fast shutdown, which ends connections and writes everything, comes first. After an immediate
// shutdown, Postgres has to recover.
const ENDING_STEPS: EndingSteps = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 2_000],
]

export function startPostgres(options: PostgresOptions): Promise<Server> {
  const { settings = {} } = options
  // The user who runs Postgres must be able to pass through the folder. The folder's contents have their own modes.
  return startServerInFolder(options.directory, 0o777, async (directory) => {
    const installation = chooseInstallation(directory)
    const data = join(directory, 'data')
    if (!existsSync(data)) await createCluster(installation, settings['fsync'] === 'off')
    checkDataVersion(data)
    await stopPreviousPostgres(data)
    const password = readFileSync(join(directory, 'password'), 'utf8').trim()
    const server = await launchPostgres(installation, options.port, settings)
    const address = `postgres://${DATABASE_USER}:${password}@127.0.0.1:${server.port}`
    await createDatabase(`${address}/postgres`)
    return { ...server, url: `${address}/${DATABASE_NAME}` }
  })
}

// Creates the cluster. Its folder gets the final name only when it is complete, so that a killed start leaves nothing
// half-finished.
async function createCluster(installation: Installation, skipSync: boolean): Promise<void> {
  const { directory, programDirectory, identity } = installation
  const draft = join(directory, 'data.new')
  const password = join(directory, 'password')
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(password, randomBytes(24).toString('hex'), { mode: 0o600 })
  if (identity) for (const path of [draft, password]) chownSync(path, identity.uid, identity.gid)
  const { command, parameters, ...user } = createCommand(installation, join(programDirectory, 'bin/initdb'), [
    `--pgdata=${draft}`,
    `--username=${DATABASE_USER}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // This locale gives the same sort order on every machine, whichever locales are installed.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(skipSync ? ['--no-sync'] : []),
  ])
  try {
    await promisify(execFile)(command, parameters, { ...user, cwd: '/', env: createCleanEnvironment() })
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw new CliError(`PostgreSQL could not initialize ${directory}: ${findLastLine(error)}`)
  }
  renameSync(draft, join(directory, 'data'))
}

function checkDataVersion(data: string): void {
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (version === MAJOR_VERSION) return
  throw new CliError(
    `${data} was created by PostgreSQL ${version}, but Berth runs PostgreSQL ${MAJOR_VERSION}. Set BERTH_DIR to a new folder.`,
  )
}

// Stops a Postgres that is still running although its Berth has ended. If the pid in postmaster.pid now
// belongs to another process, Postgres would refuse to start. So this function writes Berth's own pid to the
// file, which Postgres ignores because it is the pid of its parent process. Deleting the file would also
// disable Postgres's own check that no earlier process has the data open.
async function stopPreviousPostgres(data: string): Promise<void> {
  const [pid, rest] = readPidFile(data)
  if (pid === 0 || !isAlive(pid)) return
  const line = readCommandLine(pid)
  if (/postgres/.test(line) && line.includes(data)) return stopEarlierServer('PostgreSQL', pid, ENDING_STEPS)
  writeFileSync(join(data, 'postmaster.pid'), [process.pid, ...rest].join('\n'))
}

function launchPostgres(
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
    // This setting keeps Postgres's log from quoting rows that violate a constraint.
    log_error_verbosity: 'terse',
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const program = join(programDirectory, 'bin/postgres')
  return launchServer({
    name: 'PostgreSQL',
    port,
    commandOn: (on) => createCommand(installation, program, ['-D', data, '-p', String(on), ...flags]),
    environment: createCleanEnvironment(),
    logFile: join(directory, 'postgres.log'),
    ending: ENDING_STEPS,
    // If Berth is killed, SIGTERM first lets the gateway and the workers finish their work.
    watchdogSignals: ['SIGTERM', 'SIGINT'],
    isReady: async (pid) => {
      const [ready, lines] = readPidFile(data)
      return ready === pid && lines[6]?.trim() === 'ready'
    },
    lostPort: /could not bind|could not create any TCP/,
    // Retries after these errors: processes of a killed Postgres end soon, and a child process counts as alive until
    // Node notices its end.
    passing: /still in use|lock file .* already exists/,
  })
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE_NAME])
    if (!rowCount) await client.query(`CREATE DATABASE ${DATABASE_NAME}`)
  } finally {
    await client.end()
  }
}

/**
 * Returns the pid in the file (0 if there is no file) and the lines after it. The seventh of these lines is the state.
 */
function readPidFile(data: string): [pid: number, rest: string[]] {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return [0, []]
  const [pid, ...rest] = readFileSync(file, 'utf8').split('\n')
  return [Number(pid) || 0, rest]
}
