// A copy of dist/, so that no build disturbs a run; lines of it may be replaced, to plant a fault of ours.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../local/tools/folders.ts'

/** `find` must be there exactly once: a fault that was not planted would be missed for the wrong reason. */
export type Patch = { file: string; find: string; replace: string }

// What gateways and workers are made of.
const ROOMS = ['gateway', 'workers', 'shared', 'migrations']

/** Makes the folder, in which dist/ can be run. */
export function copyDist(folder: string, patches: Patch[]): string {
  mkdirSync(folder, { recursive: true })
  for (const room of ROOMS)
    cpSync(join(projectDirectory, 'dist', room), join(folder, 'dist', room), { recursive: true })
  cpSync(join(projectDirectory, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
  // One after the other: two may change the same file.
  for (const patch of patches) writeFileSync(join(folder, 'dist', patch.file), patchedText(patch, folder))
  return folder
}

/** Fails where the line is not there any more. */
export function patchedText({ file, find, replace }: Patch, folder = projectDirectory): string {
  const path = join(folder, 'dist', file)
  if (!existsSync(path)) throw new Error(`Nothing can be planted in ${file}: it is not in dist/`)
  const parts = readFileSync(path, 'utf8').split(find)
  if (parts.length !== 2)
    throw new Error(`Nothing can be planted in ${file}: “${find}” is there ${parts.length - 1} times`)
  return parts.join(replace)
}
