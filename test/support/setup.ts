// Registers the hooks of every mocha run. With `--parallel` the global hooks run in mocha's first process,
// and all others in the processes that run the tests.
import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Context } from 'mocha'
import nock from 'nock'
import { createRunFolder } from './fast-folder.ts'
import { hooks, listOpen, without } from './hooks.ts'
import { testSeed } from './seed.ts'
import { eventually } from './time.ts'

// Reports of tests in several processes do not contain the cause of an error.
fc.configureGlobal({ includeErrorInReport: true, seed: testSeed })

const RESOURCES_CLOSED_MS_MAX = 20_000

let directory: string
let closeServers: (() => Promise<unknown>) | undefined

// Berth connects only to its own Postgres and Redis; any connection beyond this machine fails the test.
nock.disableNetConnect()
nock.enableNetConnect(/^(127\.\d+\.\d+\.\d+|localhost)/)

export async function mochaGlobalSetup() {
  directory = createRunFolder()
  if (!hooks.needsServers) return
  const { openServers } = await import('./servers.ts')
  closeServers = await openServers(directory)
}

export async function mochaGlobalTeardown() {
  await closeServers?.()
  await rm(directory, { recursive: true, force: true })
  nock.enableNetConnect()
}

const unhandled = new Set<unknown>()

// Fails the file in which the rejection happens. Otherwise the rejection would end the process, for which mocha would
// wait forever.
process.on('unhandledRejection', (reason) => {
  console.error('Nobody handles', reason)
  unhandled.add(reason)
})

function runAll(steps: Set<() => unknown>): void {
  for (const step of steps) step()
}

// Runs around each file in a parallel run, and around all files otherwise.
export const mochaHooks = {
  beforeAll() {
    unhandled.clear()
    hooks.openBefore = listOpen()
  },
  beforeEach: () => runAll(hooks.beforeTest),
  afterEach: () => runAll(hooks.afterTest),
  async afterAll(this: Context) {
    this.timeout(2 * RESOURCES_CLOSED_MS_MAX)
    for (const close of Object.values(hooks.afterFile)) await close()
    const file = this.test?.parent?.suites[0]?.file
    await eventually(expectNothingOpen, RESOURCES_CLOSED_MS_MAX).catch(({ message }: Error) =>
      console.error(file, message),
    )
    expect([...unhandled], 'rejections that nobody handles').to.deep.equal([])
  },
}

// Open resources would keep a process alive. They are reported without failing the run: on a busy machine a connection
// may close later than one can wait.
function expectNothingOpen() {
  const open = without(listOpen(), hooks.openBefore)
  if (open.length > 0) throw new Error(`Still open after the tests: ${open.join(', ')}`)
}
