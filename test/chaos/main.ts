// npm run test:chaos: a run under all faults, then every planted fault, which must be found.
//   -- --writes 100000 --seed 7     a longer one, or the same choices once more
//   -- --only run | planted         one of the two
//   -- --planted NAME               one planted fault; --controls: its scene without it, which must find nothing
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { killChildren } from '../support/processes.ts'
import { PLANTED } from './planted/faults.ts'
import { caughtBy, runPlanted } from './planted/plant.ts'
import { runChaos } from './run.ts'
import { PostgresServer } from './stage/postgres.ts'
import { describeReport, table } from './table.ts'

const { values } = parseArgs({
  options: {
    writes: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    only: { type: 'string' },
    planted: { type: 'string' },
    controls: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const only = values.planted || values.controls ? 'planted' : values.only

async function runAll(postgres: PostgresServer): Promise<boolean> {
  console.log(`Seed ${seed}`)
  let shown = 0
  const report = await runChaos({
    postgres,
    seed,
    writes: Number(values.writes),
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
      for (; shown < findings.length; shown++) console.error(JSON.stringify(findings[shown]))
    },
  })
  console.log(describeReport(report))
  return report.history.findings.length === 0
}

async function plantAll(postgres: PostgresServer): Promise<boolean> {
  const isControl = values.controls
  const chosen = PLANTED.filter(({ name }) => !values.planted || name === values.planted)
  const rows: Array<[string, number, string]> = []
  let isGood = chosen.length > 0
  for (const planted of chosen) {
    const report = await runPlanted(planted, { postgres, seed, isControl })
    const found = isControl
      ? report.history.findings.map(({ promise }) => promise)
      : caughtBy(planted, report)
    const isCaught = found.length > 0
    if (isCaught === isControl) isGood = false
    if (isCaught === isControl || values.planted) console.log(`${planted.name}\n${describeReport(report)}`)
    rows.push([planted.name, Math.round(report.tookMs / 1000), found.join('; ') || 'nothing'])
    console.log(rows.at(-1)?.join(' | '))
  }
  console.log(table([isControl ? 'scene' : 'planted fault', 'seconds', 'found'], rows))
  return isGood
}

const folder = await mkdtemp(join(tmpdir(), 'berth-chaos-'))
const postgres = await PostgresServer.start(folder)
try {
  const isGood = only === 'planted' || (await runAll(postgres))
  const isAllCaught = only === 'run' || (await plantAll(postgres))
  if (!isGood || !isAllCaught) process.exitCode = 1
} finally {
  await killChildren()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
