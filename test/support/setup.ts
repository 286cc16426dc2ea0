// The hooks of every run of mocha. With `--parallel` the global parts run in mocha's first process, everything else in
// those that run the tests.
import { rm } from 'node:fs/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Context } from 'mocha'
import nock from 'nock'
import { createRunFolder } from './fast-folder.ts'
import { hooks, listOpen, without } from './hooks.ts'
import { testSeed } from './seed.ts'
import { eventually } from './time.ts'

// A report of tests that run in several processes has no causes.
fc.configureGlobal({ includeErrorInReport: true, seed: testSeed })

const OPEN_MS_MAX = 20_000

let directory: string
let closeServers: (() => Promise<unknown>) | undefined

// Berth talks to nobody but its own Postgres and Redis; whatever tries to leave this machine fails the test.
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

// It fails the file in which it happens. Without this it would end the process between two files, and mocha would wait
// for it for ever.
process.on('unhandledRejection', (reason) => {
  console.error('Nobody handles', reason)
  unhandled.add(reason)
})

function runAll(steps: Set<() => unknown>): void {
  for (const step of steps) step()
}

// Around each file where files run in parallel, around all of them otherwise.
export const mochaHooks = {
  beforeAll() {
    unhandled.clear()
    hooks.openBefore = listOpen()
  },
  beforeEach: () => runAll(hooks.beforeTest),
  afterEach: () => runAll(hooks.afterTest),
  async afterAll(this: Context) {
    this.timeout(2 * OPEN_MS_MAX)
    for (const close of Object.values(hooks.afterFile)) await close()
    const file = this.test?.parent?.suites[0]?.file
    await eventually(expectNothingOpen, OPEN_MS_MAX).catch(({ message }: Error) =>
      console.error(file, message),
    )
    expect([...unhandled], 'rejections that nobody handles').to.deep.equal([])
  },
}

// What a test leaves open would keep a process alive for good. It is told and fails nothing: on a busy machine a
// connection may close later than one can wait.
function expectNothingOpen() {
  const open = without(listOpen(), hooks.openBefore)
  if (open.length > 0) throw new Error(`Still open after the tests: ${open.join(', ')}`)
}
