// npm run test:chaos: a run under all faults, then every planted fault, which must be found. See test/harness/command.ts for the
// common options; `--only` takes run or planted.
//   -- --writes 100000     a longer run
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../harness/command.ts'
import { describeFinding } from '../harness/findings.ts'
import { PostgresServer } from '../harness/postgres.ts'
import { PLANTED } from './planted/faults.ts'
import { runPlanted } from './planted/plant.ts'
import { describeReport } from './report.ts'
import { type Report, runChaos } from './run.ts'

const folder = await mkdtemp(join(tmpdir(), 'berth-chaos-'))
const postgres = await PostgresServer.start(folder)

try {
  await runCommand({
    options: { writes: '20000' },
    planted: PLANTED,
    run: async ({ seed, writes }) => reported(await runAll(seed, Number(writes))),
    plant: async (planted, choices) => reported(await runPlanted(planted, { postgres, ...choices })),
  })
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

function runAll(seed: number, writes: number): Promise<Report> {
  let shown = 0
  return runChaos({
    postgres,
    seed,
    writes,
    waitMs: 9_000,
    clients: 16,
    importers: 2,
    waiters: 12,
    clerks: 4,
    stormMs: 20_000,
    pauseMs: 3_000,
    kills: 1,
    onCalm: ({ decided, findings }) => {
      console.error(`${decided} decided, ${findings.length} findings`)
      for (const finding of findings.slice(shown)) console.error(describeFinding(finding))
      shown = findings.length
    },
  })
}

function reported(report: Report) {
  return { findings: report.history.findings, text: describeReport(report) }
}
