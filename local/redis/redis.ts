// Runs Redis or Valkey on the loopback interface, with an append-only file in a folder.
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { commandLine, type EndingSteps, isAlive } from '../tools/processes.ts'
import { launchServer, type Server, startInFolder, stopEarlier } from '../tools/servers.ts'
import { findRedisProgram } from './program.ts'

type RedisOptions = {
  directory: string
  port?: number | undefined
  appendOnly?: boolean
  databases?: number
}

const ENDING: EndingSteps = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 2_000],
]
const PING_WAIT_MS = 1_000

export function startRedis(options: RedisOptions): Promise<Server> {
  // Redis makes its files world-readable.
  return startInFolder(options.directory, 0o700, async (directory) => {
    const { command, environment } = await findRedisProgram()
    await stopPrevious(directory)
    const file = configFile(directory)
    writeFileSync(file, config(directory, options), { mode: 0o600 })
    const server = await launchServer({
      name: 'Redis',
      port: options.port,
      commandOn: (port) => ({ command, parameters: [file, '--port', String(port)] }),
      environment,
      logFile: join(directory, 'redis.log'),
      ending: ENDING,
      watchdogSignals: ['SIGTERM', 'SIGKILL'],
      isReady: (_pid, port) => answersPing(port),
      lostPort: /Address already in use/,
    })
    return { ...server, url: `redis://127.0.0.1:${server.port}` }
  })
}

async function stopPrevious(directory: string): Promise<void> {
  const file = join(directory, 'redis.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  if (pid > 0 && isAlive(pid) && commandLine(pid).includes(configFile(directory)))
    await stopEarlier('Redis', pid, ENDING)
  rmSync(file, { force: true })
}

function config(directory: string, { appendOnly = true, databases = 16 }: RedisOptions): string {
  return [
    'bind 127.0.0.1',
    'protected-mode yes',
    `databases ${databases}`,
    'daemonize no',
    `dir ${quote(directory)}`,
    `pidfile ${quote(join(directory, 'redis.pid'))}`,
    // The command line contains the folder, which distinguishes our earlier Redis from others.
    'set-proc-title no',
    `appendonly ${appendOnly ? 'yes' : 'no'}`,
    'save ""',
    // BullMQ loses jobs if keys are evicted.
    'maxmemory-policy noeviction',
    '',
  ].join('\n')
}

const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

const configFile = (directory: string): string => join(directory, 'redis.conf')

// While it loads its file, it answers LOADING.
async function answersPing(port: number): Promise<boolean> {
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
