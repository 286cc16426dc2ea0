// Checks out earlier releases, each in its own folder.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../local/tools/folders.ts'

export type Release = {
  version: string
  /** The commit of the release's tag. Uses no tags, because clones may not have them. */
  commit: string
  /**
   * Test files of the release that must pass on the migrated database; `left` gives the reason for each omitted file.
   */
  suite: string[]
  short: string[]
  left: Record<string, string>
}

/** Returns the earlier releases, the oldest first. */
export function readReleases(): Release[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'releases.json'), 'utf8'))
}

/** Fails if the history is available but the commit is not, because then the list of releases is wrong. */
export function isCommitHere(commit: string): boolean {
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: projectDirectory })
  if (status === 0) return true
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true') return false
  throw new Error(`There is no commit ${commit}`)
}

/** Checks the release out into the cache once. The folder is renamed to its final name when it is complete. */
export function checkOut({ version, commit }: Release): string {
  const folder = join(projectDirectory, '.berth/cache/releases', `${version}-${commit.slice(0, 12)}`)
  const draft = `${folder}.new`
  if (!existsSync(folder)) {
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { recursive: true })
    const archive = execFileSync('git', ['archive', commit], { cwd: projectDirectory, maxBuffer: 1 << 28 })
    execFileSync('tar', ['-x', '-C', draft], { input: archive })
    replaceMigrationRunner(draft)
    renameSync(draft, folder)
  }
  installPackages(folder)
  return folder
}

// Replaces the migration runner of the release, and leaves the rest of the release unchanged.
function replaceMigrationRunner(folder: string): void {
  // Releases have the migration runner in one of these places, and import it in one of these files.
  const places = ['migrations.ts', 'database/migrations.ts'].map((name) => `'../../shared/${name}'`)
  const files = ['setup.ts', 'servers.ts'].map((name) => join(folder, 'test/support', name))
  const found = files
    .filter((path) => existsSync(path))
    .flatMap((path) => places.map((own) => ({ path, own, text: readFileSync(path, 'utf8') })))
    .find(({ text, own }) => text.includes(own))
  if (!found) throw new Error(`${folder} does not migrate as it did`)
  const { path, own, text } = found
  const migrations = join(projectDirectory, 'shared/database/migrations.ts')
  writeFileSync(path, text.replace(own, JSON.stringify(migrations)))
}

/** Uses the packages of this checkout if all of the release's packages are here in the same versions. */
function installPackages(folder: string): void {
  const modules = join(folder, 'node_modules')
  const found = lstatSync(modules, { throwIfNoEntry: false })
  const [wanted = {}, present = {}] = [folder, projectDirectory].map(readPackages)
  const isHere = Object.entries(wanted).every(
    ([path, { version }]) => path === '' || present[path]?.version === version,
  )
  if (isHere && !found) symlinkSync(join(projectDirectory, 'node_modules'), modules)
  if (isHere || found?.isDirectory()) return
  if (found) rmSync(modules)
  const parameters = ['ci', '--prefer-offline', '--no-audit', '--no-fund']
  execFileSync('npm', parameters, { cwd: folder, stdio: 'inherit' })
}

function readPackages(folder: string): Record<string, { version?: string }> {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages
}

function git(...parameters: string[]): string {
  return execFileSync('git', parameters, { cwd: projectDirectory, encoding: 'utf8' })
}

/** Builds the processes and commands of a release once. Returns the folder. */
export function build(release: Release): string {
  const folder = checkOut(release)
  if (!existsSync(join(folder, 'dist')))
    execFileSync(process.execPath, ['build.mjs'], { cwd: folder, stdio: 'inherit' })
  return folder
}
