// Finds a recent enough Redis or Valkey: on the PATH, among earlier downloads, or by downloading it.
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDirectory } from '../tools/folders.ts'
import { cleanEnvironment } from '../tools/servers.ts'
import { CliError, print } from '../tools/terminal.ts'
import { canFetch, fetchedProgram, fetchPackages, type RedisProgram } from './packages.ts'

const NAMES = ['redis-server', 'valkey-server']
const MAJOR_VERSION_MIN = 7
const INSTALL_HINT =
  'Install Redis 7 or later, or Valkey (Debian: apt-get install redis-server; macOS: brew install redis), or set REDIS_URL'

export async function findRedisProgram(cache = cacheDirectory()): Promise<RedisProgram> {
  const installed = findOnPath().map((command) => ({ command, environment: cleanEnvironment() }))
  return (await findUsable(installed)) ?? (await fetchRedis(cache))
}

async function fetchRedis(cache: string): Promise<RedisProgram> {
  const findFetched = () => findUsable(NAMES.flatMap((name) => fetchedProgram(cache, name) ?? []))
  const cached = await findFetched()
  if (cached) return cached
  if (!canFetch()) throw new CliError(`Redis is not installed. ${INSTALL_HINT}.`)
  print(`Redis is not installed; downloading it to ${cache} (your system is not changed) …`)
  const problem = await fetchPackages(cache, NAMES)
  const fetched = await findFetched()
  if (fetched) return fetched
  throw new CliError(
    `Redis is not installed and could not be downloaded (${problem ?? 'it does not run on this machine'}). ${INSTALL_HINT}.`,
  )
}

/** The first one that runs and is new enough. Throws if those that run are all too old. */
async function findUsable(programs: RedisProgram[]): Promise<RedisProgram | undefined> {
  const old: string[] = []
  for (const program of programs) {
    const version = await readVersion(program)
    if (version && Number.parseInt(version, 10) >= MAJOR_VERSION_MIN) return program
    if (version) old.push(`${program.command} is version ${version}`)
  }
  if (old.length === 0) return undefined
  throw new CliError(`${old.join(', ')}, which is too old. ${INSTALL_HINT}.`)
}

async function readVersion({ command, environment: env }: RedisProgram): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, ['--version'], { env, timeout: 10_000 })
    return /\bv=(\d+(\.\d+)*)/.exec(stdout)?.[1]
  } catch {
    return undefined
  }
}

function findOnPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name)).find(isExecutable) ?? [])
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
