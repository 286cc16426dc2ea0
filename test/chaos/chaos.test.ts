// Checks that every answer to a write is correct despite faults, and that the check detects planted bugs.
// This is the short version: npm run test:chaos runs for minutes and plants every fault.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { applyPatch } from '../harness/built-copy.ts'
import { findBrokenPromises, itFindsEveryPatchedLine } from '../harness/planted.ts'
import { PostgresServer } from '../harness/postgres.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { testSeed } from '../support/seed.ts'
import { AWAITED_SQL } from './faults/calendars.ts'
import { PLANTED_FAULTS } from './planted/faults.ts'
import { runPlanted } from './planted/plant.ts'
import { describeReport } from './report.ts'
import { runChaos, type Settings } from './run.ts'

const SHORT_RUN_SETTINGS = {
  writes: 1,
  waitMs: 3_000,
  clients: 8,
  importers: 2,
  waiters: 6,
  clerks: 3,
  calendars: ['microsoft', 'google'],
  stormMs: 7_000,
  pauseMs: 500,
  kills: 1,
} satisfies Partial<Settings>
// Plants one fault in the database and one in the code; npm run test:chaos plants all of them.
const PLANTED_FAULT_NAMES = ['no exclusion constraint', 'the reply of another attempt']

describe('the chaos run', function () {
  this.timeout(600_000)
  let folder: string
  let postgres: PostgresServer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-chaos-'))
    postgres = await PostgresServer.start(folder)
  })
  after(async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('reports no problem if the test plants no fault', async () => {
    const report = await runChaos({ ...SHORT_RUN_SETTINGS, postgres, seed: testSeed })
    expect(report.history.findings, describeReport(report)).to.deep.equal([])
    expect(new Map(report.waits).get('waits.offer'), describeReport(report)).to.be.above(0)
  })

  itFindsEveryPatchedLine(PLANTED_FAULTS)

  it('finds the SQL at which it kills hooks', () => {
    // The code names the parameters, and Postgres gets their numbers.
    for (const { file, text } of Object.values(AWAITED_SQL))
      applyPatch({ file, find: text.replace('$', ':'), replace: '' })
  })

  describe('the chaos run detects the planted fault', () => {
    const tests = PLANTED_FAULTS.filter(({ name }) => PLANTED_FAULT_NAMES.includes(name)).map((planted) => [
      planted.name,
      async () => {
        const report = await runPlanted(planted, { postgres, seed: testSeed })
        expect(
          findBrokenPromises(planted, report.history.findings),
          describeReport(report),
        ).to.not.have.length(0)
      },
    ])
    itInParallel(Object.fromEntries(tests))
  })
})
