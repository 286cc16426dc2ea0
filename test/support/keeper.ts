// Keeps Postgres and Redis running between runs of single test files, and ends ten minutes after the last one. Each run
// has a Redis of its own, and what it leaves behind is removed.
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import type { Server } from '../../local/tools/servers.ts'
import { connectTo, type Lease, socketOf } from './keeper-lease.ts'
import { startTestPostgres, startTestRedis } from './servers.ts'

const IDLE_MS_MAX = 10 * 60_000

const [directory = ''] = process.argv.slice(2)
const socketPath = socketOf(directory)
const runs = new Set<Socket>()
const freeRedis: Server[] = []
const all: Server[] = []
let idle: NodeJS.Timeout | undefined

// A keeper that was killed leaves its socket; one that lives has it.
await connectTo(socketPath).then(
  () => process.exit(),
  () => rmSync(socketPath, { force: true }),
)
const server = createServer((socket) => void serve(socket))
server.on('error', () => process.exit())
await new Promise<void>((resolve) => server.listen(socketPath, resolve))
rmSync(directory, { recursive: true, force: true })
const postgres = startTestPostgres(directory).then(keep)
waitForRuns()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end)

async function serve(socket: Socket): Promise<void> {
  runs.add(socket)
  clearTimeout(idle)
  socket.on('error', () => undefined)
  let redis: Server | undefined
  const ended = new Promise((resolve) => socket.once('close', resolve))
  try {
    const { url } = await postgres
    redis = freeRedis.pop() ?? keep(await startTestRedis(directory, all.length))
    tell(socket, { databaseUrl: url, redisUrl: redis.url })
  } catch (error) {
    tell(socket, { problem: (error as Error).message })
    return end()
  }
  await ended
  runs.delete(socket)
  freeRedis.push(redis)
  if (runs.size > 0) return
  await removeLeftovers().catch(console.error)
  waitForRuns()
}

const tell = (socket: Socket, lease: Lease) => void socket.write(`${JSON.stringify(lease)}\n`)

function keep(started: Server): Server {
  all.push(started)
  // A run would wait in vain for one that is gone; the next run starts another keeper.
  started.ended.then(end)
  return started
}

// Databases of a run that was killed.
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
