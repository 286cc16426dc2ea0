// The client package as users install it: packed, and installed in an empty folder, where tests compile and
// run programs.
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
const COMPILER_PATH = join(projectDirectory, 'node_modules/typescript/bin/tsc')
// Omits skipLibCheck, so that the compiler also checks the package's own types.
const COMPILER_OPTIONS =
  '--strict --exactOptionalPropertyTypes --target es2022 --module nodenext --lib es2023'

export type InstalledClient = { folder: string; tarball: string }

export function useInstalledClient(): InstalledClient {
  return use(install, { close: ({ folder }) => rmSync(folder, { recursive: true, force: true }) })
}

async function install(): Promise<InstalledClient> {
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

/** Builds the client, unless `npm test` has already built it. */
export async function buildClient(): Promise<void> {
  const isBuilt = import.meta.dirname.startsWith(join(projectDirectory, 'dist'))
  if (!isBuilt) await run('npm', ['run', 'build'], { cwd: join(projectDirectory, 'client') })
}

/** Imports the installed package. Its types are unknown here, because it is installed in a temporary folder. */
export const importClient = ({ folder }: InstalledClient, file = 'index.js') =>
  import(pathToFileURL(join(folder, 'node_modules/@berth/client/dist', file)).href)

/** Compiles a program that imports the package, and returns the compiled file. */
export async function compileProgram(folder: string, name: string, text: string): Promise<string> {
  writeFileSync(join(folder, `${name}.ts`), text)
  const types = join(folder, 'node_modules/@types')
  cpSync(join(projectDirectory, 'node_modules/@types/node'), join(types, 'node'), { recursive: true })
  cpSync(join(projectDirectory, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'), {
    recursive: true,
  })
  await run(
    process.execPath,
    [COMPILER_PATH, ...COMPILER_OPTIONS.split(' '), '--types', 'node', `${name}.ts`],
    {
      cwd: folder,
    },
  ).catch(({ stdout }: { stdout: string }) => expect.fail(stdout))
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
