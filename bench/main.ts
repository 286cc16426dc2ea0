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
import { printFindings } from './figures.ts'
import { compareBusy } from './parts/busy.ts'
import { BEFORE, compare } from './parts/comparison.ts'
import { countWork } from './parts/counts.ts'
import { compareHistory } from './parts/history.ts'
import { measureIdle } from './parts/idle.ts'
import { compareImports } from './parts/imports.ts'
import { measureMail } from './parts/mail.ts'
import { compareMrbs } from './parts/mrbs.ts'
import { measurePages } from './parts/pages.ts'
import { measurePeoplePages } from './parts/people-pages.ts'
import { compareProcesses } from './parts/processes.ts'
import { RUSH } from './parts/rush.ts'
import { BOOKINGS, READS } from './parts/scenarios.ts'
import { measureScreens } from './parts/screens.ts'
import { measureStorms } from './parts/storm.ts'
import { type Lengths, startRunner } from './runner.ts'
import { type Company, createCompany } from './stage/company.ts'
import { createDatabase, redisUrlOf, type Servers, startServers } from './stage/servers.ts'
import { RIVALS, startBerth, startRival, type Target } from './stage/targets.ts'

const PARTS = [
  'reads',
  'bookings',
  'rush',
  'storm',
  'processes',
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

// Of Redis: the parts use lower ones.
const BEFORE_REDIS = 9

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
const parts = readParts(values.only ?? (values.quick ? 'reads,bookings,counts,idle' : PARTS.join(',')))
const lengths: Lengths = {
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
  const company = await fill(databaseUrl)
  const runner = await startRunner()
  const common = { servers: on, company, databaseUrl }
  const berth = await startBerth({ ...common, name: 'Berth', redisUrl: redisUrlOf(on, 0) })
  const others: Target[] = []
  try {
    for (const rival of RIVALS) others.push(await startRival(rival, { ...common, name: rival }))
    if (values.before) others.push(await startBefore(on, resolve(values.before)))
    describe()
    if (parts.has('reads')) await compare(runner, READS, berth, others, lengths)
    if (parts.has('bookings')) await compare(runner, BOOKINGS, berth, others, lengths)
    if (parts.has('rush')) await compare(runner, RUSH, berth, others, lengths)
    if (parts.has('storm'))
      await measureStorms(
        runner,
        berth,
        others.filter(({ name }) => name === BEFORE),
        lengths,
      )
    if (parts.has('processes')) await compareProcesses(runner, on, berth, lengths)
    if (parts.has('busy')) await compareBusy(runner, berth, others, lengths)
    if (parts.has('mrbs')) {
      if (values.mrbs) await compareMrbs(runner, on, berth, resolve(values.mrbs), lengths)
      else console.log('\nMRBS is left out: --mrbs names its checkout.')
    }
    if (parts.has('history')) await compareHistory(runner, on, berth, lengths)
    if (parts.has('pages')) {
      await measurePages(runner, on, lengths)
      await measurePeoplePages(runner, on, lengths, values.before && resolve(values.before))
    }
    if (parts.has('counts')) await countWork({ ...common, runner })
    if (parts.has('imports')) await compareImports(runner, on, lengths)
    if (parts.has('idle')) await measureIdle(runner, on, databaseUrl, lengths)
    if (parts.has('screens')) await measureScreens(runner, on, databaseUrl)
    if (parts.has('mail')) await measureMail(runner, on)
  } finally {
    // Includes the processes of a run that a part has ended.
    printFindings(runner)
    await runner.stop()
    for (const target of [berth, ...others]) await target.stop()
  }
}

async function startBefore(on: Servers, checkout: string): Promise<Target> {
  const databaseUrl = await createDatabase(on, 'berth_before', { checkout })
  const company = await fill(databaseUrl)
  const redisUrl = redisUrlOf(on, BEFORE_REDIS)
  return startBerth({ servers: on, company, databaseUrl, redisUrl, name: BEFORE, checkout })
}

async function fill(databaseUrl: string): Promise<Company> {
  const database = connectDatabase(databaseUrl)
  const company = await createCompany(database, bookings)
  await database.destroy()
  return company
}

function describe(): void {
  console.log(
    `${availableParallelism()} cores, Node ${process.version}, ${bookings} bookings, medians of ${lengths.rounds}, ` +
      `${lengths.seconds} s each`,
  )
}

function readParts(text: string): Set<Part> {
  const names = text.split(',')
  const unknown = names.filter((name) => !PARTS.some((part) => part === name))
  if (unknown.length > 0)
    throw new Error(`Unknown part ${unknown.join(', ')}. The parts are ${PARTS.join(', ')}.`)
  return new Set(names as Part[])
}
