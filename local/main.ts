// `npm start`: runs everything on one machine. Starts the services, prepares the database, supervises the
// processes of the Procfile, and stops everything in reverse order.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, parseConfig } from '../shared/settings/config.ts'
import { startDevelopment } from './development.ts'
import { prepareDatabase } from './prepare-database.ts'
import { listenForStop, type Stopping } from './processes/stopping.ts'
import { parseProcfile, superviseProcess } from './processes/supervise-process.ts'
import { startServices } from './services.ts'
import { berthDirectory, projectDirectory, shortPath } from './tools/folders.ts'
import { findFreePort, reservePort } from './tools/ports.ts'
import {
  findLockHolder,
  hasStaleLock,
  type LocalRecord,
  loadEnvFile,
  lockFolder,
  readRecord,
  writeRecord,
} from './tools/record.ts'
import { CliError, formatError, print, printError } from './tools/terminal.ts'

const POLL_MS = 100
const ANSWER_WAIT_MS = 2_000
const PATIENCE_MS = 30_000

/** If it takes long, prints once what is missing, and keeps waiting: a slow machine may need the time. */
async function waitUntilReady(url: string, logsDirectory: string, stopping: AbortSignal): Promise<void> {
  let warnAt = Date.now() + PATIENCE_MS
  for (;;) {
    stopping.throwIfAborted()
    const missing = await findMissing(url)
    if (!missing) return
    if (Date.now() > warnAt) {
      print(`Not ready after ${PATIENCE_MS / 1000} s, still waiting: ${missing}. Logs: ${logsDirectory}`)
      warnAt = Infinity
    }
    await sleep(POLL_MS, undefined, { signal: stopping })
  }
}

async function findMissing(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WAIT_MS) })
    const missing = listMissing(await response.json())
    if (missing.length > 0) return missing.join(', ')
    return response.status === 200 ? undefined : `the gateway answered ${response.status}`
  } catch {
    return `no answer from the gateway at ${url}`
  }
}

// The gateway is ready for reads while workers or Redis are down; here everything must be up.
function listMissing(body: unknown, name = ''): string[] {
  if (typeof body !== 'object' || body === null) return []
  if ('ok' in body) return body.ok ? [] : [`${name}${'detail' in body ? ` (${body.detail})` : ''}`]
  return Object.entries(body).flatMap(([key, part]) => listMissing(part, name ? `${name} ${key}` : key))
}

const usage = `Starts Berth on this machine, with a PostgreSQL and a Redis of its own where DATABASE_URL and REDIS_URL name none.

  npm start

  PORT        where it listens (default: 3000, or a free port if 0)
  BERTH_DIR   the folder of its data, files and logs (default: .berth)
  BERTH_DEMO  off for a database without demo data

npm run dev does the same, and restarts it whenever a source changes.
Further settings, in the environment or in .env: see .env.example.`

type Settings = ReturnType<typeof readSettings>

type CleanUp = Array<() => Promise<void> | void>

// Placeholders for addresses that are unknown until the services run.
const OWN_DATABASE = 'postgres://127.0.0.1/berth'
const OWN_REDIS = 'redis://127.0.0.1'
// Processes of a killed Berth finish their work and hold the port meanwhile.
const PREVIOUS_DRAIN_WAIT_MS = 15_000

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return print(usage)
  const unknown = args.find((arg) => arg !== '--dev')
  if (unknown !== undefined)
    return fail(new CliError(`Unknown argument “${unknown}” (see npm start -- --help).`))
  const stopping = listenForStop()
  const cleanUp: CleanUp = []
  let isCleaningUp = false
  // If forced during startup, watchdogs stop whatever already runs.
  stopping.forced.addEventListener('abort', () => isCleaningUp || process.exit(1))
  try {
    await start(stopping, cleanUp, args.includes('--dev'))
    await stopping.requested
  } catch (error) {
    if (!stopping.graceful.aborted) fail(error)
  }
  isCleaningUp = true
  for (const step of cleanUp.reverse()) await Promise.resolve().then(step).catch(fail)
  if (stopping.graceful.aborted) print('Stopped.')
  // Nothing is left to wait for, and a lingering connection must not delay the exit.
  process.exit()
}

function fail(error: unknown): void {
  printError(formatError(error))
  process.exitCode = 1
}

