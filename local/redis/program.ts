// Finds a recent enough Redis or Valkey: on the PATH, among earlier downloads, or by downloading Debian's packages
// with apt and unpacking them in a folder: no root, no installation, no change to the system.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheDirectory } from '../tools/folders.ts'
import { cleanEnvironment } from '../tools/servers.ts'
import { CliError, lastLine, print } from '../tools/terminal.ts'

const NAMES = ['redis-server', 'valkey-server']
const MAJOR_VERSION_MIN = 7
const INSTALL_HINT =
  'Install Redis 7 or later, or Valkey (Debian: apt-get install redis-server; macOS: brew install redis), or set REDIS_URL'

export async function findRedisProgram(cache = cacheDirectory()): Promise<RedisProgram> {
  const installed = NAMES.map((command) => ({ command, environment: cleanEnvironment() }))
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

const FOLDER = `redis-${process.arch}`
const STEP_MS_MAX = 120_000

export type RedisProgram = { command: string; environment: Record<string, string> }

export function canFetch(): boolean {
  return ['apt-get', 'dpkg'].every((command) => spawnSync(command, ['--version']).status === 0)
}

function fetchedProgram(cache: string, name: string): RedisProgram | undefined {
  const root = join(cache, FOLDER)
  const command = join(root, 'usr/bin', name)
  if (!existsSync(command)) return undefined
  return { command, environment: { ...cleanEnvironment(), LD_LIBRARY_PATH: libraryFolders(root).join(':') } }
}

/** Returns why it failed; undefined if it worked. */
async function fetchPackages(cache: string, names: string[]): Promise<string | undefined> {
  mkdirSync(cache, { recursive: true })
  // An earlier download that does not run here (another distribution, perhaps).
  rmSync(join(cache, FOLDER), { recursive: true, force: true })
  const work = mkdtempSync(join(cache, `${FOLDER}.part-`))
  try {
    const system = writeSettings(work, 'system.conf', [])
    const own = writeSettings(work, 'own.conf', ownLists(work))
    // Tries the machine's package lists first. They may be empty (a fresh container) or list versions that
    // the server no longer has; then new lists are downloaded to the work folder.
    const problem = await tryPackages(work, system, names)
    if (!problem) return publish(work, cache)
    await run('apt-get', ['-c', own, 'update'], work).catch(() => undefined)
    return (await tryPackages(work, own, names)) ?? publish(work, cache)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function tryPackages(work: string, settings: string, names: string[]): Promise<string | undefined> {
  const problems: string[] = []
  for (const name of names) {
    const problem = await download(work, settings, name).catch(lastLine)
    if (problem === undefined) return undefined
    problems.push(problem)
  }
  return problems[0]
}

async function download(work: string, settings: string, name: string): Promise<void> {
  const debs = join(work, 'debs')
  rmSync(debs, { recursive: true, force: true })
  mkdirSync(debs)
  // A simulated installation lists exactly the libraries that this machine lacks.
  const simulation = ['-c', settings, '--simulate', '--no-install-recommends', 'install', name]
  const missing = (await run('apt-get', simulation, work)).match(/(?<=^Inst )\S+/gm) ?? []
  const wanted = new Set([name, name.replace('server', 'tools'), ...missing])
  await run('apt-get', ['-c', settings, 'download', ...wanted], debs)
  for (const deb of readdirSync(debs)) await run('dpkg', ['-x', join(debs, deb), join(work, 'root')], work)
}

function publish(work: string, cache: string): undefined {
  try {
    renameSync(join(work, 'root'), join(cache, FOLDER))
  } catch (error) {
    // Another process was faster.
    if (!existsSync(join(cache, FOLDER))) throw error
  }
}

function ownLists(work: string): string[] {
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(work, folder), { recursive: true })
  return [
    `Dir::State::lists "${join(work, 'lists')}";`,
    `Dir::Cache "${join(work, 'cache')}";`,
    // Hooks of the distribution are meant for its own caches.
    '#clear APT::Update::Pre-Invoke;',
    '#clear APT::Update::Post-Invoke;',
    '#clear APT::Update::Post-Invoke-Success;',
  ]
}

function writeSettings(work: string, name: string, lines: string[]): string {
  const file = join(work, name)
  const common = ['Debug::NoLocking "1";', 'APT::Sandbox::User "root";', 'Acquire::http::Timeout "20";']
  writeFileSync(file, [...common, ...lines, ''].join('\n'))
  return file
}

async function run(command: string, parameters: string[], cwd: string): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
  return (await promisify(execFile)(command, parameters, { cwd, env, timeout: STEP_MS_MAX })).stdout
}

function libraryFolders(root: string): string[] {
  return ['usr/lib', 'lib'].flatMap((parent) => {
    const folder = join(root, parent)
    if (!existsSync(folder)) return []
    const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    return [folder, ...inner.map((entry) => join(folder, entry.name))]
  })
}
