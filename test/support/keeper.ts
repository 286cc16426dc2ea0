// Keeps Postgres and Redis running between runs of single test files, and ends ten minutes after the last run. Each run
// has its own Redis, and its leftovers are removed.
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import type { Server } from '../../local/tools/servers.ts'
import { connectTo, getSocketPath, type Lease } from './keeper-lease.ts'
import { startTestPostgres, startTestRedis } from './servers.ts'

const IDLE_MS_MAX = 10 * 60_000

const [directory = ''] = process.argv.slice(2)
const socketPath = getSocketPath(directory)
const runs = new Set<Socket>()
const freeRedis: Server[] = []
const all: Server[] = []
let idle: NodeJS.Timeout | undefined

// A killed keeper leaves its socket; a running keeper answers on it.
await connectTo(socketPath).then(
  () => process.exit(),
  () => rmSync(socketPath, { force: true }),
)
const server = createServer((socket) => void serveLease(socket))
server.on('error', () => process.exit())
await new Promise<void>((resolve) => server.listen(socketPath, resolve))
rmSync(directory, { recursive: true, force: true })
const postgres = startTestPostgres(directory).then(keepServer)
waitForRuns()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)

async function serveLease(socket: Socket): Promise<void> {
  runs.add(socket)
  clearTimeout(idle)
  socket.on('error', () => undefined)
  let redis: Server | undefined
  const ended = new Promise((resolve) => socket.once('close', resolve))
  try {
    const { url } = await postgres
    redis = freeRedis.pop() ?? keepServer(await startTestRedis(directory, all.length))
    sendLease(socket, { databaseUrl: url, redisUrl: redis.url })
  } catch (error) {
    sendLease(socket, { problem: (error as Error).message })
    return end()
  }
  await ended
  runs.delete(socket)
  freeRedis.push(redis)
  if (runs.size > 0) return
  await removeLeftovers().catch(console.error)
  waitForRuns()
}

const sendLease = (socket: Socket, lease: Lease) => void socket.write(`${JSON.stringify(lease)}\n`)

function keepServer(started: Server): Server {
  all.push(started)
  // Ends the keeper if one of its servers dies. The next run starts a new keeper.
  started.ended.then(end)
  return started
}

// Removes the databases that a killed run has left.
async function removeLeftovers(): Promise<void> {
  const client = new pg.Client({ connectionString: (await postgres).url })
  await client.connect()
  const { rows } = await client.query(
    "SELECT datname FROM pg_database WHERE datname ~ '^berth_[0-9a-f]{12}$'",
  )
  for (const { datname } of rows)
    if (runs.size === 0) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  await client.end()
}

function waitForRuns(): void {
  clearTimeout(idle)
  if (runs.size === 0) idle = setTimeout(end, IDLE_MS_MAX)
}

async function end(): Promise<void> {
  server.close()
  rmSync(socketPath, { force: true })
  await Promise.allSettled(all.map((each) => each.stop()))
  rmSync(directory, { recursive: true, force: true })
  rmSync(`${directory}.log`, { force: true })
  process.exit()
}
