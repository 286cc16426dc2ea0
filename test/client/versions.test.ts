// The README of the client in newer versions of Node, and in Deno.
import { expect } from 'chai'
import { installDeno, installNode } from '../node/install.ts'
import { useClient, useWorld } from '../support/world.ts'
import { compile, runProgram, useInstalledClient } from './support/package.ts'
import { readmeOutput, readmeProgram } from './support/readme.ts'
import { createTown } from './support/town.ts'

const PROGRAMS: Record<string, () => string[]> = {
  'Node 22': () => [installNode('22')],
  'Node 24': () => [installNode('24')],
  'Deno 2': () => [installDeno('2'), 'run', '--allow-net', '--allow-env', '--allow-read', '--no-lock'],
}

describe('@berth/client elsewhere', function suite() {
  this.timeout(600_000)
  const world = useWorld()
  const owner = useClient(world)
  const installed = useInstalledClient()
  let file: string
  before(async () => {
    await createTown(world.database)
    file = await compile(installed.folder, 'readme', readmeProgram())
  })
  afterEach(() => world.database('bookings').delete())

  for (const [name, install] of Object.entries(PROGRAMS))
    it(`does what its README says in ${name}`, async () => {
      const [program = '', ...args] = install()
      const environment = { BERTH_URL: world.url, BERTH_TOKEN: owner.token ?? '' }
      const { code, stdout, stderr } = await runProgram(program, [...args, file], environment)
      expect(code, stderr).to.equal(0)
      expect(stdout.trim().split('\n')).to.deep.equal(readmeOutput())
    })
})
