// The folders that Berth uses on this machine: the project, the data folder, and the shared cache.
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'

/** The folder with package.json, whether this code runs from the sources or from dist/. */
export const projectDirectory = findProject(import.meta.dirname)

export const getBerthDirectory = (): string => resolve(process.env['BERTH_DIR'] || '.berth')

/** Shortens a path for messages: returns a relative path if it is inside the current folder. */
export function shortenPath(path: string): string {
  const short = relative('.', path) || '.'
  return short.startsWith('..') ? path : short
}

/** Returns the folder for downloads that all starts and test runs share. Creates it if it is missing. */
export function getCacheDirectory(): string {
  const candidates = [join(projectDirectory, '.berth/cache'), join(homedir(), '.cache/berth')]
  return candidates.find(isUsableFolder) ?? join(getBerthDirectory(), 'cache')
}

function isUsableFolder(folder: string): boolean {
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
