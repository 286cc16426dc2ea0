// Tests generators of TypeScript clients in the way integrators run them: the generated client compiles, and
// a program that uses it reads files, types unions and names enums. The generators need a newer Node than
// Berth, so the tests keep them with other downloads.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { build } from 'esbuild'
import { getCacheDirectory, projectDirectory } from '../../../../local/tools/folders.ts'
import { installNode } from '../../../node/install.ts'
import { createGroup, createUser } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const run = promisify(execFile)
// The versions are fixed, so that a new release cannot break the tests. Both generators need the compiler's
// API, which TypeScript 7 lacks.
const PACKAGES = ['@hey-api/openapi-ts@0.99.0', 'orval@8.38.0', 'typescript@6.0.3']
const COMPILER_OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2023',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
}
const GENERATED_MODULES = {
  '#hey-api': './hey-api/index.ts',
  '#hey-api/client': './hey-api/client/index.ts',
  '#orval': './orval/berth.ts',
  '#orval/model': './orval/model/index.ts',
}
const ANNA_EMAIL = 'anna@example.com'

describe('clients from code generators', function suite() {
  this.timeout(300_000)
  const world = useWorld({ workers: ['writes', 'exports'] })
  const client = useClient(world)
  const tools = join(getCacheDirectory(), 'generators')
  let folder: string
  let node: string
  before(async () => {
    node = installNode('22')
    mkdirSync(tools, { recursive: true })
    await run('npm', [
      'install',
      '--prefix',
      tools,
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      ...PACKAGES,
    ])
    folder = await mkdtemp(join(tmpdir(), 'berth-generated-'))
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ type: 'module', imports: GENERATED_MODULES }),
    )
    writeFileSync(join(folder, 'openapi.json'), (await client.get('openapi.json')).text)
    symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
    await createUser(world.database, { email: ANNA_EMAIL })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const generate = (program: string, ...args: string[]) =>
    run(node, [join(tools, 'node_modules', program), ...args], { cwd: folder })

  it('compile, and can read files, changes and refusals, with @hey-api/openapi-ts', async () => {
    await generate('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey-api')
    await expectToWork('hey-api')
  })

  it('compile, and can read files, changes and refusals, with orval', async () => {
    const output = { target: 'orval/berth.ts', schemas: 'orval/model', client: 'fetch' }
    const config = { berth: { input: { target: 'openapi.json' }, output } }
    writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(config)}`)
    await generate('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs')
    await expectToWork('orval')
  })

  async function expectToWork(name: string): Promise<void> {
    copyFileSync(
      join(projectDirectory, 'test/gateway/api/openapi/client', `${name}.ts`),
      join(folder, `${name}.ts`),
    )
    const project = join(folder, `tsconfig.${name}.json`)
    writeFileSync(
      project,
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [`${name}.ts`], include: [name] }),
    )
    const compiler = join(projectDirectory, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, '-p', project]).catch(({ stdout }) => expect.fail(stdout))
    const outfile = join(folder, `${name}.mjs`)
    const entryPoints = [join(folder, `${name}.ts`)]
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
    const group = await createGroup(world.database, { name: `Group of ${name}` })
    const args = [outfile, world.url, client.token ?? '', String(group)]
    const { files, ...rest } = JSON.parse((await run(process.execPath, args)).stdout)
    expect(rest).to.deep.include({ code: 'validation_failed', status: 204, changes: [`Group of ${name}`] })
    expect(rest.refused).to.have.all.keys('to')
    const [csv, xlsx] = files.map((text: string) => Buffer.from(text, 'base64')) as [Buffer, Buffer]
    expect(csv.toString()).to.include(ANNA_EMAIL)
    // An xlsx file is a zip archive, which can be read only if it arrived completely.
    expect([xlsx.subarray(0, 4).toString('latin1'), xlsx.includes('xl/workbook.xml')]).to.deep.equal([
      'PK\x03\x04',
      true,
    ])
    expect(xlsx.lastIndexOf('PK\x05\x06')).to.equal(xlsx.length - 22)
  }
})
