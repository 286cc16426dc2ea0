// Generators of TypeScript clients, as integrators run them: what they make of the document compiles, and a program with it
// reads files, types unions and names enums. They need a newer Node than Berth, so they are kept where other downloads are.
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { build } from 'esbuild'
import { cacheDirectory, projectDirectory } from '../../../../local/tools/folders.ts'
import { installNode } from '../../../node/install.ts'
import { createGroup, createUser } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const run = promisify(execFile)
// A release of theirs changes our tests only when we say so. Both need the compiler's API, which TypeScript 7 lacks.
const PACKAGES = ['@hey-api/openapi-ts@0.99.0', 'orval@8.38.0', 'typescript@6.0.3']
const STRICT = {
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
const GENERATED = {
  '#hey-api': './hey-api/index.ts',
  '#hey-api/client': './hey-api/client/index.ts',
  '#orval': './orval/berth.ts',
  '#orval/model': './orval/model/index.ts',
}
const ANNA = 'anna@example.com'

describe('clients that are generated', function suite() {
  this.timeout(300_000)
  const world = useWorld({ workers: ['writes', 'exports'] })
  const client = useClient(world)
  const tools = join(cacheDirectory(), 'generators')
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
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports: GENERATED }))
    writeFileSync(join(folder, 'openapi.json'), (await client.get('openapi.json')).text)
    symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
    await createUser(world.database, { email: ANNA })
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const generate = (program: string, ...args: string[]) =>
    run(node, [join(tools, 'node_modules', program), ...args], { cwd: folder })

  it('by @hey-api/openapi-ts compile, and read files, changes and refusals', async () => {
    await generate('@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey-api')
    await expectToWork('hey-api')
  })

  it('by orval compile, and read files, changes and refusals', async () => {
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
      JSON.stringify({ compilerOptions: STRICT, files: [`${name}.ts`], include: [name] }),
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
    expect(csv.toString()).to.include(ANNA)
    // A zip, of which each byte has arrived.
    expect([xlsx.subarray(0, 4).toString('latin1'), xlsx.includes('xl/workbook.xml')]).to.deep.equal([
      'PK\x03\x04',
      true,
    ])
    expect(xlsx.lastIndexOf('PK\x05\x06')).to.equal(xlsx.length - 22)
  }
})
