// `npm start`: runs everything on one machine. Starts Postgres and Redis, prepares the database, supervises the
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
import { getBerthDirectory, projectDirectory, shortenPath } from './tools/folders.ts'
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
const WARN_AFTER_MS = 30_000

/**
 * Waits until Berth is ready. After a while, prints once what is missing and keeps waiting, because a slow machine may
 * need more time.
 */
async function waitUntilReady(url: string, logsDirectory: string, stopping: AbortSignal): Promise<void> {
  let warnAt = Date.now() + WARN_AFTER_MS
  for (;;) {
    stopping.throwIfAborted()
    const missing = await findMissing(url)
    if (!missing) return
    if (Date.now() > warnAt) {
      print(`Not ready after ${WARN_AFTER_MS / 1000} s, still waiting: ${missing}. Logs: ${logsDirectory}`)
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

// Lists everything that is down. The gateway counts as ready for reads while workers or Redis are down, but `npm start`
// needs everything.
function listMissing(body: unknown, name = ''): string[] {
  if (typeof body !== 'object' || body === null) return []
  if ('ok' in body) return body.ok ? [] : [`${name}${'detail' in body ? ` (${body.detail})` : ''}`]
  return Object.entries(body).flatMap(([key, part]) => listMissing(part, name ? `${name} ${key}` : key))
}

const usage = `Starts Berth on this machine, with its own PostgreSQL and Redis if DATABASE_URL and REDIS_URL are not set.

  npm start

  PORT        the port to listen on (default: 3000, or a free port if 0)
  BERTH_DIR   the folder for data, files and logs (default: .berth)
  BERTH_DEMO  set to off for a database without demo data

npm run dev does the same, and restarts Berth whenever a source file changes.
Further settings, in the environment or in .env: see .env.example.`

type Settings = ReturnType<typeof readSettings>

type CleanUpSteps = Array<() => Promise<void> | void>

// Placeholder URLs, because the real ones are unknown until the services run.
const PLACEHOLDER_DATABASE_URL = 'postgres://127.0.0.1/berth'
const PLACEHOLDER_REDIS_URL = 'redis://127.0.0.1'
// How long to wait for an earlier Berth that was killed. Its processes finish their work, and hold the port meanwhile.
const PREVIOUS_DRAIN_WAIT_MS = 15_000

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return print(usage)
  const unknown = args.find((arg) => arg !== '--dev')
  if (unknown !== undefined)
    return exitWithError(new CliError(`Unknown argument “${unknown}” (see npm start -- --help).`))
  const stopping = listenForStop()
  const cleanUp: CleanUpSteps = []
  let isCleaningUp = false
  // If the end is forced during start-up, watchdogs stop whatever is already running.
  stopping.forced.addEventListener('abort', () => isCleaningUp || process.exit(1))
  try {
    await start(stopping, cleanUp, args.includes('--dev'))
    await stopping.requested
  } catch (error) {
    if (!stopping.graceful.aborted) exitWithError(error)
  }
  isCleaningUp = true
  for (const step of cleanUp.reverse()) await Promise.resolve().then(step).catch(exitWithError)
  if (stopping.graceful.aborted) print('Stopped.')
  // Exits at once: nothing is left to wait for, and an open connection must not delay the exit.
  process.exit()
}

function exitWithError(error: unknown): void {
  printError(formatError(error))
  process.exitCode = 1
}

async function start(stopping: Stopping, cleanUp: CleanUpSteps, isDevelopment: boolean): Promise<void> {
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
    // No proxy is in front of the gateway, so it can stop at once.
    LAME_DUCK_MS: '0',
    // Integrators run webhook receivers and calendar servers on this machine too, so private addresses are allowed.
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8 ::1',
    CALENDARS_ALLOW_PRIVATE: '127.0.0.0/8 ::1',
    PEOPLE_PAGES: 'on',
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(gatewayPort),
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ...database.gatewayEnvironment,
  }
  let isReady = false
  const processes = parseProcfile(readFileSync(join(projectDirectory, 'Procfile'), 'utf8'))
    // Leaves out the release process, which is for deployments.
    .filter(({ name }) => name !== 'release')
    .map((line) => superviseProcess(line, { logsDirectory, environment, printsWarnings: () => isReady }))
  cleanUp.push(async () => {
    print('Stopping. Finishing the work in progress …')
    await Promise.all(processes.map((each) => each.stop(stopping.forced)))
  })
  // Creates the administrator and the token, which takes a moment, while the processes start.
  const access = await database.ensureAccess()
  await waitUntilReady(`http://127.0.0.1:${gatewayPort}`, logsDirectory, stopping.graceful)
  isReady = true
  if (isDevelopment) startDevelopment({ port, gatewayPort }, processes)
  const record = { url: `http://127.0.0.1:${port}`, ...access, databaseUrl, redisUrl }
  writeRecord(directory, record)
  print(formatSummary(record, directory))
}

/** Reads the settings from the environment, and checks them so that no process fails because of them later. */
function readSettings(environment: NodeJS.ProcessEnv) {
  const databaseUrl = environment['DATABASE_URL']?.trim() || undefined
  const redisUrl = environment['REDIS_URL']?.trim() || undefined
  const demo = environment['BERTH_DEMO']?.trim().toLowerCase() !== 'off'
  const addresses = {
    DATABASE_URL: databaseUrl ?? PLACEHOLDER_DATABASE_URL,
    REDIS_URL: redisUrl ?? PLACEHOLDER_REDIS_URL,
  }
  try {
    const { port } = parseConfig({ ...environment, ...addresses })
    return { port, directory: getBerthDirectory(), databaseUrl, redisUrl, demo }
  } catch (error) {
    throw error instanceof ConfigError ? new CliError(error.problems.join('\n')) : error
  }
}

/** Locks the data folder and reserves the port before anything is started. Returns the port. */
async function reserveFolderAndPort({ directory, port }: Settings, cleanUp: CleanUpSteps): Promise<number> {
  const holder = findLockHolder(directory)
  if (holder !== undefined) {
    const { url } = readRecord(directory)
    throw new CliError(
      `Berth is already running from ${shortenPath(directory)} (process ${holder}${url ? `, ${url}` : ''}). Stop it, or set BERTH_DIR to another folder.`,
    )
  }
  // The user who runs Postgres must be able to pass through the folder. The folder's contents have their own modes.
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

  People’s pages ${url}/my (to sign in: the page of a person in the dashboard, “…”, Sign-in link)
  Dashboard      ${url}/dashboard
  API docs       ${url}/api/docs
  Administrator  ${admin.email}
  Password       ${password}
  API token      ${token}
  Data and logs  ${shortenPath(directory)}

Try it:

  curl -H 'Authorization: Bearer ${token}' ${url}/api/v1/groups

Press Ctrl-C to stop.`
}

await main(process.argv.slice(2))
