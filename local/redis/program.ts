// Finds a recent Redis or Valkey: on the PATH, among earlier downloads, or by downloading Debian's packages with apt
// and unpacking them in a folder. The download needs no root and changes nothing on the system.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getCacheDirectory } from '../tools/folders.ts'
import { createCleanEnvironment } from '../tools/servers.ts'
import { CliError, findLastLine, print } from '../tools/terminal.ts'

const PROGRAM_NAMES = ['redis-server', 'valkey-server']
const MAJOR_VERSION_MIN = 7
const INSTALL_HINT =
  'Install Redis 7 or later, or Valkey (Debian: apt-get install redis-server; macOS: brew install redis), or set REDIS_URL'

export async function findRedisProgram(cache = getCacheDirectory()): Promise<RedisProgram> {
  const installed = PROGRAM_NAMES.map((command) => ({ command, environment: createCleanEnvironment() }))
  return (await findUsableProgram(installed)) ?? (await fetchRedis(cache))
}

async function fetchRedis(cache: string): Promise<RedisProgram> {
  const findFetched = () =>
    findUsableProgram(PROGRAM_NAMES.flatMap((name) => findFetchedProgram(cache, name) ?? []))
  const cached = await findFetched()
  if (cached) return cached
  if (!canFetchRedis()) throw new CliError(`Redis is not installed. ${INSTALL_HINT}.`)
  print(`Redis is not installed; downloading it to ${cache} (your system is not changed) …`)
  const problem = await fetchPackages(cache, PROGRAM_NAMES)
  const fetched = await findFetched()
  if (fetched) return fetched
  throw new CliError(
    `Redis is not installed and could not be downloaded (${problem ?? 'it does not run on this machine'}). ${INSTALL_HINT}.`,
  )
}

/** Returns the first program that runs and is new enough. Throws if every program that runs is too old. */
async function findUsableProgram(programs: RedisProgram[]): Promise<RedisProgram | undefined> {
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

const DOWNLOAD_FOLDER = `redis-${process.arch}`
const STEP_MS_MAX = 120_000

export type RedisProgram = { command: string; environment: Record<string, string> }

export function canFetchRedis(): boolean {
  return ['apt-get', 'dpkg'].every((command) => spawnSync(command, ['--version']).status === 0)
}

function findFetchedProgram(cache: string, name: string): RedisProgram | undefined {
  const root = join(cache, DOWNLOAD_FOLDER)
  const command = join(root, 'usr/bin', name)
  if (!existsSync(command)) return undefined
  return {
    command,
    environment: { ...createCleanEnvironment(), LD_LIBRARY_PATH: listLibraryFolders(root).join(':') },
  }
}

/** Downloads the packages. Returns why that failed, or undefined if it succeeded. */
async function fetchPackages(cache: string, names: string[]): Promise<string | undefined> {
  mkdirSync(cache, { recursive: true })
  // Removes an earlier download that does not run here, perhaps because it is for another distribution.
  rmSync(join(cache, DOWNLOAD_FOLDER), { recursive: true, force: true })
  const work = mkdtempSync(join(cache, `${DOWNLOAD_FOLDER}.part-`))
  try {
    const system = writeSettings(work, 'system.conf', [])
    const own = writeSettings(work, 'own.conf', createOwnListSettings(work))
    // Tries the machine's package lists first. They may be empty (as in a fresh container) or list versions that the
    // server no longer has. In that case, new lists are downloaded to the work folder.
    const problem = await tryEachPackage(work, system, names)
    if (!problem) return publishFolder(work, cache)
    await runProgram('apt-get', ['-c', own, 'update'], work).catch(() => undefined)
    return (await tryEachPackage(work, own, names)) ?? publishFolder(work, cache)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function tryEachPackage(work: string, settings: string, names: string[]): Promise<string | undefined> {
  const problems: string[] = []
  for (const name of names) {
    const problem = await download(work, settings, name).catch(findLastLine)
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
  const missing = (await runProgram('apt-get', simulation, work)).match(/(?<=^Inst )\S+/gm) ?? []
  const wanted = new Set([name, name.replace('server', 'tools'), ...missing])
  await runProgram('apt-get', ['-c', settings, 'download', ...wanted], debs)
  for (const deb of readdirSync(debs))
    await runProgram('dpkg', ['-x', join(debs, deb), join(work, 'root')], work)
}

function publishFolder(work: string, cache: string): undefined {
  try {
    renameSync(join(work, 'root'), join(cache, DOWNLOAD_FOLDER))
  } catch (error) {
    // Ignores the error, because another process may have published the folder first.
    if (!existsSync(join(cache, DOWNLOAD_FOLDER))) throw error
  }
}

function createOwnListSettings(work: string): string[] {
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(work, folder), { recursive: true })
  return [
    `Dir::State::lists "${join(work, 'lists')}";`,
    `Dir::Cache "${join(work, 'cache')}";`,
    // Clears the distribution's hooks, which are meant for its own caches.
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

async function runProgram(command: string, parameters: string[], cwd: string): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
  return (await promisify(execFile)(command, parameters, { cwd, env, timeout: STEP_MS_MAX })).stdout
}

function listLibraryFolders(root: string): string[] {
  return ['usr/lib', 'lib'].flatMap((parent) => {
    const folder = join(root, parent)
    if (!existsSync(folder)) return []
    const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    return [folder, ...inner.map((entry) => join(folder, entry.name))]
  })
}