async function start(stopping: Stopping, cleanUp: CleanUp, isDevelopment: boolean): Promise<void> {
  loadEnvFile()
  const settings = readSettings(process.env)
  const { directory } = settings
  const port = await reserveFolderAndPort(settings, cleanUp)
  const services = startServices(settings)
  cleanUp.push(services.stop)
  const previous = readRecord(directory)
  const isOwn = settings.databaseUrl === undefined
  const prepare = async (databaseUrl: string) => {
    stopping.graceful.throwIfAborted()
    const database = await prepareDatabase({ databaseUrl, isOwn, demo: settings.demo, previous })
    return { ...database, databaseUrl }
  }
  const [database, redisUrl] = await Promise.all([services.databaseUrl.then(prepare), services.redisUrl])
  stopping.graceful.throwIfAborted()
  const gatewayPort = isDevelopment ? await findFreePort() : port
  const { databaseUrl } = database
  const logsDirectory = join(directory, 'logs')
  mkdirSync(logsDirectory, { recursive: true, mode: 0o700 })
  const environment = {
    // No proxy sends requests here, so nothing needs to be drained first.
    LAME_DUCK_MS: '0',
    // An integrator's receiver runs on this machine too.
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8 ::1',
    PEOPLE_PAGES: 'on',
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(gatewayPort),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ...database.gatewayEnvironment,
  }
  const processes = parseProcfile(readFileSync(join(projectDirectory, 'Procfile'), 'utf8'))
    // That one is for deployments.
    .filter(({ name }) => name !== 'release')
    .map((line) => superviseProcess(line, { logsDirectory, environment }))
  cleanUp.push(async () => {
    print('Stopping. Finishing the work in progress …')
    await Promise.all(processes.map((each) => each.stop(stopping.forced)))
  })
  // Takes a moment, in which the processes start.
  const access = await database.ensureAccess()
  await waitUntilReady(`http://127.0.0.1:${gatewayPort}`, logsDirectory, stopping.graceful)
  if (isDevelopment) startDevelopment({ port, gatewayPort }, processes)
  const record = { url: `http://127.0.0.1:${port}`, ...access, databaseUrl, redisUrl }
  writeRecord(directory, record)
  print(formatSummary(record, directory))
}

/** From the environment, checked here so that no process fails over them later. */
function readSettings(environment: NodeJS.ProcessEnv) {
  const databaseUrl = environment['DATABASE_URL']?.trim() || undefined
  const redisUrl = environment['REDIS_URL']?.trim() || undefined
  const demo = environment['BERTH_DEMO']?.trim().toLowerCase() !== 'off'
  const addresses = { DATABASE_URL: databaseUrl ?? OWN_DATABASE, REDIS_URL: redisUrl ?? OWN_REDIS }
  try {
    const { port } = parseConfig({ ...environment, ...addresses })
    return { port, directory: berthDirectory(), databaseUrl, redisUrl, demo }
  } catch (error) {
    throw error instanceof ConfigError ? new CliError(error.problems.join('\n')) : error
  }
}

/** Before anything is started; returns the port. */
async function reserveFolderAndPort({ directory, port }: Settings, cleanUp: CleanUp): Promise<number> {
  const holder = findLockHolder(directory)
  if (holder !== undefined) {
    const { url } = readRecord(directory)
    throw new CliError(
      `Berth is already running from ${shortPath(directory)} (process ${holder}${url ? `, ${url}` : ''}). Stop it, or set BERTH_DIR to another folder.`,
    )
  }
  // The user that Postgres runs as must be able to pass through; the contents have their own modes.
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  const waitMs = hasStaleLock(directory) ? PREVIOUS_DRAIN_WAIT_MS : 0
  cleanUp.push(lockFolder(directory))
  return reservePort(port, waitMs)
}

function formatSummary({ url, token, admin }: LocalRecord, directory: string): string {
  const password =
    admin.password || `(changed since; to reset it: npm run admin -- reset-password --email ${admin.email})`
  return `
Berth is ready at ${url}

  People’s pages ${url}/my (to sign in: the page of a person in the dashboard, “…”, Link to sign in)
  Dashboard      ${url}/dashboard
  API docs       ${url}/api/docs
  Administrator  ${admin.email}
  Password       ${password}
  API token      ${token}
  Data and logs  ${shortPath(directory)}

Try it:

  curl -H 'Authorization: Bearer ${token}' ${url}/api/v1/groups

Press Ctrl-C to stop.`
}

await main(process.argv.slice(2))
