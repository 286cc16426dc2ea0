// Runs programs of Debian's packages as the user that they need: Postgres and its tools refuse to run as root.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchServer, type Server } from '../../../local/tools/servers.ts'

const PROGRAM_FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/bin']
const USER = 'postgres'

export type Owner = { uid: number; gid: number } | undefined

/** Returns the path of a program. An environment variable overrides it, such as PGBOUNCER=/opt/pgbouncer. */
export function findProgram(name: string, debianPackage: string, folders = PROGRAM_FOLDERS): string {
  const path = process.env[name.toUpperCase()] ?? folders.map((folder) => join(folder, name)).find(existsSync)
  if (path) return path
  throw new Error(`There is no ${name}. Install it: apt-get install --no-install-recommends ${debianPackage}`)
}

/** Returns the user who runs the programs, or undefined if this process is not root. */
export function findOwner(): Owner {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, USER], { encoding: 'utf8' })),
  )
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

/** Creates a folder that the programs can use. */
export function makeFolder(name: string, owner: Owner, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `berth-${name}-`))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o700)
  return folder
}

/** Runs a tool until it ends. */
export function runProgram(path: string, parameters: string[], owner: Owner, environment = {}): string {
  const { status, stdout, stderr, error } = spawnSync(path, parameters, {
    cwd: '/',
    encoding: 'utf8',
    env: createEnvironment(environment),
    ...owner,
  })
  if (status === 0) return stdout
  throw new Error(`${path} ${parameters.join(' ')} failed: ${error?.message ?? stderr}`)
}

type Program = {
  path: string
  parameters: string[]
  owner: Owner
  folder: string
  port: number
  environment?: Record<string, string>
  /** The signals that stop the program, the gentlest first. */
  signals?: NodeJS.Signals[]
}

/** Starts a program that serves a port. */
export async function serveProgram(program: Program): Promise<Omit<Server, 'url'>> {
  const { path, parameters, owner, folder, port, environment, signals = ['SIGTERM'] } = program
  const name = path.split('/').at(-1) ?? path
  return launchServer({
    name,
    port,
    commandOn: () => ({ command: path, parameters, uid: owner?.uid, gid: owner?.gid }),
    environment: createEnvironment(environment),
    logFile: join(folder, `${name}-${port}.log`),
    ending: [...signals.map((signal) => [signal, 10_000] as const), ['SIGKILL', 2_000]],
    watchdogSignals: [signals[0] ?? 'SIGTERM', 'SIGKILL'],
    isReady: () => isListening(port),
  })
}

function createEnvironment(environment: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: `${process.env['PATH'] ?? ''}:${PROGRAM_FOLDERS.join(':')}`,
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    ...environment,
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.unref()
    socket.once('connect', () => socket.destroy())
  })
}
