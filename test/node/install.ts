// Versions of Node, and Deno, from the npm registry, kept where other downloads are.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDirectory } from '../../local/tools/folders.ts'

export const folderOf = (version: string) => join(cacheDirectory(), `node-${version}`)

/** The newest of this version, or what was installed before where the registry cannot be reached. */
export function installNode(version: string): string {
  const name = `node-${process.platform}-${process.arch}`
  return install(folderOf(version), `${name}@${version}`, join(name, 'bin/node'))
}

export function installDeno(version: string): string {
  const { platform, arch } = process
  const name = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`
  return install(join(cacheDirectory(), `deno-${version}`), `${name}@${version}`, join(name, 'deno'))
}

function install(folder: string, wanted: string, program: string): string {
  const file = join(folder, 'node_modules', program)
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', wanted]
  const { status } = spawnSync('npm', args, { stdio: 'inherit' })
  if (status !== 0 && !existsSync(file)) throw new Error(`${wanted} could not be installed`)
  return file
}
