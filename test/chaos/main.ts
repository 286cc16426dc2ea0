// npm run test:chaos: runs all faults, and then every planted fault, which must be detected. See
// test/harness/command.ts for the common options; `--only` takes run or planted.   -- --writes 100000     a longer run
// -- --minutes 20     ends earlier if the machine is slow
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../harness/command.ts'
import { describeFinding } from '../harness/findings.ts'
import { PostgresServer } from '../harness/postgres.ts'
import { hasRadicale } from '../support/calendars/caldav-servers.ts'
import { PLANTED_FAULTS } from './planted/faults.ts'
import { runPlanted } from './planted/plant.ts'
import { describeReport } from './report.ts'
import { type Report, runChaos } from './run.ts'

const folder = await mkdtemp(join(tmpdir(), 'berth-chaos-'))
const postgres = await PostgresServer.start(folder)

try {
  await runCommand({
    options: { writes: '20000', minutes: '' },
    planted: PLANTED_FAULTS,
    run: async ({ seed, writes, minutes }) => {
      const msMax = minutes ? Number(minutes) * 60_000 : undefined
      return toCommandReport(await runAll(seed, Number(writes), msMax))
    },
    plant: async (planted, choices) => toCommandReport(await runPlanted(planted, { postgres, ...choices })),
  })
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

function runAll(seed: number, writes: number, msMax?: number): Promise<Report> {
  let shown = 0
  return runChaos({
    postgres,
    seed,
    writes,
    ...(msMax === undefined ? {} : { msMax }),
    waitMs: 9_000,
    clients: 48,
    importers: 2,
    waiters: 12,
    clerks: 4,
    planners: 4,
    calendars: ['microsoft', 'google', ...(hasRadicale ? ['caldav' as const] : [])],
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

function toCommandReport(report: Report) {
  const { history, faults, kills } = report
  const killed = [...faults].filter(([name]) => /\bkilled\b/.test(name))
  const tally = {
    writes: history.writes.length,
    kills: killed.reduce((sum, [, times]) => sum + times, kills.length),
  }
  return { findings: history.findings, text: describeReport(report), tally }
}
