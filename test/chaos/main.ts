// npm run test:chaos: a run of all faults, and then every planted fault, which must be found.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChaos } from './run.ts'
import { PostgresServer } from './stage/postgres.ts'
import { describeReport } from './table.ts'

const { values } = parseArgs({
  options: {
    writes: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
})

const folder = await mkdtemp(join(tmpdir(), 'berth-chaos-'))
const postgres = await PostgresServer.start(folder)
try {
  const report = await runChaos({
    postgres,
    seed: Number(values.seed),
    writes: Number(values.writes),
    waitMs: 6_000,
    clients: 16,
    importers: 2,
    stormMs: 20_000,
    pauseMs: 3_000,
    kills: 1,
  })
  console.log(describeReport(report))
  if (report.history.findings.length > 0) process.exitCode = 1
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
