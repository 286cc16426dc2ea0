// `npm start`: runs everything on one machine. Starts the services, prepares the database, supervises the
// processes of the Procfile, and stops everything in reverse order.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Prepared, prepareDatabase } from './prepare-database.ts'
import { readProcfile } from './processes/procfile.ts'
import { waitUntilReady } from './processes/readiness.ts'
import { listenForStop, type Stopping } from './processes/stopping.ts'
import { superviseProcess } from './processes/supervise-process.ts'
import { type RunningServices, startServices } from './services.ts'
import { formatSummary } from './summary.ts'
import { loadEnvFile } from './tools/environment.ts'
import { findLockHolder, hasStaleLock, lockFolder } from './tools/folder-lock.ts'
import { projectDirectory, shortPath } from './tools/folders.ts'
import { findFreePort, findPortProblem } from './tools/ports.ts'
import { readRecord, writeRecord } from './tools/record.ts'
import { readSettings, type Settings } from './tools/settings.ts'
import { CliError, formatError, print, printError } from './tools/terminal.ts'

const usage = `Starts Berth on this machine, with a PostgreSQL and a Redis of its own where DATABASE_URL and REDIS_URL name none.

  npm start

  PORT        where it listens (default: 3000, or a free port if 0)
  BERTH_DIR   the folder of its data, files and logs (default: .berth)
  BERTH_DEMO  off for a database without demo data

Further settings, in the environment or in .env: see .env.example.`

/** Steps to run on stop, in reverse order. */
type CleanUp = Array<() => Promise<void> | void>

// Processes of a killed Berth finish their work and hold the port meanwhile.
const PREVIOUS_DRAIN_WAIT_MS = 15_000

async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return print(usage)
  if (args.length > 0) {
    printError(`Unknown argument “${args[0]}” (see npm start -- --help).`)
    process.exitCode = 1
    return
  }
  const stopping = listenForStop()
  const cleanUp: CleanUp = []
  let isCleaningUp = false
  // If forced during startup, watchdogs stop whatever already runs.
  stopping.forced.addEventListener('abort', () => isCleaningUp || process.exit(1))
  try {
    await start(stopping, cleanUp)
    await stopping.requested
  } catch (error) {
    if (!stopping.graceful.aborted) {
      printError(formatError(error))
      process.exitCode = 1
    }
  }
  isCleaningUp = true
  for (const step of cleanUp.reverse()) await runStep(step)
  if (stopping.graceful.aborted) print('Stopped.')
  // Nothing is left to wait for, and a lingering connection must not delay the exit.
  process.exit()
}

async function runStep(step: CleanUp[number]): Promise<void> {
  try {
    await step()
  } catch (error) {
    printError(formatError(error))
    process.exitCode = 1
  }
}

async function start(stopping: Stopping, cleanUp: CleanUp): Promise<void> {
  loadEnvFile()
  const settings = await reserve(readSettings(process.env), cleanUp)
  const services = await startServices(settings)
  cleanUp.push(services.stop)
  stopping.graceful.throwIfAborted()
  const previous = readRecord(settings.directory)
  const isOwn = settings.databaseUrl === undefined
  const prepared = await prepareDatabase({ ...services, isOwn, demo: settings.demo, previous })
  stopping.graceful.throwIfAborted()
  const url = `http://127.0.0.1:${settings.port}`
  const logsDirectory = join(settings.directory, 'logs')
  mkdirSync(logsDirectory, { recursive: true, mode: 0o700 })
  startProcesses(settings, services, prepared, { logsDirectory, stopping, cleanUp })
  await waitUntilReady(url, logsDirectory, stopping.graceful)
  const { databaseUrl, redisUrl } = services
  const record = { url, token: prepared.token, admin: prepared.admin, databaseUrl, redisUrl }
  writeRecord(settings.directory, record)
  print(formatSummary(record, settings.directory))
}

/** Locks the folder and chooses the port, before anything is started. */
async function reserve(settings: Settings, cleanUp: CleanUp): Promise<Settings> {
  const { directory } = settings
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
  return { ...settings, port: await choosePort(settings.port, waitMs) }
}

async function choosePort(port: number, waitMs: number): Promise<number> {
  if (port === 0) return findFreePort()
  const deadline = Date.now() + waitMs
  for (;;) {
    const problem = await findPortProblem(port)
    if (!problem) return port
    if (problem !== 'EADDRINUSE')
      throw new CliError(`Cannot listen on port ${port} (${problem}). Set PORT to another one.`)
    if (Date.now() >= deadline) {
      throw new CliError(
        `Port ${port} is already in use. Stop the program that uses it, or choose another port (PORT=${port + 1} npm start).`,
      )
    }
    await sleep(200)
  }
}

type ProcessOptions = { logsDirectory: string; stopping: Stopping; cleanUp: CleanUp }

function startProcesses(
  settings: Settings,
  services: RunningServices,
  prepared: Prepared,
  { logsDirectory, stopping, cleanUp }: ProcessOptions,
): void {
  const environment = {
    // No proxy sends requests here, so nothing needs to be drained first.
    LAME_DUCK_MS: '0',
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(settings.port),
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    ...(prepared.gatewayDatabaseUrl ? { GATEWAY_DATABASE_URL: prepared.gatewayDatabaseUrl } : {}),
  }
  const lines = readProcfile(join(projectDirectory, 'Procfile'))
  const processes = lines.map((line) => superviseProcess(line, { logsDirectory, environment }))
  cleanUp.push(async () => {
    print('Stopping. Finishing the work in progress …')
    await Promise.all(processes.map((each) => each.stop(stopping.forced)))
  })
}

await main(process.argv.slice(2))
