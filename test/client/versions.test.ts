// Runs the client's README in newer versions of Node and in Deno.
import { expect } from 'chai'
import { installDeno, installNode } from '../node/install.ts'
import { useClient, useWorld } from '../support/world.ts'
import { compileProgram, runProgram, useInstalledClient } from './support/package.ts'
import { createReadmeProgram, readExpectedOutput } from './support/readme.ts'
import { createTown } from './support/town.ts'

const RUNTIME_COMMANDS: Record<string, () => string[]> = {
  'Node 22': () => [installNode('22')],
  'Node 24': () => [installNode('24')],
  'Deno 2': () => [installDeno('2'), 'run', '--allow-net', '--allow-env', '--allow-read', '--no-lock'],
}

describe('@berth/client in other runtimes', function suite() {
  this.timeout(600_000)
  const world = useWorld()
  const owner = useClient(world)
  const installed = useInstalledClient()
  let file: string
  before(async () => {
    await createTown(world.database)
    file = await compileProgram(installed.folder, 'readme', createReadmeProgram())
  })
  afterEach(() => world.database('bookings').delete())

  for (const [name, install] of Object.entries(RUNTIME_COMMANDS))
    it(`runs the README examples of the client in ${name}`, async () => {
      const [program = '', ...args] = install()
      const environment = { BERTH_URL: world.url, BERTH_TOKEN: owner.token ?? '' }
      const { code, stdout, stderr } = await runProgram(program, [...args, file], environment)
      expect(code, stderr).to.equal(0)
      expect(stdout.trim().split('\n')).to.deep.equal(readExpectedOutput())
    })
})
