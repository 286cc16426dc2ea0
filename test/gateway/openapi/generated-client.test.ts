// The document as tools read it: Redocly's linter, and a client that is generated from it, compiled and run.
import { execFile } from 'node:child_process'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect } from 'chai'
import { projectDirectory } from '../../../local/folders.ts'
import { createBookable, createUser } from '../../support/factories.ts'
import { createOffice } from '../../support/office.ts'
import { useClient, useWorld } from '../../support/world.ts'

const run = promisify(execFile)
const CLIENT = join(projectDirectory, 'test/gateway/openapi/client')

// Both paths are the interface's own, and a literal part wins.
const AMBIGUOUS = ['vehicles', 'bookings'].map((last) => `#/paths/~1api~1v1~1users~1{user_id}~1${last}`)
// The suite's own address.
const RULES = { extends: ['recommended'], rules: { 'no-server-example.com': 'off' as const } }

describe('the OpenAPI document and the tools that read it', () => {
  const world = useWorld()
  const client = useClient(world)
  let text: string
  let folder: string
  before(async () => {
    text = (await client.get('openapi.json')).text
    folder = await mkdtemp(join(tmpdir(), 'berth-client-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('is linted by Redocly without a warning', async () => {
    const problems = await lintFromString({ source: text, config: await createConfig(RULES) })
    const found = problems.map(({ ruleId, message, location: [place] }) => ({
      ruleId,
      message,
      pointer: place?.pointer ?? '',
    }))
    const isKnown = ({ ruleId, pointer }: (typeof found)[number]) =>
      ruleId === 'no-ambiguous-paths' && AMBIGUOUS.includes(pointer)
    expect(found.filter((problem) => !isKnown(problem))).to.deep.equal([])
  })

  it('becomes types and a client, which compiles and books a desk', async () => {
    writeFileSync(join(folder, 'openapi.json'), text)
    const itself = { type: 'module', imports: { '#berth': './berth.js' } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(itself))
    symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
    const inFolder = (name: string) => join(folder, name)
    await run(process.execPath, [
      join(CLIENT, 'generate.cjs'),
      inFolder('openapi.json'),
      inFolder('berth.ts'),
    ])
    copyFileSync(join(CLIENT, 'flow.ts'), inFolder('flow.ts'))
    const strict = [
      '--strict',
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom',
      '--types',
      'node',
    ]
    const compiler = join(projectDirectory, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, ...strict, '--skipLibCheck', 'flow.ts', 'berth.ts'], {
      cwd: folder,
    }).catch(({ stdout }: { stdout: string }) => expect.fail(stdout))

    await createOffice(world.database)
    const [{ id: location_id }] = await world.database('locations').orderBy('id').limit(1)
    const name = 'Desk at the window'
    await createBookable(world.database, { location_id, name, tags: ['window', 'quiet'] })
    await createUser(world.database, { email: 'anna@example.com' })
    const { stdout } = await run(
      process.execPath,
      ['flow.js', world.url, client.token ?? '', 'anna@example.com'],
      {
        cwd: folder,
      },
    )
    const expected = { token: 'test', desk: name, isLonger: true, isListed: true, deleted: 204 }
    expect(JSON.parse(stdout)).to.deep.equal(expected)
  })
})
