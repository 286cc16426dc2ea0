// The package as its users have it: packed, installed in an empty folder, and programs that are compiled there and run.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/tools/folders.ts'
import { use } from '../../support/use.ts'

const run = promisify(execFile)
const COMPILER = join(projectDirectory, 'node_modules/typescript/bin/tsc')
// Without skipLibCheck, so that the package's own types are checked too.
const STRICT = '--strict --exactOptionalPropertyTypes --target es2022 --module nodenext --lib es2023'

export type Installed = { folder: string; tarball: string }

export function useInstalledClient(): Installed {
  return use(install, { close: ({ folder }) => rmSync(folder, { recursive: true, force: true }) })
}

async function install(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-installed-'))
  const npm = (args: string[], cwd: string) =>
    run('npm', [...args, '--silent', '--offline', '--no-audit'], { cwd })
  await buildClient()
  await npm(['pack', '--ignore-scripts', '--pack-destination', folder], join(projectDirectory, 'client'))
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await npm(['install', tarball], folder)
  return { folder, tarball }
}

/** `npm test` has built it before; for a file by itself this does. */
export async function buildClient(): Promise<void> {
  const isBuilt = import.meta.dirname.startsWith(join(projectDirectory, 'dist'))
  if (!isBuilt) await run('npm', ['run', 'build'], { cwd: join(projectDirectory, 'client') })
}

/** The package itself; its types are known only where it is installed. */
export const importClient = ({ folder }: Installed, file = 'index.js') =>
  import(pathToFileURL(join(folder, 'node_modules/@berth/client/dist', file)).href)

/** Compiles a program that imports the package, and returns the file that runs. */
export async function compile(folder: string, name: string, text: string): Promise<string> {
  writeFileSync(join(folder, `${name}.ts`), text)
  const types = join(folder, 'node_modules/@types')
  cpSync(join(projectDirectory, 'node_modules/@types/node'), join(types, 'node'), { recursive: true })
  cpSync(join(projectDirectory, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'), {
    recursive: true,
  })
  await run(process.execPath, [COMPILER, ...STRICT.split(' '), '--types', 'node', `${name}.ts`], {
    cwd: folder,
  }).catch(({ stdout }: { stdout: string }) => expect.fail(stdout))
  return join(folder, `${name}.js`)
}

export async function runProgram(
  node: string,
  args: string[],
  environment: Record<string, string>,
  input = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env['PATH'], ...environment }
  const running = run(node, args, { env })
  running.child.stdin?.end(input)
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}
