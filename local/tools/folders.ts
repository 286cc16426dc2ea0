// The folders of Berth on one machine: the project, the data folder, and the shared cache.
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'

/** The folder of package.json, whether this runs from the sources or from dist/. */
export const projectDirectory = findProject(import.meta.dirname)

export const berthDirectory = (): string => resolve(process.env['BERTH_DIR'] || '.berth')

/** Relative to the current folder, if the path is inside. */
export function shortPath(path: string): string {
  const short = relative('.', path) || '.'
  return short.startsWith('..') ? path : short
}

/** For downloads shared by all starts and test runs; created if missing. */
export function cacheDirectory(): string {
  const candidates = [join(projectDirectory, '.berth/cache'), join(homedir(), '.cache/berth')]
  return candidates.find(isUsable) ?? join(berthDirectory(), 'cache')
}

function isUsable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function findProject(folder: string): string {
  const parent = dirname(folder)
  return existsSync(join(folder, 'package.json')) || parent === folder ? folder : findProject(parent)
}
