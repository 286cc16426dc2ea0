// Programs of Debian's packages, run as the user that they ask for: Postgres and its tools refuse to be root.
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchServer, type Server } from '../../../local/tools/servers.ts'

const PATHS = ['/usr/sbin', '/usr/bin', '/usr/local/bin']
const USER = 'postgres'

export type Owner = { uid: number; gid: number } | undefined

/** The path of a program, which may be named by a variable of its own name in capitals: PGBOUNCER=/opt/pgbouncer. */
export function findProgram(name: string, debianPackage: string, folders = PATHS): string {
  const path = process.env[name.toUpperCase()] ?? folders.map((folder) => join(folder, name)).find(existsSync)
  if (path) return path
  throw new Error(`There is no ${name}. Install it: apt-get install --no-install-recommends ${debianPackage}`)
}

/** Whom the programs run as; undefined where this process is not root, and they run as it does. */
export function findOwner(): Owner {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, USER], { encoding: 'utf8' })),
  )
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

/** A folder that the programs can use. */
export function makeFolder(name: string, owner: Owner, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `berth-${name}-`))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  chmodSync(folder, 0o700)
  return folder
}

/** A tool that does its work and ends. */
export function runProgram(path: string, parameters: string[], owner: Owner, environment = {}): string {
  const { status, stdout, stderr, error } = spawnSync(path, parameters, {
    cwd: '/',
    encoding: 'utf8',
    env: environmentOf(environment),
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
  /** Those that end it, the gentlest first. */
  signals?: NodeJS.Signals[]
}

/** One that serves a port. */
export async function serveProgram(program: Program): Promise<Omit<Server, 'url'>> {
  const { path, parameters, owner, folder, port, environment, signals = ['SIGTERM'] } = program
  const name = path.split('/').at(-1) ?? path
  return launchServer({
    name,
    port,
    commandOn: () => ({ command: path, parameters, uid: owner?.uid, gid: owner?.gid }),
    environment: environmentOf(environment),
    logFile: join(folder, `${name}-${port}.log`),
    ending: [...signals.map((signal) => [signal, 10_000] as const), ['SIGKILL', 2_000]],
    watchdogSignals: [signals[0] ?? 'SIGTERM', 'SIGKILL'],
    isReady: () => isListening(port),
  })
}

function environmentOf(environment: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: `${process.env['PATH'] ?? ''}:${PATHS.join(':')}`,
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
