// Every answer of every write is true despite faults; and the check finds planted bugs that cause false answers. This is
// the short form: npm run test:chaos runs for minutes, and plants every fault.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { caughtBy, itFindsEveryLine } from '../harness/planted.ts'
import { PostgresServer } from '../harness/postgres.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { testSeed } from '../support/seed.ts'
import { PLANTED } from './planted/faults.ts'
import { runPlanted } from './planted/plant.ts'
import { describeReport } from './report.ts'
import { runChaos } from './run.ts'

const SHORT = {
  writes: 1,
  waitMs: 3_000,
  clients: 8,
  importers: 2,
  waiters: 6,
  clerks: 3,
  stormMs: 7_000,
  pauseMs: 500,
  kills: 1,
}
// One in the database and one in the code; the others are planted by npm run test:chaos.
const SOME = ['no exclusion constraint', 'the reply of another attempt']

describe('chaos', function () {
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

  it('finds no broken promise', async () => {
    const report = await runChaos({ ...SHORT, postgres, seed: testSeed })
    expect(report.history.findings, describeReport(report)).to.deep.equal([])
    expect(new Map(report.waits).get('waits.accept'), describeReport(report)).to.be.above(0)
  })

  itFindsEveryLine(PLANTED)

  describe('finds the planted fault', () => {
    const tests = PLANTED.filter(({ name }) => SOME.includes(name)).map((planted) => [
      planted.name,
      async () => {
        const report = await runPlanted(planted, { postgres, seed: testSeed })
        expect(caughtBy(planted, report.history.findings), describeReport(report)).to.not.have.length(0)
      },
    ])
    itInParallel(Object.fromEntries(tests))
  })
})
