// One machine, one command: what `npm start` runs. It starts the services, prepares the database, keeps the processes
// of the Procfile running, and stops everything in order. What it begins it puts on a list of what is to be undone.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadEnvFile } from './environment.ts'
import { findOwner, ownFolder, wasAbandoned } from './folder-lock.ts'
import { projectDirectory, shortPath } from './folders.ts'
import { findFreePort, findPortProblem } from './ports.ts'
import { type Prepared, prepareDatabase } from './prepare-database.ts'
import { readProcfile } from './processes/procfile.ts'
import { waitUntilReady } from './processes/readiness.ts'
import { listenForStop, type Stopping } from './processes/stopping.ts'
import { keepProcess } from './processes/supervise-process.ts'
import { readRecord, writeRecord } from './record.ts'
import { type RunningServices, startServices } from './services.ts'
import { readSettings, type Settings } from './settings.ts'
import { wordSummary } from './summary.ts'
import { complain, Problem, say, wordProblem } from './terminal.ts'

type Undo = Array<() => Promise<void> | void>

// Processes of a Berth that was killed finish what they have begun, and hold its port meanwhile.
const FORMER_DRAIN_WAIT_MS = 15_000

async function main(): Promise<void> {
  const stopping = listenForStop()
  const undo: Undo = []
  let undoing = false
  // Impatience while things are still being started: what runs already is stopped by its guard.
  stopping.now.addEventListener('abort', () => undoing || process.exit(1))
  try {
    await start(stopping, undo)
    await stopping.requested
  } catch (error) {
    if (!stopping.soon.aborted) {
      complain(wordProblem(error))
      process.exitCode = 1
    }
  }
  undoing = true
  for (const step of undo.reverse()) await attempt(step)
  if (stopping.soon.aborted) say('Stopped.')
  // Nothing is left to wait for; a connection that lingers must not keep us.
  process.exit()
}

async function attempt(step: Undo[number]): Promise<void> {
  try {
    await step()
  } catch (error) {
    complain(wordProblem(error))
    process.exitCode = 1
  }
}

async function start(stopping: Stopping, undo: Undo): Promise<void> {
  loadEnvFile()
  const settings = await claim(readSettings(process.env), undo)
  const services = await startServices(settings)
  undo.push(services.stop)
  stopping.soon.throwIfAborted()
  const known = readRecord(settings.directory)
  const own = settings.databaseUrl === undefined
  const prepared = await prepareDatabase({ ...services, own, demo: settings.demo, known })
  stopping.soon.throwIfAborted()
  const url = `http://127.0.0.1:${settings.port}`
  const logsDirectory = join(settings.directory, 'logs')
  mkdirSync(logsDirectory, { recursive: true, mode: 0o700 })
  startProcesses(settings, services, prepared, { logsDirectory, stopping, undo })
  await waitUntilReady(url, logsDirectory, stopping.soon)
  const { databaseUrl, redisUrl } = services
  const record = { url, token: prepared.token, admin: prepared.admin, databaseUrl, redisUrl }
  writeRecord(settings.directory, record)
  say(wordSummary(record, settings.directory))
}

/** The folder and the port, before anything is started. */
async function claim(settings: Settings, undo: Undo): Promise<Settings> {
  const { directory } = settings
  const owner = findOwner(directory)
  if (owner !== undefined) {
    const { url } = readRecord(directory)
    throw new Problem(
      `Berth already runs from ${shortPath(directory)} (process ${owner}${url ? `, ${url}` : ''}): stop it, or set BERTH_DIR to another folder.`,
    )
  }
  // The user that Postgres runs as must be able to walk through; what is inside has modes of its own.
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  const waitMs = wasAbandoned(directory) ? FORMER_DRAIN_WAIT_MS : 0
  undo.push(ownFolder(directory))
  return { ...settings, port: await claimPort(settings.port, waitMs) }
}

async function claimPort(port: number, waitMs: number): Promise<number> {
  if (port === 0) return findFreePort()
  const deadline = Date.now() + waitMs
  for (;;) {
    const problem = await findPortProblem(port)
    if (!problem) return port
    if (problem !== 'EADDRINUSE')
      throw new Problem(`Port ${port} cannot be used (${problem}): set PORT to another one.`)
    if (Date.now() >= deadline) {
      throw new Problem(
        `Port ${port} is taken: stop what uses it, or choose another one (PORT=${port + 1} npm start).`,
      )
    }
    await sleep(200)
  }
}

type Household = { logsDirectory: string; stopping: Stopping; undo: Undo }

function startProcesses(
  settings: Settings,
  services: RunningServices,
  prepared: Prepared,
  household: Household,
): void {
  const { logsDirectory, stopping, undo } = household
  const environment = {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: String(settings.port),
    DATABASE_URL: services.databaseUrl,
    REDIS_URL: services.redisUrl,
    ...(prepared.gatewayDatabaseUrl ? { GATEWAY_DATABASE_URL: prepared.gatewayDatabaseUrl } : {}),
  }
  const lines = readProcfile(join(projectDirectory, 'Procfile'))
  const kept = lines.map((line) => keepProcess(line, { logsDirectory, environment }))
  undo.push(async () => {
    say('Stopping: what has been begun is finished first …')
    await Promise.all(kept.map((process) => process.stop(stopping.now)))
  })
}

await main()
