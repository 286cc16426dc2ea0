// Tests the OpenAPI document with Redocly's linter and with a generated client, which is compiled and run.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { startHooks } from '../../../../workers/hooks/hooks.ts'
import { createBookable, createUser } from '../../../support/factories.ts'
import { createOffice } from '../../../support/office.ts'
import { eventually } from '../../../support/time.ts'
import { useWith } from '../../../support/use.ts'
import { useClient, useWorld } from '../../../support/world.ts'
import { useReceiver } from '../../../workers/hooks/receiver.ts'

const run = promisify(execFile)
const CLIENT = join(projectDirectory, 'test/gateway/api/openapi/client')
const GENERATOR = join(projectDirectory, 'client/build/openapi-types.cjs')

const PROGRAMS = ['flow.ts', 'journey.ts']
const STRICT = [
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

const ANNA = 'anna@example.com'
const WINDOWS = ['Desk at the window', 'Second desk at the window', 'Third desk at the window']

// Both paths are part of the API, and the literal one has precedence.
const AMBIGUOUS = [
  '{user_id}~1absences',
  '{user_id}~1groups',
  '{user_id}~1vehicles',
  '{user_id}~1vehicles~1{id}',
  '{user_id}~1bookings',
  '{id}~1deactivate',
  '{id}~1restore',
  '{id}~1release-bookings',
].map((path) => `#/paths/~1api~1v1~1users~1${path}`)
// Allows the suite's own server address in examples.
const RULES = { extends: ['recommended'], rules: { 'no-server-example.com': 'off' as const } }

describe('the OpenAPI document', function suite() {
  this.timeout(300_000)
  // The upkeep process releases bookings without a check-in.
  const world = useWorld({ workers: ['writes', 'upkeep'] })
  const client = useClient(world)
  const receiver = useReceiver(world)
  const silent = createLog('test', 'silent')
  useWith(
    world,
    () => startHooks(world.config, silent),
    (hooks) => hooks.stop(),
  )
  let text: string
  let folder: string
  before(async () => {
    text = (await client.get('openapi.json')).text
    folder = await mkdtemp(join(tmpdir(), 'berth-client-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('passes the linter of Redocly without a warning', async () => {
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

  describe('a client that is generated from the OpenAPI document', () => {
    before(async () => {
      await compile()
      await createOffice(world.database)
      const [{ id: location_id }] = await world.database('locations').orderBy('id').limit(1)
      for (const name of WINDOWS)
        await createBookable(world.database, { location_id, name, tags: ['window', 'quiet'] })
      await createUser(world.database, { email: ANNA })
      const check_in = { opens_minutes_before: 15, release_minutes_after: 10 }
      expect((await client.put(`locations/${location_id}/rules`, { check_in })).status).to.equal(200)
    })

    it('compiles, and books a desk', async () => {
      const { stdout } = await run(process.execPath, ['flow.js', world.url, client.token ?? '', ANNA], {
        cwd: folder,
      })
      const expected = { token: 'test', desk: WINDOWS[0], isLonger: true, isListed: true, deleted: 204 }
      expect(JSON.parse(stdout)).to.deep.equal(expected)
    })

    it('finds a desk near the window, follows its changes, checks in, and sees a missed booking released', async () => {
      // The first webhook receives only changes made after the gateway noticed the webhook.
      await client.post('webhooks', { url: 'https://receiver.example', types: ['user.deleted'] })
      await eventually(async () => expect(await world.database('webhook_position')).to.have.length(1))
      const journey = spawn(
        process.execPath,
        ['journey.js', world.url, client.token ?? '', ANNA, receiver.url],
        {
          cwd: folder,
        },
      )
      const lines: Array<Record<string, unknown>> = []
      let failure = ''
      journey.stderr.on('data', (data) => (failure += data))
      createInterface(journey.stdout).on('line', (line) => {
        const told = JSON.parse(line)
        lines.push(told)
        if (told.missed) void passTime(told.missed)
      })
      const [code] = await once(journey, 'close')
      expect(code, failure).to.equal(0)
      const { tomorrow, secret, ...rest } = lines.at(-1) ?? {}
      expect(rest).to.deep.equal({ early: 'check_in_too_early', isPresent: true, isReleased: true })
      await eventually(() => {
        const told = receiver.received.map(({ body, headers }) => {
          new Webhook(String(secret)).verify(body, headers)
          const { type, data } = JSON.parse(body)
          // Changes about deleted resources have no data.
          return `${type} ${data?.id}`
        })
        expect(told).to.include.members([
          `booking.created ${tomorrow}`,
          `booking.released ${lines[0]?.['missed']}`,
        ])
      })
    })
  })

  async function compile(): Promise<void> {
    writeFileSync(join(folder, 'openapi.json'), text)
    const itself = { type: 'module', imports: { '#berth': './berth.js' } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(itself))
    symlinkSync(join(projectDirectory, 'node_modules'), join(folder, 'node_modules'))
    const inFolder = (name: string) => join(folder, name)
    const generated = [inFolder('openapi.json'), inFolder('berth.ts')]
    await run(process.execPath, [GENERATOR, ...generated])
    for (const name of PROGRAMS) copyFileSync(join(CLIENT, name), inFolder(name))
    const compiler = join(projectDirectory, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [compiler, ...STRICT, '--skipLibCheck', ...PROGRAMS, 'berth.ts'], {
      cwd: folder,
    }).catch(({ stdout }: { stdout: string }) => expect.fail(stdout))
  }

  /** Ends the check-in period of the booking now. */
  async function passTime(id: number): Promise<void> {
    await world.database('bookings').where({ id }).update({ check_in_until: world.database.fn.now() })
  }
})
