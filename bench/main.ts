// npm run bench: compares the built Berth with its rivals, on its own Postgres and Redis. docs/performance.md
// describes what it measures, and the results.
//   -- --quick                        takes a minute, and shows large deviations
//   -- --only bookings,counts         parts: see PARTS
//   -- --rounds 5 --seconds 2         the number of rounds, and the length of each load
//   -- --bookings 50000               bookings of the company
//   -- --before ../older              compares with an older checkout, which must be built
//   -- --mrbs ../mrbs-code            compares with MRBS too, from a checkout; needs Debian's php-cli and php-pgsql
//   -- --postgres 15                  PostgreSQL of this Debian package, instead of the one of npm start
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectDatabase } from '../shared/database/database.ts'
import { createLog } from '../shared/utilities/log.ts'
import { updateDailyFigures } from '../workers/pollers/figures/update-daily-figures.ts'
import { printFindings } from './figures.ts'
import { compareBusy } from './parts/busy.ts'
import { compareColdProcesses } from './parts/cold.ts'
import { compareScenarios, OLDER_CHECKOUT_NAME } from './parts/comparison.ts'
import { countWork } from './parts/counts.ts'
import { compareHistory } from './parts/history.ts'
import { measureIdle } from './parts/idle.ts'
import { compareImports } from './parts/imports.ts'
import { measureMail } from './parts/mail.ts'
import { compareMrbs } from './parts/mrbs.ts'
import { measurePages } from './parts/pages.ts'
import { measurePeoplePages } from './parts/people-pages.ts'
import { compareProcesses } from './parts/processes.ts'
import { measureRollingRestarts } from './parts/rolling.ts'
import { RUSH_SCENARIOS } from './parts/rush.ts'
import { BOOKING_SCENARIOS, READ_SCENARIOS } from './parts/scenarios.ts'
import { measureScreens } from './parts/screens.ts'
import { measureStorms } from './parts/storm.ts'
import { type RunLength, startRunner } from './runner.ts'
import { type Company, createCompany } from './stage/company.ts'
import { createDatabase, getRedisUrl, type Servers, startServers } from './stage/servers.ts'
import { RIVALS, startBerth, startRival, type Target } from './stage/targets.ts'

const PARTS = [
  'reads',
  'bookings',
  'rush',
  'storm',
  'processes',
  'cold',
  'rolling',
  'mrbs',
  'busy',
  'counts',
  'history',
  'pages',
  'imports',
  'idle',
  'screens',
  'mail',
] as const
type Part = (typeof PARTS)[number]

// The number of the Redis database for the older checkout. The parts of the benchmark use lower numbers.
const OLDER_CHECKOUT_REDIS_NUMBER = 9

const DAILY_FIGURES_MS_MAX = 600_000

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    bookings: { type: 'string', default: '50000' },
    before: { type: 'string' },
    postgres: { type: 'string' },
    mrbs: { type: 'string' },
  },
})
const selectedParts = readParts(
  values.only ?? (values.quick ? 'reads,bookings,counts,idle' : PARTS.join(',')),
)
const runLength: RunLength = {
  rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
  seconds: Number(values.seconds ?? (values.quick ? 1 : 2)),
}
const bookings = Number(values.bookings)

const servers = await startServers(values.postgres ? Number(values.postgres) : undefined)
try {
  await runParts(servers)
} finally {
  await servers.stop()
}

async function runParts(on: Servers): Promise<void> {
  const databaseUrl = await createDatabase(on, 'berth_bench')
  const company = await createSeededCompany(databaseUrl)
  const runner = await startRunner()
  const common = { servers: on, company, databaseUrl }
  const berth = await startBerth({ ...common, name: 'Berth', redisUrl: getRedisUrl(on, 0) })
  const others: Target[] = []
  try {
    for (const rival of RIVALS) others.push(await startRival(rival, { ...common, name: rival }))
    if (values.before) others.push(await startOlderCheckout(on, resolve(values.before)))
    printConditions()
    if (selectedParts.has('reads')) await compareScenarios(runner, READ_SCENARIOS, berth, others, runLength)
    if (selectedParts.has('bookings'))
      await compareScenarios(runner, BOOKING_SCENARIOS, berth, others, runLength)
    if (selectedParts.has('rush')) await compareScenarios(runner, RUSH_SCENARIOS, berth, others, runLength)
    if (selectedParts.has('storm'))
      await measureStorms(
        runner,
        berth,
        others.filter(({ name }) => name === OLDER_CHECKOUT_NAME),
        runLength,
      )
    if (selectedParts.has('processes')) await compareProcesses(runner, on, berth, runLength)
    if (selectedParts.has('cold')) await compareColdProcesses(runner, on, berth, runLength)
    if (selectedParts.has('rolling')) await measureRollingRestarts(runner, on, berth, runLength)
    if (selectedParts.has('busy')) await compareBusy(runner, berth, others, runLength)
    if (selectedParts.has('mrbs')) {
      if (values.mrbs) await compareMrbs(runner, on, berth, resolve(values.mrbs), runLength)
      else console.log('\nMRBS is left out: --mrbs names its checkout.')
    }
    if (selectedParts.has('history')) await compareHistory(runner, on, berth, runLength)
    if (selectedParts.has('pages')) {
      await measurePages(runner, on, runLength)
      await measurePeoplePages(runner, on, runLength, values.before && resolve(values.before))
    }
    if (selectedParts.has('counts')) await countWork({ ...common, runner })
    if (selectedParts.has('imports')) await compareImports(runner, on, runLength)
    if (selectedParts.has('idle')) await measureIdle(runner, on, databaseUrl, runLength)
    if (selectedParts.has('screens')) await measureScreens(runner, on, databaseUrl)
    if (selectedParts.has('mail')) await measureMail(runner, on)
  } finally {
    // Stops all processes of the run, including those that a part has already ended.
    printFindings(runner)
    await runner.stop()
    for (const target of [berth, ...others]) await target.stop()
  }
}

async function startOlderCheckout(on: Servers, checkout: string): Promise<Target> {
  const databaseUrl = await createDatabase(on, 'berth_before', { checkout })
  const company = await createSeededCompany(databaseUrl)
  const redisUrl = getRedisUrl(on, OLDER_CHECKOUT_REDIS_NUMBER)
  return startBerth({ servers: on, company, databaseUrl, redisUrl, name: OLDER_CHECKOUT_NAME, checkout })
}

async function createSeededCompany(databaseUrl: string): Promise<Company> {
  const database = connectDatabase(databaseUrl)
  const company = await createCompany(database, bookings)
  // Without this call, upkeep would compute the daily figures of several years while the bench measures reads.
  await updateDailyFigures(database, createLog('bench', 'silent'), { runMsMax: DAILY_FIGURES_MS_MAX })
  await database.destroy()
  return company
}

function printConditions(): void {
  console.log(
    `${availableParallelism()} cores, Node ${process.version}, ${bookings} bookings, medians of ${runLength.rounds}, ` +
      `${runLength.seconds} s each`,
  )
}

function readParts(text: string): Set<Part> {
  const names = text.split(',')
  const unknown = names.filter((name) => !PARTS.some((part) => part === name))
  if (unknown.length > 0)
    throw new Error(`Unknown part ${unknown.join(', ')}. The parts are ${PARTS.join(', ')}.`)
  return new Set(names as Part[])
}
