// Copies of dist/, so that no build disturbs a run. A test may replace lines of one, to plant a fault, and add migrations, to make
// a later release of it.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../local/tools/folders.ts'

/** `find` must be there exactly once: a fault that was not planted would be missed for the wrong reason. */
export type Patch = { file: string; find: string; replace: string }

export type NewMigration = {
  /** SQL: several statements if they are not one transaction. */
  up: string | string[]
  transaction?: false
}

// What gateways, workers and commands consist of.
const ROOMS = ['gateway', 'workers', 'shared', 'migrations', 'commands', 'local']

/** Creates the folder. Processes and commands can be started in it. */
export function copyDist(folder: string, patches: Patch[] = []): string {
  mkdirSync(folder, { recursive: true })
  for (const room of ROOMS)
    cpSync(join(projectDirectory, 'dist', room), join(folder, 'dist', room), { recursive: true })
  cpSync(join(projectDirectory, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
  // One after the other: two may change the same file.
  for (const patch of patches) writeFileSync(join(folder, 'dist', patch.file), patchedText(patch, folder))
  return folder
}

/** This release with more migrations, and with patches. */
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

/** Fails if the line is not there any more. */
export function patchedText({ file, find, replace }: Patch, folder = projectDirectory): string {
  const path = join(folder, 'dist', file)
  if (!existsSync(path)) throw new Error(`Nothing can be planted in ${file}: it is not in dist/`)
  const parts = readFileSync(path, 'utf8').split(find)
  if (parts.length !== 2)
    throw new Error(`Nothing can be planted in ${file}: “${find}” is there ${parts.length - 1} times`)
  return parts.join(replace)
}
