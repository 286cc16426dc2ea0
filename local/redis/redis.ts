// Runs Redis or Valkey on the loopback interface, with an append-only file in a folder.
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type EndingSteps, isAlive, readCommandLine } from '../tools/processes.ts'
import { launchServer, type Server, startServerInFolder, stopEarlierServer } from '../tools/servers.ts'
import { findRedisProgram } from './program.ts'

type RedisOptions = {
  directory: string
  port?: number | undefined
  appendOnly?: boolean
  databases?: number
}

const ENDING_STEPS: EndingSteps = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 2_000],
]
const PING_WAIT_MS = 1_000

export function startRedis(options: RedisOptions): Promise<Server> {
  // The folder is closed to others, because Redis makes its files world-readable.
  return startServerInFolder(options.directory, 0o700, async (directory) => {
    const { command, environment } = await findRedisProgram()
    await stopPreviousRedis(directory)
    const file = getConfigFile(directory)
    writeFileSync(file, formatConfig(directory, options), { mode: 0o600 })
    const server = await launchServer({
      name: 'Redis',
      port: options.port,
      commandOn: (port) => ({ command, parameters: [file, '--port', String(port)] }),
      environment,
      logFile: join(directory, 'redis.log'),
      ending: ENDING_STEPS,
      watchdogSignals: ['SIGTERM', 'SIGKILL'],
      isReady: (_pid, port) => isAnsweringPing(port),
      lostPort: /Address already in use/,
    })
    return { ...server, url: `redis://127.0.0.1:${server.port}` }
  })
}

async function stopPreviousRedis(directory: string): Promise<void> {
  const file = join(directory, 'redis.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  if (pid > 0 && isAlive(pid) && readCommandLine(pid).includes(getConfigFile(directory)))
    await stopEarlierServer('Redis', pid, ENDING_STEPS)
  rmSync(file, { force: true })
}

function formatConfig(directory: string, { appendOnly = true, databases = 16 }: RedisOptions): string {
  return [
    'bind 127.0.0.1',
    'protected-mode yes',
    `databases ${databases}`,
    'daemonize no',
    `dir ${quoteConfigValue(directory)}`,
    `pidfile ${quoteConfigValue(join(directory, 'redis.pid'))}`,
    // With this line, the folder appears on the command line, which distinguishes Berth's earlier Redis from
    // others.
    'set-proc-title no',
    `appendonly ${appendOnly ? 'yes' : 'no'}`,
    'save ""',
    // Redis must evict nothing, because BullMQ would lose jobs.
    'maxmemory-policy noeviction',
    '',
  ].join('\n')
}

const quoteConfigValue = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

const getConfigFile = (directory: string): string => join(directory, 'redis.conf')

// Returns whether Redis answers PING. While it loads its file, Redis answers LOADING.
async function isAnsweringPing(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    socket.write('PING\r\n')
    const [data] = await once(socket, 'data', { signal: AbortSignal.timeout(PING_WAIT_MS) })
    return String(data).startsWith('+PONG')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
