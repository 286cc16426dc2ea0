// Installs versions of Node, and Deno, from the npm registry into the cache folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { getCacheDirectory } from '../../local/tools/folders.ts'

export const getNodeFolder = (version: string) => join(getCacheDirectory(), `node-${version}`)

/** Installs the newest release of a major version. Uses an earlier download if the registry is unreachable. */
export function installNode(version: string): string {
  const name = `node-${process.platform}-${process.arch}`
  return install(getNodeFolder(version), `${name}@${version}`, join(name, 'bin/node'))
}

export function installDeno(version: string): string {
  const { platform, arch } = process
  const name = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`
  return install(join(getCacheDirectory(), `deno-${version}`), `${name}@${version}`, join(name, 'deno'))
}

function install(folder: string, wanted: string, program: string): string {
  const file = join(folder, 'node_modules', program)
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', wanted]
  const { status } = spawnSync('npm', args, { stdio: 'inherit' })
  if (status !== 0 && !existsSync(file)) throw new Error(`${wanted} could not be installed`)
  return file
}
