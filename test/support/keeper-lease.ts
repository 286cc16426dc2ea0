// Borrows Postgres and Redis from the keeper of the project (keeper.ts), and starts a keeper if none is running.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { projectDirectory } from '../../local/tools/folders.ts'
import { findFastFolder } from './fast-folder.ts'

const STARTED_MS_MAX = 60_000
const POLL_MS = 50

/** One line of JSON that the keeper sends to each client. The connection is the lease. */
export type Lease = { databaseUrl: string; redisUrl: string } | { problem: string }

// The code of a keeper. A keeper that was started from different code is not used, and ends by itself.
const CODE_PATHS = ['local', 'test/support/servers.ts', 'test/support/keeper.ts', 'test/support/redis.ts']

/** Returns the folder of the keeper for the current project and code. */
function getKeeperDirectory(): string {
  const hash = createHash('sha256').update(projectDirectory)
  for (const place of CODE_PATHS) for (const file of listFiles(place)) hash.update(readFileSync(file))
  return join(findFastFolder(), `berth-keeper-${hash.digest('hex').slice(0, 12)}`)
}

function listFiles(place: string): string[] {
  const path = join(projectDirectory, place)
  if (place.endsWith('.ts')) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(path, name))
}

export const getSocketPath = (directory: string) => `${directory}.sock`

export async function borrowServers(): Promise<() => Promise<void>> {
  const directory = getKeeperDirectory()
  const socket = await connectToKeeper(directory)
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const { value } = await lines.next()
  const lease: Lease = JSON.parse(value ?? '{"problem":"it ended"}')
  if ('problem' in lease) throw new Error(`No servers for tests: ${lease.problem} (${directory}.log)`)
  socket.unref()
  process.env.TEST_DATABASE_URL = lease.databaseUrl
  process.env.TEST_REDIS_URLS = lease.redisUrl
  return async () => void socket.destroy()
}

async function connectToKeeper(directory: string): Promise<Socket> {
  const deadline = Date.now() + STARTED_MS_MAX
  let isStarted = false
  for (;;) {
    try {
      return await connectTo(getSocketPath(directory))
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    if (!isStarted) startKeeper(directory)
    isStarted = true
    await wait(POLL_MS)
  }
}

export function connectTo(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}

// The keeper belongs to no run, so it inherits neither terminal nor settings.
function startKeeper(directory: string): void {
  const log = openSync(`${directory}.log`, 'a', 0o600)
  const program = join(projectDirectory, 'test/support/keeper.ts')
  const { PATH, HOME, TMPDIR } = process.env
  const keeper = spawn(process.execPath, ['--import', 'tsx/esm', program, directory], {
    cwd: projectDirectory,
    detached: true,
    env: { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  keeper.unref()
}
