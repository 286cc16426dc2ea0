// Copies of dist/, so that a build does not disturb a run. A test may replace lines of a copy to plant a fault, or add
// migrations to create a later release.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../local/tools/folders.ts'

/** `find` must occur exactly once; otherwise the fault might not be planted, and the run would report that it
 * missed the fault. */
export type Patch = { file: string; find: string; replace: string }

/** Replaces a text in a file of dist/. */
export const replaceInCode = (file: string, find: string, replace: string): Patch => ({ file, find, replace })

export type NewMigration = {
  /** SQL: several statements if they must not run in a transaction. */
  up: string | string[]
  transaction?: false
}

// The folders of gateways, workers and commands.
const COPIED_FOLDERS = ['gateway', 'workers', 'shared', 'migrations', 'commands', 'local']

/** Creates the folder, in which processes and commands can be started. */
export function copyDist(folder: string, patches: Patch[] = []): string {
  mkdirSync(folder, { recursive: true })
  for (const room of COPIED_FOLDERS)
    cpSync(join(projectDirectory, 'dist', room), join(folder, 'dist', room), { recursive: true })
  cpSync(join(projectDirectory, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
  // Applies patches one after the other, because two patches may change the same file.
  for (const patch of patches) writeFileSync(join(folder, 'dist', patch.file), applyPatch(patch, folder))
  return folder
}

/** Creates this release with additional migrations and patches. */
export function createLaterRelease(
  folder: string,
  { patches, migrations }: { patches?: Patch[]; migrations: Record<string, NewMigration> },
): string {
  copyDist(folder, patches)
  for (const [name, { up, transaction = true }] of Object.entries(migrations))
    writeFileSync(
      join(folder, 'dist/migrations', `${name}.js`),
      `export const config = { transaction: ${transaction} }
       export async function up(database) { for (const sql of ${JSON.stringify([up].flat())}) await database.raw(sql) }
       export const down = () => undefined`,
    )
  return folder
}

/** Returns the patched text of a file. Fails if the line to replace no longer exists. */
export function applyPatch({ file, find, replace }: Patch, folder = projectDirectory): string {
  const path = join(folder, 'dist', file)
  if (!existsSync(path)) throw new Error(`Nothing can be planted in ${file}: it is not in dist/`)
  const parts = readFileSync(path, 'utf8').split(find)
  if (parts.length !== 2)
    throw new Error(`Nothing can be planted in ${file}: “${find}” is there ${parts.length - 1} times`)
  return parts.join(replace)
}
