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
  /** Of its tag: clones need not have tags. */
  commit: string
  /** Files of its suite that hold on what is migrated now; of those that do not, `left` says why. */
  suite: string[]
  short: string[]
  left: Record<string, string>
}

/** The oldest first. */
export function readReleases(): Release[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'releases.json'), 'utf8'))
}

/** Fails where the history is here and the commit is not: then the file that names it is wrong. */
export function isCommitHere(commit: string): boolean {
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: projectDirectory })
  if (status === 0) return true
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true') return false
  throw new Error(`There is no commit ${commit}`)
}

/** Into the cache, once; its name says that it is complete. */
export function checkOut({ version, commit }: Release): string {
  const folder = join(projectDirectory, '.berth/cache/releases', `${version}-${commit.slice(0, 12)}`)
  const draft = `${folder}.new`
  if (!existsSync(folder)) {
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { recursive: true })
    const archive = execFileSync('git', ['archive', commit], { cwd: projectDirectory, maxBuffer: 1 << 28 })
    execFileSync('tar', ['-x', '-C', draft], { input: archive })
    migrateByThisCode(draft)
    renameSync(draft, folder)
  }
  install(folder)
  return folder
}

// All else is as it was released, its own list of migrations too.
function migrateByThisCode(folder: string): void {
  // Releases keep the runner of migrations in one of these places, and import it in one of these files.
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

/** Where each of its packages is here too, in the same version, those of this code serve. */
function install(folder: string): void {
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

/** Its processes and commands, built once. Returns its folder. */
export function build(release: Release): string {
  const folder = checkOut(release)
  if (!existsSync(join(folder, 'dist')))
    execFileSync(process.execPath, ['build.mjs'], { cwd: folder, stdio: 'inherit' })
  return folder
}
